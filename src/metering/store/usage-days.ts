import type { Knex } from 'knex';
import { MODULES, type ModuleName } from '../../domain/catalogue.ts';
import { firstDay } from '../../domain/time.ts';
import type { UsageDay } from '../../domain/usage.ts';

/** Reads the counted answers of a key since a day (ISO date, UTC), by day and module, oldest first. */
export async function usedByDay(db: Knex, keyId: string, from: string): Promise<readonly UsageDay[]> {
  const { rows } = await db.raw(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, module, used FROM usage_days WHERE key_id = ? AND day >= ? AND used > 0 ORDER BY 1, 2`,
    [keyId, from],
  );
  return rows.flatMap(({ day, module, used }: { readonly day: string; readonly module: string; readonly used: string }) => {
    const known: ModuleName | undefined = MODULES.find((one) => one === module);
    return known ? [{ day, module: known, used: Number(used) }] : [];
  });
}

/**
 * Sets the sums by day that differ from their usage records, of one month. A process of the release before writes records without them. A day
 * is computed again under the lock of its counter, for which concurrent writers wait.
 * @returns number of corrected sums
 */
export async function repairDays(db: Knex, month: string): Promise<number> {
  const { rows } = await db.raw(
    `SELECT key_id, module, to_char(day, 'YYYY-MM-DD') AS day
     FROM (SELECT key_id, module, (at AT TIME ZONE 'UTC')::date AS day, sum(quantity) AS recorded
           FROM usage_events WHERE month = ? GROUP BY 1, 2, 3) AS event
       FULL JOIN (SELECT * FROM usage_days WHERE day >= ?::date AND day < ?::date + interval '1 month') AS counted USING (key_id, module, day)
     WHERE coalesce(used, 0) <> coalesce(recorded, 0) ORDER BY 1, 2, 3`,
    [firstDay(month), firstDay(month), firstDay(month)],
  );
  for (const wrong of rows) await repairDay(db, { ...wrong, month: firstDay(month) });
  return rows.length;
}

interface WrongDay {
  readonly key_id: string;
  readonly module: string;
  readonly month: string;
  readonly day: string;
}

async function repairDay(db: Knex, { key_id, module, month, day }: WrongDay): Promise<void> {
  await db.transaction(async (trx) => {
    await trx('usage_counters').where({ key_id, module, month }).forUpdate().first();
    await trx.raw(
      `INSERT INTO usage_days (key_id, day, module, used)
       SELECT :key_id, :day, :module, coalesce(sum(quantity), 0) FROM usage_events
       WHERE month = :month AND key_id = :key_id AND module = :module AND (at AT TIME ZONE 'UTC')::date = :day
       ON CONFLICT (key_id, day, module) DO UPDATE SET used = excluded.used`,
      { key_id, module, month, day },
    );
  });
}
