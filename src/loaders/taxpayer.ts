import { live } from '../domain/answer.ts';
import { type CompanyKey, companyKeyText } from '../domain/company.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/time.ts';
import type { ReceitaCompany } from '../sources/receita-federal/company.ts';
import { receitaFederal } from '../sources/receita-federal/receita-federal.ts';
import { each } from './batches.ts';
import type { FetchingLoader } from './fetching-loader.ts';

/** A tax registry's record of one company; `record` is null when the registry has none. */
export interface Taxpayer {
  readonly source: 'receita_federal';
  readonly record: ReceitaCompany | null;
}

/**
 * CompanyKey (BR) → Taxpayer: what kyb and owners read. `receita_federal`, one live call a key, 16 side by side.
 * Fresh for 6 h and usable up to 24 h; an absence for 15 min and up to 1 h, because new companies appear.
 */
export const taxpayerLoader: FetchingLoader<CompanyKey, Taxpayer> = {
  name: 'taxpayer',
  key: companyKeyText,
  cache: {
    softMs: ({ record }) => (record ? 6 * HOUR_MS : 15 * MINUTE_MS),
    hardMs: ({ record }) => (record ? 24 : 1) * HOUR_MS,
    max: 50_000,
  },
  batch: (keys, use) =>
    each('receita_federal', keys, async ({ taxId }) =>
      live({ source: 'receita_federal', record: await use(receitaFederal).company(taxId) }),
    ),
};
