import type { Knex } from 'knex';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import type { FieldChange } from '../domain/change.ts';
import type { Owned } from './paging.ts';

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

/** A monitor as far as it matters to what it is sent. */
export interface Receiver {
  readonly id: string;
  readonly keyId: string;
  readonly webhookUrl: string;
  readonly listNews: boolean;
  readonly cancelled: boolean;
  readonly disabled: boolean;
  /** The first company it watches, and that as its maker wrote it. */
  readonly company: CompanyKey;
  readonly identifier: string;
}

/** Null when the key has no such monitor. */
export async function findReceiver(db: Knex, { keyId, id }: Owned): Promise<Receiver | null> {
  const row = await db('monitors as m')
    .join('monitor_companies as c', 'c.monitor_id', 'm.id')
    .where({ 'm.id': id, 'm.key_id': keyId })
    .orderBy('c.place')
    .first('m.webhook_url', 'm.list_news', 'm.cancelled_at', 'm.disabled_at', 'c.country', 'c.tax_id', 'c.identifier');
  return row
    ? {
        id,
        keyId,
        webhookUrl: row.webhook_url,
        listNews: row.list_news,
        cancelled: row.cancelled_at !== null,
        disabled: row.disabled_at !== null,
        company: { country: row.country, taxId: row.tax_id },
        identifier: row.identifier,
      }
    : null;
}

/** Where a delivery is queued. */
export interface Queued {
  readonly id: string;
  readonly monitorId: string;
  readonly host: string;
  readonly lane: number;
}

/** Null when the key has no such delivery. */
export async function findQueued(db: Knex, { keyId, id }: Owned): Promise<Queued | null> {
  const row = await db('deliveries').where({ id, key_id: keyId }).first('monitor_id', 'host', 'lane');
  return row ? { id, monitorId: row.monitor_id, host: row.host, lane: row.lane } : null;
}

/** A change that a monitor was told, and its delivery where there is one. */
export interface Told {
  readonly changeId: string;
  readonly company: CompanyKey;
  readonly identifier: string;
  readonly fields: readonly FieldChange[];
  readonly detectedAt: number;
  readonly delivery: Queued | null;
}

/** What a monitor was told after a position, oldest first. */
export async function toldAfter(db: Knex, monitorId: string, after: number): Promise<readonly Told[]> {
  const rows = await db('changes as c')
    .leftJoin('deliveries as d', 'd.change_id', 'c.id')
    .where('c.monitor_id', monitorId)
    .where('c.position', '>', after)
    .orderBy('c.position')
    .select('c.id as change_id', 'c.country', 'c.tax_id', 'c.identifier', 'c.fields', 'c.detected_at', 'd.id', 'd.host', 'd.lane');
  return rows.map((row) => ({
    changeId: row.change_id,
    company: { country: row.country, taxId: row.tax_id },
    identifier: row.identifier,
    fields: row.fields,
    detectedAt: row.detected_at.getTime(),
    delivery: row.id === null ? null : { id: row.id, monitorId, host: row.host, lane: row.lane },
  }));
}
