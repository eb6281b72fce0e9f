import { failureOfRead } from '../db/unavailable.ts';
import type { Found } from '../domain/answer.ts';
import { type CompanyKey, companyKeyText } from '../domain/company.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { isIsoDate, isoDate } from '../domain/time.ts';
import { operationMessages } from '../messages/operations.ts';
import { receitaFederal } from '../sources/receita-federal/receita-federal.ts';
import { answered, COPY_CACHE } from './copy-facts.ts';
import type { FetchingLoader } from './loader.ts';
import { copyCacheVersion, noCopy } from './registry-copy.ts';
import type { ReceitaTaxpayer } from './taxpayer.ts';

/** Returns the answer at an index, or throws its failure or that of all. */
export const answerAt = <T>(answers: AppError | readonly (Found<T> | AppError)[], index: number): Found<T> =>
  answered('receita_federal', answers instanceof AppError ? answers : answers[index]);

/** A company at an ISO date. */
export interface AsOfKey extends CompanyKey {
  readonly asOf: string;
}

export const asOfKeyText = (key: AsOfKey): string => `${companyKeyText(key)}@${key.asOf}`;

/**
 * Returns a text that is an ISO date up to today.
 * @param field its name in the request @param now epoch ms @throws AppError INVALID_INPUT on the field
 */
export function requireDayUpToToday(date: string, field: string, now: number): string {
  if (!isIsoDate(date) || date > isoDate(now)) throw invalidInput(field, operationMessages.dayUpToToday());
  return date;
}

/**
 * AsOfKey (BR) → its record in the last extract up to the date, computed from the current version of the own copy and the differences
 * since then. A new version of the copy invalidates the cache.
 * @throws AppError NO_RECORD_THEN before the first extract, SOURCE_NOT_CONFIGURED without an own copy, SOURCE_UNAVAILABLE
 */
export const taxpayerAsOfLoader: FetchingLoader<AsOfKey, ReceitaTaxpayer> = {
  name: 'receita_taxpayer_as_of',
  key: asOfKeyText,
  cache: COPY_CACHE,
  cacheVersion: copyCacheVersion,
  batch(keys, use) {
    const { mode, copy } = use(receitaFederal);
    if (mode === 'live') return keys.map(() => Promise.reject(noCopy()));
    const records = copy
      .findAsOf(keys.map(({ taxId: cnpj, asOf }) => ({ cnpj, asOf })))
      .catch((error: Error) => failureOfRead('receita_federal', error));
    return keys.map(async (_, i): Promise<Found<ReceitaTaxpayer>> => {
      const { value: record, ...facts } = answerAt(await records, i);
      return { value: { source: 'receita_federal', record, mirror: record && 'registry_copy' }, ...facts };
    });
  },
};
