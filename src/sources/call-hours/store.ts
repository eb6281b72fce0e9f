import type { Knex } from 'knex';
import { purgeOlder } from '../../db/batches.ts';
import type { SourceName } from '../../domain/catalogue.ts';
import type { DurationCounts } from '../../domain/durations.ts';

/** The calls of a source in an hour. */
export interface SourceHour {
  /** Epoch ms of its beginning. */
  readonly hour: number;
  readonly calls: number;
  /** Number of them that failed. */
  readonly failed: number;
  /** Durations of the others. */
  readonly durations: DurationCounts;
}

/** Adds calls to their hours, in one statement. Processes write the rows in the same order, so they cannot deadlock. */
export async function addSourceHours(db: Knex, hours: readonly (SourceHour & { readonly source: SourceName })[]): Promise<void> {
  await db.raw(
    `INSERT INTO source_hours AS counted (source, hour, calls, failed, durations)
     SELECT * FROM jsonb_to_recordset(?::jsonb) AS added (source text, hour timestamptz, calls int, failed int, durations int[]) ORDER BY 1, 2
     ON CONFLICT (source, hour) DO UPDATE SET calls = counted.calls + excluded.calls, failed = counted.failed + excluded.failed,
       durations = ARRAY(SELECT coalesce(a, 0) + coalesce(b, 0)
         FROM unnest(counted.durations, excluded.durations) WITH ORDINALITY AS class (a, b, n) ORDER BY n)`,
    [JSON.stringify(hours.map(({ hour, ...calls }) => ({ ...calls, hour: new Date(hour) })))],
  );
}

/** Reads the hours of a source with calls since a time (epoch ms), oldest first. */
export async function readSourceHours(db: Knex, source: SourceName, from: number): Promise<readonly SourceHour[]> {
  const rows: readonly (Omit<SourceHour, 'hour'> & { readonly hour: Date })[] = await db('source_hours')
    .where({ source })
    .where('hour', '>=', new Date(from))
    .orderBy('hour')
    .select('hour', 'calls', 'failed', 'durations');
  return rows.map(({ hour, ...calls }) => ({ ...calls, hour: hour.getTime() }));
}

/** Deletes the hours before a time (epoch ms). */
export const purgeSourceHours = (db: Knex, before: number): Promise<void> =>
  purgeOlder(db, { table: 'source_hours', column: 'hour', before: new Date(before) });
