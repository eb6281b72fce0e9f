import type { Knex } from 'knex';
import { MODULES, type ModuleName } from '../domain/modules.ts';

/** One answer that counts. */
export interface Use {
  readonly id: string;
  readonly keyId: string;
  readonly module: ModuleName;
  /** `2026-11` */
  readonly month: string;
  /** Epoch ms of the request's beginning. */
  readonly at: number;
  readonly requestId: string;
  /** SHA-256, hexadecimal. */
  readonly questionHash: string;
}

/** A counter's place. */
export interface Counter {
  readonly keyId: string;
  readonly module: string;
  readonly month: string;
}

/** A counter that does not say what the rows say. */
export interface Difference extends Counter {
  readonly counted: number;
  readonly rows: number;
}

/**
 * Writes them down, once each, and adds to the counters what was new; all of it or nothing. Both are visited in order, so that
 * writers wait for each other in one direction only. Arrays are written here and not by the driver, which takes longer over each text.
 */
export async function recordUses(db: Knex, uses: readonly Use[]): Promise<void> {
  const sorted = uses.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const arrayOf = (textOf: (use: Use) => string): string => `{"${sorted.map(textOf).join('","')}"}`; // none of them holds a quote
  await db.raw(
    `WITH new AS (
       INSERT INTO usage_events (id, key_id, module, month, at, request_id, question_hash)
       SELECT id, key_id, module, month, at, request_id, decode(hash, 'hex')
       FROM unnest(?::uuid[], ?::uuid[], ?::text[], ?::date[], ?::timestamptz[], ?::text[], ?::text[])
         AS use (id, key_id, module, month, at, request_id, hash)
       ON CONFLICT (id) DO NOTHING
       RETURNING key_id, module, month
     )
     INSERT INTO usage_counters AS counter (key_id, module, month, used)
     SELECT key_id, module, month, count(*) FROM new GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (key_id, module, month) DO UPDATE SET used = counter.used + excluded.used`,
    [
      arrayOf(({ id }) => id),
      arrayOf(({ keyId }) => keyId),
      arrayOf(({ module }) => module),
      arrayOf(({ month }) => firstDay(month)),
      arrayOf(({ at }) => new Date(at).toISOString()),
      arrayOf(({ requestId }) => requestId),
      arrayOf(({ questionHash }) => questionHash),
    ],
  );
}

/** Key id → module → answers counted in a month; of all keys where none is named. */
export async function usedIn(
  db: Knex,
  month: string,
  keyIds?: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<ModuleName, number>>> {
  const rows: readonly { key_id: string; module: string; used: string }[] = await db('usage_counters')
    .where({ month: firstDay(month) })
    .modify((query) => keyIds && query.whereIn('key_id', keyIds));
  const byKey = new Map<string, Map<ModuleName, number>>();
  for (const { key_id, module, used } of rows) {
    const known = MODULES.find((one) => one === module);
    if (known) byKey.set(key_id, (byKey.get(key_id) ?? new Map()).set(known, Number(used)));
  }
  return byKey;
}

/** Counters of these months that differ from the number of their rows. */
export async function differences(db: Knex, months: readonly string[]): Promise<readonly Difference[]> {
  const { rows } = await db.raw(
    `SELECT key_id, module, to_char(month, 'YYYY-MM') AS month, coalesce(used, 0)::int8 AS counted, coalesce(rows, 0)::int8 AS rows
     FROM (SELECT key_id, module, month, count(*) AS rows FROM usage_events WHERE month = ANY(?::date[]) GROUP BY 1, 2, 3) AS event
     FULL JOIN (SELECT * FROM usage_counters WHERE month = ANY(?::date[])) AS counter USING (key_id, module, month)
     WHERE coalesce(used, 0) <> coalesce(rows, 0) ORDER BY 1, 2, 3`,
    [months.map(firstDay), months.map(firstDay)],
  );
  return rows.map(({ key_id, module, month, counted, rows }: Record<string, string>) => ({
    keyId: key_id,
    module,
    month,
    counted: Number(counted),
    rows: Number(rows),
  }));
}

/** Sets a counter to the number of its rows. Writers under way wait, and then add to what is right. */
export async function repair(db: Knex, { keyId, module, month }: Counter): Promise<void> {
  const place = { key_id: keyId, module, month: firstDay(month) };
  await db.transaction(async (trx) => {
    await trx('usage_counters')
      .insert({ ...place, used: 0 })
      .onConflict()
      .ignore();
    await trx('usage_counters').where(place).forUpdate().first();
    await trx('usage_counters')
      .where(place)
      .update({ used: trx('usage_events').where(place).count() });
  });
}

const firstDay = (month: string): string => `${month}-01`;
