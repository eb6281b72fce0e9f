import { formatRut, rutCheckDigit } from '../../../src/domain/tax-id.ts';
import { chileanByScenario, chileanCompanies } from '../../world/chile/world.ts';
import { pick } from '../simulator.ts';

/** A fictional public body that buys. */
export interface PublicBody {
  /** Number of the body in the marketplace. */
  readonly number: string;
  readonly name: string;
  /** Number of the buying unit: the first part of its documents' codes. */
  readonly unit: string;
  readonly unitName: string;
  /** RUT in the marketplace's format. */
  readonly rut: string;
  readonly commune: string;
  readonly region: string;
}

const body = (i: number, name: string, unitName: string, commune: string, region: string): PublicBody => ({
  number: String(7_000 + i),
  name,
  unit: String(4_100 + i),
  unitName,
  rut: formatRut(`${66_900_000 + i}${rutCheckDigit(String(66_900_000 + i))}`),
  commune,
  region,
});

const MUNICIPALITY = chileanByScenario('cl-municipality');

export const BODIES: readonly [PublicBody, ...PublicBody[]] = [
  {
    ...body(1, MUNICIPALITY.name, 'Secretaría Comunal de Planificación', 'Villa Alemana', 'Región de Valparaíso'),
    rut: formatRut(MUNICIPALITY.rut),
  },
  body(2, 'HOSPITAL INVENTADO DE PUERTO NADIE', 'Abastecimiento', 'Puerto Montt', 'Región de los Lagos '),
  body(3, 'SERVICIO DE SALUD FICTICIO ÑUÑOA', 'Unidad de Compras', 'Ñuñoa', 'Región Metropolitana de Santiago'),
  body(4, 'DIRECCIÓN DE VIALIDAD DE MENTIRA', 'X Región', 'Puerto Varas', 'Región de los Lagos '),
  body(5, 'CORPORACIÓN EDUCACIONAL CERRO HUECO', 'Administración', 'Temuco', 'Región de la Araucanía '),
  body(6, 'UNIVERSIDAD DEL DESIERTO IMAGINARIO', 'Adquisiciones', 'Antofagasta', 'Región de Antofagasta '),
];

/** A supplier of the fictional public bodies. */
export interface Supplier {
  /** Number of the company in the marketplace, which is not its RUT. */
  readonly number: string;
  readonly name: string;
  /** RUT in the marketplace's format. */
  readonly rut: string;
}

/** Companies that have sold at least once. */
export const SUPPLIERS: readonly Supplier[] = chileanCompanies
  .filter(({ scenario }) => /^cl-(supplier|medium|clean|crowd-\d+)$/.test(scenario))
  .map(({ name, rut }, i) => ({ number: String(1_316_000 + i), name, rut: formatRut(rut) }));

/** A person who sells under a personal RUT. The bulk files contain such people; an index must not store them. */
export const PERSON: Supplier = { number: '1294859', name: 'PERSONA NATURAL INVENTADA', rut: '12.345.678-5' };

export const supplierByRut = (rut: string): Supplier | undefined => SUPPLIERS.find((supplier) => supplier.rut === rut);

const supplierOf = (scenario: string): Supplier => supplierByRut(formatRut(chileanByScenario(scenario).rut)) ?? PERSON;
export const CL_SUPPLIER = supplierOf('cl-supplier');
export const CL_MEDIUM = supplierOf('cl-medium');
export const CL_CLEAN = supplierOf('cl-clean');

const [first = PERSON, ...others] = SUPPLIERS.slice(3);

/** Returns a filler supplier by number. */
export const fillerSupplier = (number: number): Supplier => pick([first, ...others], number);
