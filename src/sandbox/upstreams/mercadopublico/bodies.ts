import { formatRut, rutCheckDigit } from '../../../domain/rut.ts';
import { chileanByScenario } from '../../world/chile/world.ts';

/** A made-up public body that buys. */
export interface PublicBody {
  /** The marketplace's own number of the body. */
  readonly number: string;
  readonly name: string;
  /** Of the buying unit: the first part of its documents' codes. */
  readonly unit: string;
  readonly unitName: string;
  /** As the marketplace prints it. */
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
