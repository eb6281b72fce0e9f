import type { Knex } from 'knex';
import type { Caller } from '../context.ts';
import { type ModuleUsage, usageUnder } from '../domain/usage.ts';
import type { PlanOf } from './plans.ts';
import { usedIn } from './usage-store.ts';

/** What a key used in a month, and what that comes to under its plan of today. */
export async function usageOf(
  db: Knex,
  planOf: PlanOf,
  { keyId, plan, modules }: Pick<Caller, 'keyId' | 'plan' | 'modules'>,
  month: string,
): Promise<readonly ModuleUsage[]> {
  const used = await usedIn(db, month, [keyId]);
  return usageUnder(planOf(plan), modules, used.get(keyId) ?? new Map());
}
