import type { Knex } from 'knex';
import type { SourceName } from '../../../domain/source-names.ts';
import type { Census } from '../domain/guard.ts';
import type { ChangedField } from '../domain/snapshot.ts';

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
