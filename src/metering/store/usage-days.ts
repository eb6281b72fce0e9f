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
 * Sets the sums by day that differ from their usage records, of one month. A process of the release before writes records without them. Only
 * keys and modules whose days do not add up to the counter of the month are compared with their records, because a month has millions of
 * records. A day is computed again under the lock of its counter, for which concurrent writers wait.
 * @returns number of corrected sums
 */
export async function repairDays(db: Knex, month: string): Promise<number> {
  const first = firstDay(month);
  const unequal = await keysWithUnequalDays(db, first);
  if (unequal.length === 0) return 0;
  const { rows } = await db.raw(
    `WITH unequal AS (SELECT * FROM jsonb_to_recordset(:unequal) AS u (key_id uuid, module text))
     SELECT key_id, module, to_char(day, 'YYYY-MM-DD') AS day
     FROM (SELECT key_id, module, (at AT TIME ZONE 'UTC')::date AS day, sum(quantity) AS recorded
           FROM usage_events JOIN unequal USING (key_id, module) WHERE month = :first GROUP BY 1, 2, 3) AS event
       FULL JOIN (SELECT d.* FROM usage_days d JOIN unequal USING (key_id, module) WHERE ${IN_MONTH}) AS counted
         USING (key_id, module, day)
     WHERE coalesce(used, 0) <> coalesce(recorded, 0) ORDER BY 1, 2, 3`,
    { first, unequal: JSON.stringify(unequal) },
  );
  for (const wrong of rows) await repairDay(db, { ...wrong, month: first });
  return rows.length;
}

/** SQL: true for a day of the month that begins at `:first`. */
const IN_MONTH = `day >= CAST(:first AS date) AND day < CAST(:first AS date) + interval '1 month'`;

/** Returns the keys and modules whose days of a month do not add up to their counter. It reads no usage records. */
async function keysWithUnequalDays(db: Knex, first: string): Promise<readonly { readonly key_id: string; readonly module: string }[]> {
  const { rows } = await db.raw(
    `SELECT key_id, module FROM (SELECT key_id, module, used AS counted FROM usage_counters WHERE month = :first) AS counter
       FULL JOIN (SELECT key_id, module, sum(used) AS added FROM usage_days WHERE ${IN_MONTH} GROUP BY 1, 2) AS days USING (key_id, module)
     WHERE coalesce(counted, 0) <> coalesce(added, 0)`,
    { first },
  );
  return rows;
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
