import type { Knex } from 'knex';
import { type NumberedRow, type Page, type PageRequest, queryTable, toPages } from '../../../db/paging.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import {
  CANDIDATE,
  type ChangedField,
  type DetectedChange,
  type FieldChange,
  type HeldChange,
  type ObservationKey,
  observationKey,
  type QuarantineReason,
} from '../domain/change.ts';
import type { BaselineStats } from '../domain/mass-change.ts';
import type { ChangeToHold } from '../domain/waiting.ts';
import type { WatchedCountry } from '../domain/watched-company.ts';
import { isSeenBy } from './chosen-lists.ts';

/** Suffix of the key of a list's candidates. */
const OF_CANDIDATES = `:${CANDIDATE}`;

/** Number of held changes of one source, field and reason. */
export interface HeldCount {
  readonly source: SourceName;
  readonly field: ChangedField;
  readonly reason: QuarantineReason;
  readonly count: number;
}

/** Selects held changes; all of them when no member is set. */
export interface HeldSelection {
  readonly source?: SourceName;
  /** Only changes of this field. */
  readonly field?: ChangedField;
  readonly companies?: readonly CompanyKey[];
}

/** A held change that was stored. */
export interface StoredChange extends HeldChange {
  /** True when the company had no held change at the source before. */
  readonly isNew: boolean;
}

/** Stores held changes and replaces those of the same companies and source. */
export async function quarantine(trx: Knex, held: readonly ChangeToHold[]): Promise<readonly StoredChange[]> {
  if (held.length === 0) return [];
  const { rows } = await trx.raw(
    `INSERT INTO held_changes AS h (country, tax_id, source, reason, fields, observed, held_at)
     SELECT * FROM jsonb_to_recordset(?::jsonb) AS r (
       country text, tax_id text, source text, reason text, fields jsonb, observed jsonb, held_at timestamptz)
     ON CONFLICT (country, tax_id, source) DO UPDATE
       SET reason = excluded.reason, fields = excluded.fields, observed = excluded.observed,
         held_at = CASE WHEN h.observed = excluded.observed THEN h.held_at ELSE excluded.held_at END
     RETURNING *, xmax = 0 AS "isNew"`,
    [JSON.stringify(held.map(toRow))],
  );
  return rows.map((row: Row & { readonly isNew: boolean }) => ({ ...toHeld(row), isNew: row.isNew }));
}

/** Reads the held changes of these companies at a source, by `companyKeyText`. */
export async function heldOf(trx: Knex, source: SourceName, companies: readonly CompanyKey[]): Promise<ReadonlyMap<string, HeldChange>> {
  if (companies.length === 0) return new Map();
  const { rows } = await trx.raw(
    'SELECT h.* FROM unnest(?::text[], ?::text[]) AS r (country, tax_id) JOIN held_changes h USING (country, tax_id) WHERE h.source = ?',
    [companies.map(({ country }) => country), companies.map(({ taxId }) => taxId), source],
  );
  return new Map(rows.map(toHeld).map((held: HeldChange) => [companyKeyText(held.company), held]));
}

const toRow = ({ change: { company, fields, observed, ...of }, reason, since }: ChangeToHold) => ({
  country: company.country,
  tax_id: company.taxId,
  source: observationKey(of),
  reason,
  fields,
  observed,
  held_at: new Date(since),
});

/** Deletes the held changes of these companies at a source, or of their candidates on a list. */
export async function removeHeldChanges(trx: Knex, key: ObservationKey, companies: readonly CompanyKey[]): Promise<void> {
  await trx.raw(
    `WITH selected AS MATERIALIZED (
       SELECT h.country, h.tax_id FROM held_changes h JOIN unnest(?::text[], ?::text[]) AS r (country, tax_id) USING (country, tax_id)
       WHERE h.source = ? ORDER BY h.country, h.tax_id FOR UPDATE OF h)
     DELETE FROM held_changes h USING selected WHERE h.country = selected.country AND h.tax_id = selected.tax_id AND h.source = ?`,
    [companies.map(({ country }) => country), companies.map(({ taxId }) => taxId), key, key],
  );
}

/** Locks changes held no later than `until` (epoch ms), and their companies. @param page at most `limit` of them */
export async function lockHeldChanges(
  trx: Knex,
  { source, field, companies }: HeldSelection,
  { until, limit }: { readonly until: number; readonly limit: number },
): Promise<readonly HeldChange[]> {
  const { rows } = await trx.raw(
    `SELECT h.* FROM watched_companies w JOIN held_changes h USING (country, tax_id)
     WHERE h.held_at <= :until AND (CAST(:source AS text) IS NULL OR h.source IN (:source, :source || '${OF_CANDIDATES}'))
       AND (CAST(:field AS text) IS NULL OR h.fields @> jsonb_build_array(jsonb_build_object('field', CAST(:field AS text))))
       AND (CAST(:named AS text[]) IS NULL OR h.country || '/' || h.tax_id = ANY (:named))
     ORDER BY h.country, h.tax_id, h.source LIMIT :limit FOR UPDATE OF w, h`,
    {
      until: new Date(until),
      source: source ?? null,
      field: field ?? null,
      named: companies ? named(companies) : null,
      limit,
    },
  );
  return rows.map(toHeld);
}

/** Reads held changes in the order of their companies, at most `limit`, after a given one. */
export async function listHeldChanges(
  db: Knex,
  { limit, after }: { readonly limit: number; readonly after?: Pick<HeldChange, 'company' | 'source' | 'kind'> },
): Promise<readonly HeldChange[]> {
  const query = db('held_changes').orderBy(['country', 'tax_id', 'source']).limit(limit);
  const cursor = after && [after.company.country, after.company.taxId, observationKey(after)];
  return (await (cursor ? query.whereRaw('(country, tax_id, source) > (?, ?, ?)', cursor) : query)).map(toHeld);
}

/** Reads a page of the held changes of the companies that the active monitors of a key watch, after a given one. */
export async function pageHeldChanges(
  db: Knex,
  queries: readonly (PageRequest<CompanyKey & { readonly source: string }> & { readonly keyId: string })[],
): Promise<readonly Page<HeldChange>[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM ${queryTable({ keyId: 'uuid', first: 'int', after: 'jsonb' })},
       LATERAL (SELECT DISTINCT ON (h.country, h.tax_id, h.source) h.*
         FROM monitors m JOIN monitor_companies c ON c.monitor_id = m.id JOIN held_changes h ON h.country = c.country AND h.tax_id = c.tax_id
           JOIN api_keys k ON k.id = m.key_id JOIN accounts a ON a.id = k.account_id
         WHERE m.key_id = query."keyId" AND m.cancelled_at IS NULL AND ${isSeenBy('h.source')}
           AND (query.after IS NULL OR (h.country, h.tax_id, h.source) > (query.after ->> 'country', query.after ->> 'taxId', query.after ->> 'source'))
         ORDER BY h.country, h.tax_id, h.source LIMIT query.first + 1) AS found
     ORDER BY found.country, found.tax_id, found.source`,
    [JSON.stringify(queries)],
  );
  return toPages<Row & NumberedRow, HeldChange>(rows, queries, toHeld);
}

/** Counts held changes by source, field and reason. */
export async function countHeldChanges(db: Knex): Promise<readonly HeldCount[]> {
  const { rows } = await db.raw(
    `SELECT split_part(source, ':', 1) AS source, field.field, reason, count(*) FROM held_changes, jsonb_to_recordset(fields) AS field (field text)
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
  return rows.map((row: Omit<HeldCount, 'count'> & { readonly count: string }) => ({ ...row, count: Number(row.count) }));
}

/** Counts companies with a held change by source. A source without one has no entry. */
export async function countHeldBySource(db: Knex): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.raw(`SELECT split_part(source, ':', 1) AS source, count(*) FROM held_changes GROUP BY 1`);
  return new Map(rows.map(({ source, count }: { source: string; count: string }) => [source, Number(count)]));
}

interface Row {
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly source: ObservationKey;
  readonly reason: QuarantineReason;
  readonly fields: readonly FieldChange[];
  readonly observed: DetectedChange['observed'];
  readonly held_at: Date;
}

const toHeld = (row: Row): HeldChange => ({
  company: { country: row.country, taxId: row.tax_id },
  source: row.source.replace(OF_CANDIDATES, '') as SourceName,
  ...(row.source.endsWith(OF_CANDIDATES) && { kind: CANDIDATE }),
  reason: row.reason,
  fields: row.fields,
  observed: row.observed,
  heldAt: row.held_at.getTime(),
});

/** Selects the changes of a source since `since` (epoch ms), except those of the companies in `without`. */
export interface BaselineQuery {
  readonly source: SourceName;
  readonly since: number;
  readonly without: readonly CompanyKey[];
}

/** SQL: the fields of a change about which the last answer told something, as the table `field`. */
const decidedFields = (fields: string): string =>
  `LATERAL (SELECT f.field FROM jsonb_to_recordset(${fields}) AS f (field text, undecided text) WHERE f.undecided IS NULL) AS field`;

/** SQL: true for a row of table `of` whose company is not in `without`. */
const isOther = (of: string): string => `NOT (${of}.country || '/' || ${of}.tax_id = ANY (:without))`;
const named = (companies: readonly CompanyKey[]): readonly string[] => companies.map(({ country, taxId }) => `${country}/${taxId}`);

/**
 * Reads, by field, the companies whose change was published or waits for a second check, and the fields held as a mass change. A value about
 * which the last answer told nothing neither counts nor holds its field.
 */
export async function readBaselineStats(
  trx: Knex,
  { source, since, without }: BaselineQuery,
): Promise<Pick<BaselineStats, 'changed' | 'held'>> {
  const { rows } = await trx.raw(
    `SELECT field.field, count(DISTINCT (country, tax_id)) AS count
     FROM (SELECT country, tax_id, fields FROM changes WHERE source = :source AND detected_at > :since
         UNION ALL SELECT country, tax_id, fields FROM held_changes WHERE source = :source AND reason = 'blank') AS c,
       ${decidedFields('c.fields')} WHERE ${isOther('c')} GROUP BY 1`,
    { source, since: new Date(since), without: named(without) },
  );
  const held = await trx.raw(
    `SELECT DISTINCT field.field FROM held_changes, ${decidedFields('fields')}
     WHERE source IN (:source, :source || '${OF_CANDIDATES}') AND reason = 'share'`,
    { source },
  );
  return {
    changed: new Map(rows.map(({ field, count }: { field: ChangedField; count: string }) => [field, Number(count)])),
    held: new Set(held.rows.map(({ field }: { field: ChangedField }) => field)),
  };
}

/** Selects companies of a country checked between `since` and `before` (epoch ms), the latest `limit` of them. */
export interface RecentWindowQuery extends BaselineQuery {
  readonly country: WatchedCountry;
  readonly before: number;
  readonly limit: number;
}

/**
 * Counts the companies in the recent window, and those that changed then: their change was published at the time of the check, or waits
 * for a second check.
 */
export async function readRecentWindow(
  trx: Knex,
  { source, country, since, before, limit, without }: RecentWindowQuery,
): Promise<BaselineStats['recentWindow']> {
  const { rows } = await trx.raw(
    `WITH recent AS (
       SELECT country, tax_id, checked_at FROM watched_companies w
       WHERE country = :country AND checked_at > :since AND checked_at < :before AND ${isOther('w')} ORDER BY checked_at DESC LIMIT :limit),
     changed AS (
       SELECT r.tax_id, c.fields FROM recent r
         JOIN changes c ON c.country = r.country AND c.tax_id = r.tax_id AND c.source = :source AND c.detected_at = r.checked_at
       UNION ALL SELECT r.tax_id, h.fields FROM recent r
         JOIN held_changes h ON h.country = r.country AND h.tax_id = r.tax_id AND h.source = :source AND h.reason = 'blank')
     SELECT (SELECT count(*) FROM recent) AS checked, field, count(DISTINCT c.tax_id) AS count
     FROM changed c, ${decidedFields('c.fields')}
     GROUP BY field
     UNION ALL SELECT count(*), NULL, 0 FROM recent`,
    { source, country, since: new Date(since), before: new Date(before), limit, without: named(without) },
  );
  const found: readonly { readonly checked: string; readonly field: ChangedField | null; readonly count: string }[] = rows;
  return {
    checked: Number(found[0]?.checked ?? 0),
    changed: new Map(found.flatMap(({ field, count }) => (field === null ? [] : [[field, Number(count)] as const]))),
  };
}
