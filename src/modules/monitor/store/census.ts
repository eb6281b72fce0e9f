import type { Knex } from 'knex';
import type { SourceName } from '../../../domain/source-names.ts';
import type { Census } from '../domain/guard.ts';
import type { ChangedField } from '../domain/snapshot.ts';
import type { WatchedCountry } from '../domain/watched.ts';

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
