import type { Knex } from 'knex';
import type { Caller } from '../context.ts';
import { MODULES, type ModuleName } from '../domain/catalogue.ts';
import { type ModuleUsage, usageUnder } from '../domain/usage.ts';
import type { PlanOf } from './plans.ts';

/** One answer that counts. */
export interface UsageRecord {
  readonly id: string;
  readonly keyId: string;
  readonly module: ModuleName;
  /** `2026-11` */
  readonly month: string;
  /** Epoch ms at which the request began. */
  readonly at: number;
  readonly requestId: string;
  /** SHA-256, hexadecimal. */
  readonly questionHash: string;
}

/** Primary key of a counter. */
export interface CounterKey {
  readonly keyId: string;
  readonly module: string;
  readonly month: string;
}

/** A counter that differs from the number of its usage records. */
export interface WrongCounter extends CounterKey {
  readonly counted: number;
  /** Usage records. */
  readonly rows: number;
}

/**
 * Inserts usage records and adds the new ones to the counters, in one statement; a record whose id is stored already is skipped.
 * Both tables are written in the order of their keys, so concurrent writers cannot deadlock. The array literals are built here,
 * because the driver takes longer to escape each text.
 */
export async function insertUsage(db: Knex, records: readonly UsageRecord[]): Promise<void> {
  const sorted = records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const arrayOf = (textOf: (record: UsageRecord) => string): string => `{"${sorted.map(textOf).join('","')}"}`; // no value contains a quote
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

/** Key id → module → answers counted in a month; of all keys when `keyIds` is left out. */
export async function usedInMonth(
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

/** A key's usage of a month by module, priced by its current plan. */
export async function usageOf(
  db: Knex,
  planOf: PlanOf,
  { keyId, plan, modules }: Pick<Caller, 'keyId' | 'plan' | 'modules'>,
  month: string,
): Promise<readonly ModuleUsage[]> {
  const used = await usedInMonth(db, month, [keyId]);
  return usageUnder(planOf(plan), modules, used.get(keyId) ?? new Map());
}

/** Counters of these months that differ from the number of their usage records. */
export async function wrongCounters(db: Knex, months: readonly string[]): Promise<readonly WrongCounter[]> {
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

/** Sets a counter to the number of its usage records. Locks the counter: concurrent writers wait and add to the corrected value. */
export async function repairCounter(db: Knex, { keyId, module, month }: CounterKey): Promise<void> {
  const counter = { key_id: keyId, module, month: firstDay(month) };
  await db.transaction(async (trx) => {
    await trx('usage_counters')
      .insert({ ...counter, used: 0 })
      .onConflict()
      .ignore();
    await trx('usage_counters').where(counter).forUpdate().first();
    await trx('usage_counters')
      .where(counter)
      .update({ used: trx('usage_events').where(counter).count() });
  });
}

/** Usage records that one statement deletes. */
const PURGE_ROWS = 5_000;

/** Deletes the usage records of the months before `month` (`2026-11`), in batches. Counters stay. */
export async function purgeUsage(db: Knex, month: string): Promise<void> {
  for (let purged = PURGE_ROWS; purged === PURGE_ROWS; ) {
    const { rowCount } = await db.raw(
      'DELETE FROM usage_events WHERE ctid = ANY(ARRAY(SELECT ctid FROM usage_events WHERE month < ?::date LIMIT ?))',
      [firstDay(month), PURGE_ROWS],
    );
    purged = rowCount;
  }
}

const firstDay = (month: string): string => `${month}-01`;
