import type { Answer, Freshness } from '../../../domain/answer.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { orUnavailable } from '../../../loaders/derived-from.ts';
import type { Load } from '../../../loaders/loader.ts';
import { type SiiRecord, siiRecordLoader } from '../../../loaders/taxpayer.ts';

/** The registry's record of a company; null while the registry fails, because a missing name hides no owner. */
export type ChileanRecord = Answer<SiiRecord> | null;

export const chileanKey = (taxId: string): CompanyKey => ({ country: 'CL', taxId });

/** Loads the records of companies by bare RUT, in their order. */
export const loadRecords = (taxIds: readonly string[], load: Load): Promise<readonly ChileanRecord[]> =>
  Promise.all(taxIds.map((taxId) => orUnavailable(load(siiRecordLoader, chileanKey(taxId)))));

/** Returns the name in a record; null if the registry does not have the company, or fails. */
export const nameIn = (record: ChileanRecord): string | null => record?.value.company?.name ?? null;

/** Returns the ages of records, without dates: the date of an answer is that of the file of owners, and names may be of another day. */
export const agesOf = (records: readonly ChileanRecord[]): readonly Freshness[] =>
  records.flatMap((one) => (one ? [{ ...one.freshness, dataAsOf: null }] : []));

/** Loads the names of companies by bare RUT, each company once, with their ages. */
export async function loadNames(taxIds: readonly string[], load: Load) {
  const distinct = [...new Set(taxIds)];
  const records = await loadRecords(distinct, load);
  return { names: new Map(records.map((record, i) => [distinct[i] ?? '', nameIn(record)])), ages: agesOf(records) };
}
