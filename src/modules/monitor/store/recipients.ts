import type { Knex } from 'knex';
import type { Owned } from '../../../db/paging.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import type { Language } from '../../../messages/message.ts';
import type { WebhookFormat } from '../../../webhooks/domain/chat-message.ts';
import type { QueuedDelivery } from '../../../webhooks/store/delivery-queue.ts';
import type { Change } from '../domain/change.ts';
import type { LogPosition } from '../domain/log-position.ts';
import { CHOSEN } from './chosen-lists.ts';

/** A monitor as the recipient of a change. */
export interface Receiver {
  readonly monitorId: string;
  readonly keyId: string;
  /** Null for a monitor without a webhook. */
  readonly webhookUrl: string | null;
  readonly format: WebhookFormat;
  /** Language of messages for people. */
  readonly language: Language;
  /** True if the webhook gets changes of lists, too. */
  readonly listNews: boolean;
  /** True if the webhook gets changes of name, owners, capital, address and special situation, too. */
  readonly recordNews: boolean;
  /** True after too many failures. Nothing is sent then. */
  readonly disabled: boolean;
  /** Tax id of the company as the monitor's creator wrote it. */
  readonly identifier: string;
}

/** A receiver of changes that are to be published. */
export interface Recipient extends Receiver {
  readonly accountId: string;
  /** True if the monitor gets changes of candidates, too. */
  readonly candidateNews: boolean;
  /** Optional lists that the account has chosen. */
  readonly chosenLists: readonly string[];
}

/** Reads the active monitors of companies, by `companyKeyText`. */
export async function receiversOf(trx: Knex, companies: readonly CompanyKey[]): Promise<ReadonlyMap<string, readonly Recipient[]>> {
  const { rows } = await trx.raw(
    `SELECT c.country, c.tax_id, c.identifier, m.id, m.key_id, e.url, e.format, e.language, m.list_news, m.record_news, m.candidate_news, e.disabled_at, k.account_id, ${CHOSEN} AS chosen
     FROM unnest(?::text[], ?::text[]) AS named (country, tax_id)
       JOIN monitor_companies c USING (country, tax_id) JOIN monitors m ON m.id = c.monitor_id JOIN webhook_endpoints e ON e.id = m.id JOIN api_keys k ON k.id = m.key_id
       JOIN accounts a ON a.id = k.account_id
     WHERE m.cancelled_at IS NULL ORDER BY m.id`,
    [companies.map(({ country }) => country), companies.map(({ taxId }) => taxId)],
  );
  const found: readonly RecipientRow[] = rows;
  const entries = found.map((row) => [companyKeyText({ country: row.country, taxId: row.tax_id }), toRecipient(row)] as const);
  return new Map([...Map.groupBy(entries, ([key]) => key)].map(([key, group]) => [key, group.map(([, receiver]) => receiver)]));
}

/** A monitor of any state, and the first company that it names. */
export interface ResendTarget extends Receiver {
  readonly cancelled: boolean;
  readonly company: CompanyKey;
}

/** Reads a monitor; null when the key has no such monitor. */
export async function findResendTarget(db: Knex, { keyId, id }: Owned): Promise<ResendTarget | null> {
  const row = await db('monitors as m')
    .join('monitor_companies as c', 'c.monitor_id', 'm.id')
    .join('webhook_endpoints as e', 'e.id', 'm.id')
    .where({ 'm.id': id, 'm.key_id': keyId })
    .orderBy('c.ordinal')
    .first(
      'm.id',
      'm.key_id',
      'e.url',
      'e.format',
      'e.language',
      'm.list_news',
      'm.record_news',
      'm.cancelled_at',
      'e.disabled_at',
      'c.country',
      'c.tax_id',
      'c.identifier',
    );
  return row ? { ...toReceiver(row), cancelled: row.cancelled_at !== null, company: { country: row.country, taxId: row.tax_id } } : null;
}

/** A change of a monitor, and its delivery; null without a delivery. */
export interface DeliveredChange extends Omit<Change, keyof LogPosition | 'keyId' | 'source' | 'observationId' | 'observedAt'> {
  readonly delivery: QueuedDelivery | null;
}

/** Reads the changes of a monitor after a position, oldest first. */
export async function deliveredChangesAfter(db: Knex, monitorId: string, after: number): Promise<readonly DeliveredChange[]> {
  const rows = await db('changes as c')
    .leftJoin('deliveries as d', 'd.change_id', 'c.id')
    .where('c.monitor_id', monitorId)
    .where('c.position', '>', after)
    .orderBy('c.position')
    .select('c.id as change_id', 'c.country', 'c.tax_id', 'c.identifier', 'c.fields', 'c.detected_at', 'd.id', 'd.host', 'd.partition');
  return rows.map((row) => ({
    id: row.change_id,
    monitorId,
    company: { country: row.country, taxId: row.tax_id },
    identifier: row.identifier,
    fields: row.fields,
    detectedAt: row.detected_at.getTime(),
    delivery: row.id === null ? null : { id: row.id, endpointId: monitorId, host: row.host, partition: row.partition },
  }));
}

interface Row {
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly identifier: string;
  readonly id: string;
  readonly key_id: string;
  readonly url: string | null;
  readonly format: WebhookFormat;
  readonly language: Language;
  readonly list_news: boolean;
  readonly record_news: boolean;
  readonly disabled_at: Date | null;
}

interface RecipientRow extends Row {
  readonly candidate_news: boolean;
  readonly account_id: string;
  readonly chosen: readonly string[];
}

const toReceiver = (row: Row): Receiver => ({
  monitorId: row.id,
  keyId: row.key_id,
  identifier: row.identifier,
  webhookUrl: row.url,
  format: row.format,
  language: row.language,
  listNews: row.list_news,
  recordNews: row.record_news,
  disabled: row.disabled_at !== null,
});

const toRecipient = (row: RecipientRow): Recipient => ({
  ...toReceiver(row),
  accountId: row.account_id,
  candidateNews: row.candidate_news,
  chosenLists: row.chosen,
});
