import { failureOfRead } from '../../../db/unavailable.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import { HOUR_MS, MINUTE_MS } from '../../../domain/time.ts';
import type { Offered } from '../../../loaders/loader.ts';
import { answerAt } from '../../../loaders/registry-as-of.ts';
import { noCopy } from '../../../loaders/registry-copy.ts';
import type { HistoryPage, HistoryQuery } from '../../../sources/receita-federal/copy/history.ts';
import { receitaFederal } from '../../../sources/receita-federal/receita-federal.ts';

/** A page of the history of a company. */
export interface HistoryRequest extends Omit<HistoryQuery, 'cnpj'> {
  readonly company: CompanyKey<'BR'>;
}

/** Countries whose registry is copied, so that its extracts can be compared. */
export const HISTORY_COUNTRIES = ['BR'] as const;

/**
 * HistoryRequest (BR) → the differences between the extracts that were loaded, newest first, by one statement per batch; null for a company
 * that the registry does not have. A new version of the copy invalidates the cache.
 * @throws AppError NO_RECORD_THEN if no two extracts with the company were compared, SOURCE_NOT_CONFIGURED without an own copy
 */
export const historyLoader: Offered<HistoryRequest, HistoryPage | null> = {
  name: 'company_history',
  module: 'kyb',
  counts: (page) => page !== null,
  key: ({ company, fields, first, after }) => [companyKeyText(company), fields.join(' '), first, after].join('|'),
  cache: { ttlMs: () => 15 * MINUTE_MS, maxStaleAgeMs: () => HOUR_MS },
  cacheVersion: (use) => use(receitaFederal).copy.cacheVersion(),
  batch(requests, use) {
    const { mode, copy } = use(receitaFederal);
    if (mode === 'live') return requests.map(() => Promise.reject(noCopy()));
    const pages = copy
      .history(requests.map(({ company, ...page }) => ({ ...page, cnpj: company.taxId })))
      .catch((error: Error) => failureOfRead('receita_federal', error));
    return requests.map(async (_, i) => answerAt(await pages, i));
  },
};
