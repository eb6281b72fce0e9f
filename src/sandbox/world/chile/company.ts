import { rutCheckDigit } from '../../../domain/tax-id.ts';
import { DAY_MS, isoDate } from '../../../domain/time.ts';
import type { ACTIVITIES, REGIONS } from './tables.ts';

/** A Chilean legal person of the fictional world. Dates are ISO. */
export interface ChileanCompany {
  /** Short id that docs, tests and examples use, e.g. `cl-large`. */
  readonly scenario: string;
  /** Bare, check digit included. */
  readonly rut: string;
  /** Legal name: capitals. */
  readonly name: string;
  /** One sentence: the result of a check of this company. */
  readonly note: string;
  /** Files of the tax registry that have the company: all, only the list of names (founded after the newest commercial year), or none. */
  readonly knownTo: 'all' | 'names' | 'none';
  /** Sales bracket 1–13 in the newest commercial year. */
  readonly bracket: number;
  /** Dependent workers; null where the cell is blank. */
  readonly workers: number | null;
  readonly startedOn: string | null;
  /** Start in force of one that had paused: what its newer rows state. */
  readonly resumedOn: string | null;
  readonly endedOn: string | null;
  /** Days before the sandbox's today of a start or an end that must stay recent; the date itself is then as of 21 November 2026. */
  readonly daysSince: { readonly start?: number; readonly end?: number };
  readonly activity: keyof typeof ACTIVITIES;
  /** Further activities. */
  readonly otherActivities: readonly (keyof typeof ACTIVITIES)[];
  /** Roman numeral, as the registry numbers regions. */
  readonly region: keyof typeof REGIONS;
  readonly province: string;
  readonly commune: string;
  readonly kind: 'SOCIEDAD POR ACCIONES' | 'SOCIEDAD DE RESPONSABILIDAD LIMITADA' | 'SOCIEDAD ANONIMA CERRADA' | 'MUNICIPALIDAD' | 'EIRL';
  /** Tax debt in CLP on the debtors' list; null for none. */
  readonly debtClp: number | null;
  /** Registrable domain of its website; null for none. */
  readonly domain: string | null;
}

/** Fields that differ from the default company: a small active company of Santiago with eight workers. */
export type ChileanPlan = Partial<ChileanCompany> & {
  readonly scenario: string;
  readonly name: string;
  readonly note: string;
  /** RUT without its check digit; fictional ones begin with 67. */
  readonly number: string;
};

/** A plan → the whole company. */
export const chilean = ({ number, ...plan }: ChileanPlan): ChileanCompany => ({
  rut: number + rutCheckDigit(number),
  knownTo: 'all',
  bracket: 6,
  workers: 8,
  startedOn: '2014-05-12',
  resumedOn: null,
  endedOn: null,
  daysSince: {},
  activity: '620200',
  otherActivities: [],
  region: 'XIII',
  province: 'SANTIAGO',
  commune: 'PROVIDENCIA',
  kind: 'SOCIEDAD POR ACCIONES',
  debtClp: null,
  domain: null,
  ...plan,
});

/** Returns a company on a day of the sandbox's clock: its recent dates are relative to that day. */
export function chileanOn(company: ChileanCompany, now: number): ChileanCompany {
  const moved = (date: string | null, days: number | undefined) => (days === undefined ? date : isoDate(now - days * DAY_MS));
  return {
    ...company,
    startedOn: moved(company.startedOn, company.daysSince.start),
    endedOn: moved(company.endedOn, company.daysSince.end),
  };
}
