import { rutCheckDigit } from '../../../src/domain/tax-id.ts';
import type { ChileanCompany } from './company.ts';
import { chileanByScenario, chileanCompanies } from './world.ts';

/** An owner of a company: another company by its bare RUT, or all its natural persons together. */
export interface ChileanShare {
  readonly owner: string | 'people';
  /** Share as the file prints it; empty for a blank cell. */
  readonly share: string;
}

const rut = (scenario: string): string => chileanByScenario(scenario).rut;
const people = (share: string): ChileanShare => ({ owner: 'people', share });
const company = (scenario: string, share: string): ChileanShare => ({ owner: rut(scenario), share });

/** A foreign company without activities in Chile, which the list of names lacks. */
const FOREIGN = `59900090${rutCheckDigit('59900090')}`;

/** Owners of companies that show one case each. */
const SHARES: Readonly<Record<string, readonly ChileanShare[]>> = {
  'cl-large': [company('cl-crowd-1', '70,5'), { owner: FOREIGN, share: '29,5' }],
  'cl-crowd-1': [company('cl-crowd-2', '60'), people('40')],
  'cl-crowd-2': [people('100')],
  'cl-medium': [company('cl-crowd-1', '33,33'), company('cl-crowd-3', '33,33'), people('33,34')],
  'cl-debtor': [company('cl-crowd-3', ''), people('')],
  'cl-agency': [company('cl-shop', '10'), people('90')],
  'cl-shop': [company('cl-agency', '50'), people('50')],
  'cl-micro': [company('cl-micro', '5'), people('95')],
  'cl-listed-owner': [company('cl-sanctioned', '80'), people('20')],
  'cl-supplier': [company('cl-crowd-4', '60'), company('cl-crowd-4', '20'), people('30')],
};

/** Owners a year before, where they were others. Null for a company that the file of that year does not have. */
const SHARES_BEFORE: Readonly<Record<string, readonly ChileanShare[] | null>> = {
  'cl-large': [company('cl-crowd-1', '60'), company('cl-crowd-3', '10,5'), { owner: FOREIGN, share: '29,5' }],
  'cl-medium': [company('cl-crowd-1', '33,33'), people('66,67')],
  'cl-agency': null,
};

/** Companies whose owners the file does not have: public bodies, and companies younger than the file. */
const NOT_IN_FILE: ReadonlySet<string> = new Set(['cl-municipality', 'cl-unnoticed']);

/** A company, and its owners. */
interface OwnedCompany {
  readonly company: ChileanCompany;
  readonly shares: readonly ChileanShare[];
}

/** The companies that the file has, with their owners. A company that shows no case belongs to people. */
export const chileanOwners: readonly OwnedCompany[] = chileanCompanies
  .filter(({ scenario, knownTo }) => knownTo === 'all' && !NOT_IN_FILE.has(scenario))
  .map((company) => ({ company, shares: SHARES[company.scenario] ?? [people('100')] }));

/** The companies that the file of the year before has, with their owners. */
export const chileanOwnersBefore: readonly OwnedCompany[] = chileanOwners.flatMap(({ company, shares }) => {
  const before = SHARES_BEFORE[company.scenario];
  return before === null ? [] : [{ company, shares: before ?? shares }];
});
