import type { Knex } from 'knex';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';

/** An active monitor that watches a company. */
export interface Watcher {
  readonly monitorId: string;
  readonly keyId: string;
  /** The company's tax id as the monitor's maker wrote it. */
  readonly identifier: string;
  readonly webhookUrl: string;
  readonly listNews: boolean;
  /** True when its receiver failed for so long that nothing is sent any more. */
  readonly disabled: boolean;
}

/** Companies → who watches them, by `companyKeyText`. */
export async function watchersOf(trx: Knex, companies: readonly CompanyKey[]): Promise<ReadonlyMap<string, readonly Watcher[]>> {
  const { rows } = await trx.raw(
    `SELECT c.country, c.tax_id, c.identifier, m.id, m.key_id, m.webhook_url, m.list_news, m.disabled_at
     FROM unnest(?::text[], ?::text[]) AS asked (country, tax_id)
       JOIN monitor_companies c USING (country, tax_id) JOIN monitors m ON m.id = c.monitor_id
     WHERE m.cancelled_at IS NULL ORDER BY m.id`,
    [companies.map(({ country }) => country), companies.map(({ taxId }) => taxId)],
  );
  const found: readonly Row[] = rows;
  const entries = found.map((row) => [companyKeyText({ country: row.country, taxId: row.tax_id }), toWatcher(row)] as const);
  return new Map([...Map.groupBy(entries, ([key]) => key)].map(([key, group]) => [key, group.map(([, watcher]) => watcher)]));
}

interface Row {
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly identifier: string;
  readonly id: string;
  readonly key_id: string;
  readonly webhook_url: string;
  readonly list_news: boolean;
  readonly disabled_at: Date | null;
}

const toWatcher = (row: Row): Watcher => ({
  monitorId: row.id,
  keyId: row.key_id,
  identifier: row.identifier,
  webhookUrl: row.webhook_url,
  listNews: row.list_news,
  disabled: row.disabled_at !== null,
});
