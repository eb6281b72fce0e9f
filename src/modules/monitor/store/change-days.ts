import type { Knex } from 'knex';
import { purgeOlder } from '../../../db/batches.ts';
import { groupByQuery, type NumberedRow, queryTable } from '../../../db/paging.ts';
import { isoDate } from '../../../domain/time.ts';
import type { Change, ChangedField } from '../domain/change.ts';
import type { ChangeDay, DaysQuery } from '../domain/history.ts';

/**
 * Adds changes to the numbers of their days, in the transaction that appends them to the change log. Its writers wait for one another, so the
 * rows cannot be locked in different orders. A change that several monitors of a key report counts once.
 */
export async function countChangeDays(
  trx: Knex,
  changes: readonly Pick<Change, 'keyId' | 'observationId' | 'fields' | 'detectedAt'>[],
): Promise<void> {
  const counts = new Map<string, { readonly keyId: string; readonly day: string; readonly field: ChangedField; changes: number }>();
  const seen = new Set<string>();
  for (const { keyId, observationId, fields, detectedAt } of changes) {
    const observation = `${keyId} ${observationId}`;
    if (seen.has(observation)) continue;
    seen.add(observation);
    const day = isoDate(detectedAt);
    for (const { field } of fields) {
      const count = counts.get(`${keyId} ${day} ${field}`);
      if (count) count.changes += 1;
      else counts.set(`${keyId} ${day} ${field}`, { keyId, day, field, changes: 1 });
    }
  }
  await trx.raw(
    `INSERT INTO change_days AS counted (key_id, day, field, changes)
     SELECT "keyId", day, field, changes FROM jsonb_to_recordset(?::jsonb) AS added ("keyId" uuid, day date, field text, changes int)
     ON CONFLICT (key_id, day, field) DO UPDATE SET changes = counted.changes + excluded.changes`,
    [JSON.stringify([...counts.values()])],
  );
}

/** Reads the numbers of changes of a key since a day, by day and field. */
export async function readChangeDays(db: Knex, queries: readonly DaysQuery[]): Promise<readonly (readonly ChangeDay[])[]> {
  const { rows } = await db.raw(
    `SELECT query.n, to_char(d.day, 'YYYY-MM-DD') AS day, d.field, d.changes
     FROM ${queryTable({ keyId: 'uuid', from: 'date' })} JOIN change_days d ON d.key_id = query."keyId" AND d.day >= query."from"
     ORDER BY d.day, d.field`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<ChangeDay & NumberedRow>(rows, queries.length).map((group) =>
    group.map(({ day, field, changes }) => ({ day, field, changes })),
  );
}

/** Deletes the numbers of changes of days before `day` (`2026-11-30`). */
export const purgeChangeDays = (db: Knex, day: string): Promise<void> =>
  purgeOlder(db, { table: 'change_days', column: 'day', before: day });
