import type { Knex } from 'knex';
import type { Caller } from '../../context.ts';
import { MODULES, type ModuleName } from '../../domain/catalogue.ts';
import type { PlanOf } from '../../domain/plan.ts';
import { firstDay } from '../../domain/time.ts';
import { type ModuleUsage, usageUnder } from '../../domain/usage.ts';

/** Primary key of a counter. */
export interface CounterKey {
  readonly keyId: string;
  readonly module: string;
  readonly month: string;
}

/** A counter that differs from the sum of its usage records. */
export interface WrongCounter extends CounterKey {
  readonly counted: number;
  /** Sum of the usage records. */
  readonly recorded: number;
}

/** Reads the counted answers of a month, by key id and module; of all keys if `keyIds` is undefined. */
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

/** Reads a key's usage of a month by module, priced by its current plan. */
export async function usageOf(
  db: Knex,
  planOf: PlanOf,
  { keyId, plan, modules }: Pick<Caller, 'keyId' | 'plan' | 'modules'>,
  month: string,
): Promise<readonly ModuleUsage[]> {
  const used = await usedInMonth(db, month, [keyId]);
  return usageUnder(planOf(plan), modules, used.get(keyId) ?? new Map());
}

/** Finds the counters of these months that differ from the sum of their usage records. */
export async function wrongCounters(db: Knex, months: readonly string[]): Promise<readonly WrongCounter[]> {
  const { rows } = await db.raw(
    `SELECT key_id, module, to_char(month, 'YYYY-MM') AS month, coalesce(used, 0)::int8 AS counted, coalesce(recorded, 0)::int8 AS recorded
     FROM (SELECT key_id, module, month, sum(quantity) AS recorded FROM usage_events WHERE month = ANY(?::date[]) GROUP BY 1, 2, 3) AS event
     FULL JOIN (SELECT * FROM usage_counters WHERE month = ANY(?::date[])) AS counter USING (key_id, module, month)
     WHERE coalesce(used, 0) <> coalesce(recorded, 0) ORDER BY 1, 2, 3`,
    [months.map(firstDay), months.map(firstDay)],
  );
  return rows.map(({ key_id, module, month, counted, recorded }: Record<string, string>) => ({
    keyId: key_id,
    module,
    month,
    counted: Number(counted),
    recorded: Number(recorded),
  }));
}

/** Sets a counter to the sum of its usage records. It locks the counter: concurrent writers wait and add to the corrected value. */
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
      .update({ used: trx('usage_events').where(counter).select(trx.raw('coalesce(sum(quantity), 0)')) });
  });
}
