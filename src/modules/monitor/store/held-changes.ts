import type { Knex } from 'knex';
import type { CompanyKey } from '../../../domain/company.ts';
import type { SourceName } from '../../../domain/source-names.ts';
import type { ChangedField, FieldChange, Finding, HeldChange, HoldReason } from '../domain/change.ts';
import type { Census } from '../domain/mass-change-guard.ts';
import type { WatchedCountry } from '../domain/watched-company.ts';

/** Held changes of one source and field, held for one reason. */
export interface HeldCount {
  readonly source: SourceName;
  readonly field: ChangedField;
  readonly reason: HoldReason;
  readonly count: number;
}

/** Which held changes are meant: all where nothing is said. */
export interface HeldSelection {
  readonly source?: SourceName;
  /** Those in which it changed. */
  readonly field?: ChangedField;
  readonly companies?: readonly CompanyKey[];
}

/** Holds changes back, or what is held of the same companies and source up to date. Answers those that were not held before. */
export async function hold(
  trx: Knex,
  held: readonly { readonly finding: Finding; readonly reason: HoldReason }[],
  now: number,
): Promise<readonly HeldChange[]> {
  if (held.length === 0) return [];
  const { rows } = await trx.raw(
    `INSERT INTO held_changes (country, tax_id, source, reason, fields, observed, held_at)
     SELECT country, tax_id, source, reason, fields, observed, ?
     FROM jsonb_to_recordset(?::jsonb) AS r (country text, tax_id text, source text, reason text, fields jsonb, observed jsonb)
     ON CONFLICT (country, tax_id, source) DO UPDATE
       SET reason = excluded.reason, fields = excluded.fields, observed = excluded.observed
     RETURNING *, xmax = 0 AS new`,
    [new Date(now), JSON.stringify(held.map(({ finding, reason }) => toRow(finding, reason)))],
  );
  return rows.filter((row: Row & { readonly new: boolean }) => row.new).map(toHeld);
}

const toRow = ({ company, source, fields, observed }: Finding, reason: HoldReason) => ({
  country: company.country,
  tax_id: company.taxId,
  source,
  reason,
  fields,
  observed,
});

/** Forgets what is held of these companies at a source. */
export async function letGo(trx: Knex, source: SourceName, companies: readonly CompanyKey[]): Promise<void> {
  await trx.raw(
    `WITH gone AS MATERIALIZED (
       SELECT h.country, h.tax_id FROM held_changes h JOIN unnest(?::text[], ?::text[]) AS r (country, tax_id) USING (country, tax_id)
       WHERE h.source = ? ORDER BY h.country, h.tax_id FOR UPDATE OF h)
     DELETE FROM held_changes h USING gone WHERE h.country = gone.country AND h.tax_id = gone.tax_id AND h.source = ?`,
    [companies.map(({ country }) => country), companies.map(({ taxId }) => taxId), source, source],
  );
}

/** Locks some of what has been held until an instant (epoch ms), and the companies it is about. */
export async function lockHeld(
  trx: Knex,
  { source, field, companies }: HeldSelection,
  { until, limit }: { readonly until: number; readonly limit: number },
): Promise<readonly HeldChange[]> {
  const { rows } = await trx.raw(
    `SELECT h.* FROM watched_companies w JOIN held_changes h USING (country, tax_id)
     WHERE h.held_at <= :until AND (CAST(:source AS text) IS NULL OR h.source = :source)
       AND (CAST(:field AS text) IS NULL OR h.fields @> jsonb_build_array(jsonb_build_object('field', CAST(:field AS text))))
       AND (CAST(:named AS text[]) IS NULL OR h.country || '/' || h.tax_id = ANY (:named))
     ORDER BY h.country, h.tax_id, h.source LIMIT :limit FOR UPDATE OF w, h`,
    {
      until: new Date(until),
      source: source ?? null,
      field: field ?? null,
      named: companies?.map(({ country, taxId }) => `${country}/${taxId}`) ?? null,
      limit,
    },
  );
  return rows.map(toHeld);
}

/** Held changes in the order of their companies, at most `limit`, after one of them. */
export async function heldAfter(
  db: Knex,
  { limit, after }: { readonly limit: number; readonly after?: Pick<HeldChange, 'company' | 'source'> },
): Promise<readonly HeldChange[]> {
  const query = db('held_changes').orderBy(['country', 'tax_id', 'source']).limit(limit);
  const place = after && [after.company.country, after.company.taxId, after.source];
  return (await (place ? query.whereRaw('(country, tax_id, source) > (?, ?, ?)', place) : query)).map(toHeld);
}

/** How many changes are held, by source, field and reason. */
export async function countHeld(db: Knex): Promise<readonly HeldCount[]> {
  const { rows } = await db.raw(
    `SELECT source, field.field, reason, count(*) FROM held_changes, jsonb_to_recordset(fields) AS field (field text)
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
  return rows.map((row: Omit<HeldCount, 'count'> & { readonly count: string }) => ({ ...row, count: Number(row.count) }));
}

/** Source → companies of which something is held; a source with none is left out. */
export async function heldBySource(db: Knex): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.raw('SELECT source, count(*) FROM held_changes GROUP BY source');
  return new Map(rows.map(({ source, count }: { source: string; count: string }) => [source, Number(count)]));
}

interface Row {
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly source: SourceName;
  readonly reason: HoldReason;
  readonly fields: readonly FieldChange[];
  readonly observed: Finding['observed'];
  readonly held_at: Date;
}

const toHeld = (row: Row): HeldChange => ({
  company: { country: row.country, taxId: row.tax_id },
  source: row.source,
  reason: row.reason,
  fields: row.fields,
  observed: row.observed,
  heldAt: row.held_at.getTime(),
});

/** What a source has been saying since an instant (epoch ms), as far as the log and the guard tell. */
export async function readCensus(trx: Knex, source: SourceName, since: number): Promise<Pick<Census, 'published' | 'held'>> {
  const { rows } = await trx.raw(
    `SELECT field.field, count(DISTINCT (country, tax_id)) AS count
     FROM changes, jsonb_to_recordset(fields) AS field (field text) WHERE source = ? AND detected_at > ? GROUP BY 1`,
    [source, new Date(since)],
  );
  const held = await trx.raw(
    `SELECT DISTINCT field.field FROM held_changes, jsonb_to_recordset(fields) AS field (field text) WHERE source = ? AND reason = 'share'`,
    [source],
  );
  return {
    published: new Map(rows.map(({ field, count }: { field: ChangedField; count: string }) => [field, Number(count)])),
    held: new Set(held.rows.map(({ field }: { field: ChangedField }) => field)),
  };
}

/** Which companies are looked back at: of one country, looked at since an instant and before this one, the latest first. Epoch ms. */
export interface Stretch {
  readonly source: SourceName;
  readonly country: WatchedCountry;
  readonly since: number;
  readonly before: number;
  readonly limit: number;
}

/** Companies looked at lately, and whose changes were published then. A change bears the instant of the look that found it. */
export async function readLately(trx: Knex, { source, country, since, before, limit }: Stretch): Promise<Census['lately']> {
  const { rows } = await trx.raw(
    `WITH lately AS (
       SELECT country, tax_id, checked_at FROM watched_companies
       WHERE country = :country AND checked_at > :since AND checked_at < :before ORDER BY checked_at DESC LIMIT :limit)
     SELECT (SELECT count(*) FROM lately) AS checked, field, count(DISTINCT c.tax_id) AS count
     FROM lately l JOIN changes c ON c.country = l.country AND c.tax_id = l.tax_id AND c.source = :source AND c.detected_at = l.checked_at,
       jsonb_to_recordset(c.fields) AS changed (field text)
     GROUP BY field
     UNION ALL SELECT count(*), NULL, 0 FROM lately`,
    { source, country, since: new Date(since), before: new Date(before), limit },
  );
  const found: readonly { readonly checked: string; readonly field: ChangedField | null; readonly count: string }[] = rows;
  return {
    checked: Number(found[0]?.checked ?? 0),
    published: new Map(found.flatMap(({ field, count }) => (field === null ? [] : [[field, Number(count)] as const]))),
  };
}
