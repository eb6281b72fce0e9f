import { formatRut } from '../../../domain/rut.ts';
import { chileanByScenario, chileanCompanies } from '../../world/chile/world.ts';
import { pick } from '../pick.ts';

/** Who sells to the made-up public bodies. */
export interface Supplier {
  /** The marketplace's own number of the company: no RUT. */
  readonly number: string;
  readonly name: string;
  /** As the marketplace prints it. */
  readonly rut: string;
}

/** Companies that have sold at least once. */
export const SUPPLIERS: readonly Supplier[] = chileanCompanies
  .filter(({ scenario }) => /^cl-(supplier|medium|clean|crowd-\d+)$/.test(scenario))
  .map(({ name, rut }, i) => ({ number: String(1_316_000 + i), name, rut: formatRut(rut) }));

/** A person who sells under a RUT of their own: what the bulk files have and no index should keep. */
export const PERSON: Supplier = { number: '1294859', name: 'PERSONA NATURAL INVENTADA', rut: '12.345.678-5' };

export const supplierByRut = (rut: string): Supplier | undefined => SUPPLIERS.find((supplier) => supplier.rut === rut);

const told = (scenario: string): Supplier => supplierByRut(formatRut(chileanByScenario(scenario).rut)) ?? PERSON;
export const CL_SUPPLIER = told('cl-supplier');
export const CL_MEDIUM = told('cl-medium');
export const CL_CLEAN = told('cl-clean');

const [first = PERSON, ...others] = SUPPLIERS.slice(3);

/** One of the crowd by number. */
export const crowdSupplier = (number: number): Supplier => pick([first, ...others], number);
