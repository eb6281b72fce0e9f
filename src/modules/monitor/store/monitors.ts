import type { Knex } from 'knex';
import {
  groupByQuery,
  isBeforeCursor,
  type NumberedRow,
  type Owned,
  type OwnedPageRequest,
  type Page,
  type PageRequest,
  queryTable,
  ROW_QUERIES,
  toPages,
} from '../../../db/paging.ts';
import { type CompanyKey, legalPersonText } from '../../../domain/company.ts';
import { JsonTexts } from '../../../domain/json-texts.ts';
import type { TimeCursor } from '../../../domain/paging.ts';
import { endpointStateOf, insertEndpoint } from '../../../webhooks/store/endpoints.ts';
import type { Monitor, MonitorRow } from '../domain/monitor.ts';
import { isSeenBy } from './chosen-lists.ts';

/** Kind of the owner of an endpoint. */
export const MONITOR = 'monitor';

/** Columns of a monitor `m` and its endpoint `e`. */
const COLUMNS = `m.id, m.key_id, m.country, e.url, e.retry_policy, e.format, e.language, m.list_news, m.record_news, m.candidate_news, m.created_at, m.cancelled_at, e.failing_since, e.disabled_at,
  (SELECT count(*)::int FROM monitor_companies c JOIN held_changes h USING (country, tax_id), api_keys k JOIN accounts a ON a.id = k.account_id
    WHERE k.id = m.key_id AND c.monitor_id = m.id AND m.cancelled_at IS NULL AND ${isSeenBy('h.source')}) AS held_changes`;

/** Reads monitors by id, cancelled ones too; null for a monitor that its key does not own. */
export async function findMonitors(db: Knex, queries: readonly Owned[]): Promise<readonly (MonitorRow | null)[]> {
  const { rows } = await db.raw(
    `SELECT query.n, ${COLUMNS} FROM ${ROW_QUERIES} JOIN monitors m ON m.id = query.id AND m.key_id = query."keyId"
       JOIN webhook_endpoints e ON e.id = m.id`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row>(rows, queries.length).map(([row]) => (row ? toMonitor(row) : null));
}

/** Reads the tax ids of monitors, cancelled ones too; none for a monitor that its key does not own. */
export async function identifiersOf(db: Knex, queries: readonly Owned[]): Promise<readonly JsonTexts[]> {
  const { rows } = await db.raw(
    `SELECT query.n, array_to_json(named.identifiers)::text AS json, cardinality(named.identifiers) AS length
     FROM ${ROW_QUERIES} JOIN monitors m ON m.id = query.id AND m.key_id = query."keyId",
       LATERAL (SELECT ARRAY(SELECT identifier FROM monitor_companies WHERE monitor_id = m.id ORDER BY ordinal) AS identifiers) AS named`,
    [JSON.stringify(queries)],
  );
  const found: readonly (NumberedRow & Pick<JsonTexts, 'json' | 'length'>)[] = rows;
  return groupByQuery(found, queries.length).map(([row]) => (row ? new JsonTexts(row.json, row.length) : new JsonTexts('[]', 0)));
}

/** Adds their tax ids to monitors. */
export async function withIdentifiers(db: Knex, monitors: readonly MonitorRow[]): Promise<readonly Monitor[]> {
  const identifiers = monitors.length === 0 ? [] : await identifiersOf(db, monitors);
  return monitors.map((monitor, i) => ({ ...monitor, identifiers: [...(identifiers[i] ?? [])] }));
}

/** Reads a monitor by id with its tax ids, a cancelled one too; null if its key does not own it. */
export async function findMonitor(db: Knex, query: Owned): Promise<Monitor | null> {
  const [found] = await findMonitors(db, [query]);
  const [monitor = null] = found ? await withIdentifiers(db, [found]) : [];
  return monitor;
}

/** Reads active monitors of keys, newest first. */
export async function pageMonitors(
  db: Knex,
  queries: readonly (PageRequest<TimeCursor> & { readonly keyId: string })[],
): Promise<readonly Page<MonitorRow>[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM ${queryTable({ keyId: 'uuid', first: 'int', after: 'jsonb' })},
       LATERAL (SELECT ${COLUMNS} FROM monitors m JOIN webhook_endpoints e ON e.id = m.id
         WHERE m.key_id = query."keyId" AND m.cancelled_at IS NULL AND ${isBeforeCursor('m.created_at', 'm.id')}
         ORDER BY m.created_at DESC, m.id DESC LIMIT query.first + 1) AS found
     ORDER BY found.created_at DESC, found.id DESC`,
    [JSON.stringify(queries)],
  );
  return toPages<Row, MonitorRow>(rows, queries, toMonitor);
}

/** Counts of a key's active monitors. */
export interface WatchedByKey {
  readonly monitors: number;
  /** Number of different companies in its monitors. */
  readonly companies: number;
}

/** Counts the active monitors of a key and their companies. */
export async function countWatchedByKey(db: Knex, keyId: string): Promise<WatchedByKey> {
  const { rows } = await db.raw(
    `SELECT count(DISTINCT m.id) AS monitors, count(DISTINCT (c.country, c.tax_id)) AS companies
     FROM monitors m JOIN monitor_companies c ON c.monitor_id = m.id WHERE m.key_id = ? AND m.cancelled_at IS NULL`,
    [keyId],
  );
  return { monitors: Number(rows[0].monitors), companies: Number(rows[0].companies) };
}

/** Reads the active monitors of a key that watch a company, newest first. A monitor that watches several of the companies is read once. */
export async function pageMonitorsWatching(
  db: Knex,
  queries: readonly (PageRequest<TimeCursor> & CompanyKey & { readonly keyId: string })[],
): Promise<readonly Page<MonitorRow>[]> {
  const { rows } = await db.raw(
    `WITH page AS (
       SELECT query.n, found.id FROM ${queryTable({ keyId: 'uuid', country: 'text', taxId: 'text', first: 'int', after: 'jsonb' })},
         LATERAL (SELECT m.id FROM monitor_companies c JOIN monitors m ON m.id = c.monitor_id
           WHERE c.country = query.country AND c.tax_id = query."taxId" AND m.key_id = query."keyId" AND m.cancelled_at IS NULL
             AND ${isBeforeCursor('m.created_at', 'm.id')}
           ORDER BY m.created_at DESC, m.id DESC LIMIT query.first + 1) AS found)
     SELECT queries, ${COLUMNS} FROM (SELECT id, array_agg(n) AS queries FROM page GROUP BY id) AS watching JOIN monitors m USING (id)
       JOIN webhook_endpoints e USING (id)
     ORDER BY m.created_at DESC, m.id DESC`,
    [JSON.stringify(queries)],
  );
  const found: readonly (Row & { readonly queries: readonly string[] })[] = rows;
  const monitors = found.map((row) => ({ queries: row.queries, monitor: toMonitor(row) }));
  const numbered = monitors.flatMap(({ queries: of, monitor }) => of.map((n) => ({ n, monitor })));
  return toPages(numbered, queries, ({ monitor }) => monitor);
}

/** A company of a monitor. */
export interface MonitoredCompany extends CompanyKey {
  /** From 0, in the order in which the monitor's creator named the companies. */
  readonly ordinal: number;
}

/** Reads companies of monitors, in the order of `ordinal`. `after` is an ordinal. */
export async function pageCompanies(db: Knex, queries: readonly OwnedPageRequest<number>[]): Promise<readonly Page<MonitoredCompany>[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM ${queryTable({ keyId: 'uuid', id: 'uuid', first: 'int', after: 'bigint' })}
       JOIN monitors m ON m.id = query.id AND m.key_id = query."keyId",
       LATERAL (SELECT c.country, c.tax_id, c.ordinal FROM monitor_companies c
         WHERE c.monitor_id = m.id AND c.ordinal > coalesce(query.after, -1) ORDER BY c.ordinal LIMIT query.first + 1) AS found
     ORDER BY found.ordinal`,
    [JSON.stringify(queries)],
  );
  return toPages<MonitoredRow, MonitoredCompany>(rows, queries, ({ country, tax_id: taxId, ordinal }) => ({ country, taxId, ordinal }));
}

interface MonitoredRow extends NumberedRow {
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly ordinal: number;
}

interface Row extends NumberedRow {
  readonly id: string;
  readonly key_id: string;
  readonly country: Monitor['country'];
  readonly url: string | null;
  readonly retry_policy: Monitor['retryPolicy'];
  readonly format: Monitor['webhookFormat'];
  readonly language: Monitor['webhookLanguage'];
  readonly list_news: boolean;
  readonly record_news: boolean;
  readonly candidate_news: boolean;
  readonly created_at: Date;
  readonly cancelled_at: Date | null;
  readonly failing_since: Date | null;
  readonly disabled_at: Date | null;
  readonly held_changes: number;
}

const toMonitor = (row: Row): MonitorRow => ({
  id: row.id,
  keyId: row.key_id,
  country: row.country,
  webhookUrl: row.url,
  retryPolicy: row.retry_policy,
  webhookFormat: row.format,
  webhookLanguage: row.language,
  listNews: row.list_news,
  recordNews: row.record_news,
  candidateNews: row.candidate_news,
  status: row.cancelled_at === null ? 'active' : 'cancelled',
  endpointState: endpointStateOf(row),
  createdAt: row.created_at.getTime(),
  cancelledAt: row.cancelled_at?.getTime() ?? null,
  heldChanges: row.held_changes,
});

/** Number of the advisory lock on the set of watched companies; unique in this project. */
const WATCH_LIST_LOCK = 7_185_118;

/** A monitor to be created. */
export interface NewMonitor extends Omit<Monitor, 'status' | 'endpointState' | 'cancelledAt' | 'heldChanges'> {
  /** Tax ids, in the order of `identifiers`. */
  readonly companies: readonly CompanyKey[];
  /** Sealed secret. */
  readonly secret: Buffer;
}

/**
 * Locks the set of watched companies until the transaction ends, so that no company is deleted while another monitor adds it. Every
 * transaction takes this lock first.
 */
export const lockWatchList = (trx: Knex): Promise<unknown> => trx.raw('SELECT pg_advisory_xact_lock(?)', [WATCH_LIST_LOCK]);

/** Stores a monitor. Companies that no other monitor watches are due at once; that check is their baseline. */
export async function insertMonitor(trx: Knex, monitor: NewMonitor): Promise<void> {
  const { companies, identifiers, createdAt, webhookUrl: url, webhookFormat: format, webhookLanguage: language } = monitor;
  await lockWatchList(trx);
  await trx('monitors').insert({
    id: monitor.id,
    key_id: monitor.keyId,
    country: monitor.country,
    list_news: monitor.listNews,
    record_news: monitor.recordNews,
    candidate_news: monitor.candidateNews,
    created_at: new Date(createdAt),
  });
  await insertEndpoint(trx, { ...monitor, ownerKind: MONITOR, url, format, language });
  const named = companies.map((company, i) => ({ company, identifier: identifiers[i] ?? '' }));
  await addCompanies(trx, monitor.id, named, createdAt);
}

/** A company, and its tax id as the caller wrote it. */
export interface NamedCompany {
  readonly company: CompanyKey;
  readonly identifier: string;
}

/**
 * Appends companies to a monitor; those that it has already stay unchanged. Companies that no other monitor watches are due at once. The
 * watch list must be locked.
 * @param now epoch ms @returns number of added companies
 */
export async function addCompanies(trx: Knex, monitorId: string, named: readonly NamedCompany[], now: number): Promise<number> {
  const companies = named.map(({ company }) => company);
  const [countries, taxIds] = [companies.map(({ country }) => country), companies.map(({ taxId }) => taxId)];
  const at = new Date(now);
  await trx.raw(
    `INSERT INTO watched_companies (country, tax_id, legal_person, anchor_at, due_at)
     SELECT country, tax_id, legal_person, ?, ? FROM unnest(?::text[], ?::text[], ?::text[]) AS named (country, tax_id, legal_person)
     ORDER BY country, tax_id ON CONFLICT DO NOTHING`,
    [at, at, countries, taxIds, companies.map(legalPersonText)],
  );
  const { rowCount } = await trx.raw(
    `INSERT INTO monitor_companies (monitor_id, country, tax_id, identifier, ordinal, added_at)
     SELECT :monitorId, country, tax_id, identifier, last.ordinal + n, :at
     FROM unnest(CAST(:countries AS text[]), CAST(:taxIds AS text[]), CAST(:identifiers AS text[])) WITH ORDINALITY AS named (country, tax_id, identifier, n),
       (SELECT coalesce(max(ordinal), -1) AS ordinal FROM monitor_companies WHERE monitor_id = :monitorId) AS last
     ON CONFLICT DO NOTHING`,
    { monitorId, countries, taxIds, at, identifiers: named.map(({ identifier }) => identifier) },
  );
  return rowCount;
}

/** Removes companies from a monitor, and stops the checks of those that no active monitor names. @returns number of removed companies */
export async function removeCompanies(trx: Knex, monitorId: string, companies: readonly CompanyKey[]): Promise<number> {
  const taxIds = companies.map(({ taxId }) => taxId);
  const removed = await trx('monitor_companies').where({ monitor_id: monitorId }).whereRaw('tax_id = ANY (?)', [taxIds]).delete();
  if (removed > 0) await deleteUnwatched(trx, companies);
  return removed;
}

/** Deletes those companies that no active monitor names. The watch list must be locked. */
export async function deleteUnwatched(trx: Knex, companies: readonly CompanyKey[]): Promise<void> {
  await trx.raw(
    `WITH unwatched AS (
       SELECT w.country, w.tax_id FROM unnest(?::text[], ?::text[]) AS named (country, tax_id) JOIN watched_companies w USING (country, tax_id)
       WHERE NOT EXISTS (
         SELECT FROM monitor_companies other JOIN monitors m ON m.id = other.monitor_id
         WHERE other.country = w.country AND other.tax_id = w.tax_id AND m.cancelled_at IS NULL)
       ORDER BY w.country, w.tax_id FOR UPDATE OF w)
     DELETE FROM watched_companies USING unwatched
     WHERE watched_companies.country = unwatched.country AND watched_companies.tax_id = unwatched.tax_id`,
    [companies.map(({ country }) => country), companies.map(({ taxId }) => taxId)],
  );
}

/** Settings of a monitor that can change, besides those of its endpoint. An undefined member stays unchanged. */
export interface MonitorSettingsChange extends Partial<Pick<Monitor, 'listNews' | 'recordNews' | 'candidateNews'>> {}

export async function saveMonitorSettings(trx: Knex, id: string, change: MonitorSettingsChange): Promise<void> {
  const columns = { list_news: change.listNews, record_news: change.recordNews, candidate_news: change.candidateNews };
  if (Object.values(columns).some((value) => value !== undefined)) await trx('monitors').where({ id }).update(columns);
}

/** Locks the watch list and a monitor until the transaction ends. @returns false when the key has no such active monitor */
export async function lockActiveMonitor(trx: Knex, { keyId, id }: Owned): Promise<boolean> {
  await lockWatchList(trx);
  return (await trx('monitors').where({ id, key_id: keyId, cancelled_at: null }).forNoKeyUpdate().first('id')) !== undefined;
}

/** Cancels a monitor and deletes companies that no other monitor watches. @returns false when the key has no such active monitor */
export async function cancelMonitor(trx: Knex, { keyId, id }: Owned, now: number): Promise<boolean> {
  await lockWatchList(trx);
  const cancelled = await trx('monitors')
    .where({ id, key_id: keyId, cancelled_at: null })
    .update({ cancelled_at: new Date(now) });
  if (cancelled === 0) return false;
  const rows: readonly { readonly country: CompanyKey['country']; readonly tax_id: string }[] = await trx('monitor_companies')
    .where({ monitor_id: id })
    .select('country', 'tax_id');
  await deleteUnwatched(
    trx,
    rows.map(({ country, tax_id: taxId }) => ({ country, taxId })),
  );
  return true;
}
