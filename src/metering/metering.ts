/**
 * Terminology of metering/:
 * - Plan: what a key may use and at which price: included answers, overage price and rate limit of each module, cost limit for GraphQL.
 * - Ask: the only way from GraphQL and REST to a loader. Checks module and rate limit, loads, and records usage (`ask.ts`).
 * - requireModule: the check that a caller's key has a module.
 * - Rate limit: how many requests a minute a key may send to a module. A token bucket: `burst` tokens, refilled at `perMinute`.
 * - RateLimitScope: the rate limits of one request, which takes one token of each module that it uses.
 * - Points: the cost of a GraphQL operation. They are taken from another token bucket of the key.
 * - Usage record: answers of a module that a request counts at once, with their quantity. It is durable before the answers are sent.
 * - UsageJournal: makes usage records durable in a file of the process; a drain writes them to the database within a second.
 * - Execution: the work for a GraphQL operation, an event of a subscription or a REST request. It runs in a slot, or waits for one.
 * - Counter: the sum of the usage records of a key, module and month, kept beside the records.
 * - Overage: answers beyond those that the plan includes.
 * - Idempotency-Key: header under which repeated requests get the first response for 24 hours, and are billed once.
 * - Claim: the id that all attempts under one Idempotency-Key share, so that their usage records are the same.
 */
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Caller } from '../context.ts';
import { poolBeside } from '../db/knex.ts';
import { asRequest } from '../db/request-connections.ts';
import { createSealer } from '../db/sealer.ts';
import type { DatabaseWatch } from '../db/watch.ts';
import type { GivenPlans, PlanOf } from '../domain/plan.ts';
import type { Clock } from '../domain/time.ts';
import type { ModuleUsage, UsageDay } from '../domain/usage.ts';
import { createExecutions, type ExecutionLimits, type Executions } from './executions.ts';
import { createIdempotency, type Idempotency } from './idempotency-keys.ts';
import { openProcessFolder } from './journal/folder.ts';
import { openUsageJournal, type UsageJournal } from './journal/journal.ts';
import { createPlans } from './plans.ts';
import { createRateLimiter, type RateLimiter } from './rate-limit.ts';
import { usageOf } from './store/usage-counters.ts';
import { usedByDay } from './store/usage-days.ts';
import { DRAIN_STATEMENT_MS, type Patience } from './usage-times.ts';

/** Plans, executions, rate limits, usage and idempotency of this process. */
export interface Metering {
  readonly planOf: PlanOf;
  readonly executions: Executions;
  readonly rateLimiter: RateLimiter;
  readonly usage: UsageJournal;
  /** A key's usage of a month, such as `2026-11`, with all answers of this process; those of other processes follow within a second. */
  readonly usageOf: (caller: Caller, month: string) => Promise<readonly ModuleUsage[]>;
  /** A key's usage by day since a day (ISO date, UTC), as up to date as `usageOf`. */
  readonly usageByDay: (caller: Caller, from: string) => Promise<readonly UsageDay[]>;
  readonly idempotency: Idempotency;
  close(): Promise<void>;
}

export interface MeteringDeps extends Patience {
  /** Pool of connections for keys and metering. */
  readonly db: Knex;
  readonly now: Clock;
  readonly log: Logger;
  readonly plans: GivenPlans;
  readonly executionLimits: ExecutionLimits;
  /** Returns the share of these limits that applies now, 0 to 1. */
  readonly executionShare: () => number;
  readonly redisUrl: string | undefined;
  /** Encrypts the responses that are stored under an Idempotency-Key. */
  readonly keySecret: string;
  /** Folder of the usage journals. */
  readonly usageDir: string;
}

/**
 * Usage is drained over a separate pool, so that a statement that hangs takes no connection from readers.
 * @throws Error of the file system when the folder of the journals cannot be used
 */
export async function createMetering({ db, now, log, plans, redisUrl, keySecret, usageDir, ...deps }: MeteringDeps): Promise<Metering> {
  const folder = await openProcessFolder(usageDir, keySecret);
  const usageDb = poolBeside(db, { log, poolMax: 1, statementTimeoutMs: DRAIN_STATEMENT_MS });
  const rateLimiter = createRateLimiter({ now, log, redisUrl });
  const planOf = createPlans(plans);
  const usage = await openUsageJournal({ folder, db: usageDb, log, patience: deps.patience });
  return {
    planOf,
    async usageOf(caller, month) {
      await usage.drain();
      return usageOf(db, planOf, caller, month);
    },
    async usageByDay({ keyId }, from) {
      await usage.drain();
      return usedByDay(db, keyId, from);
    },
    executions: createExecutions(deps.executionLimits, deps.executionShare),
    rateLimiter,
    usage,
    idempotency: createIdempotency({ db, now, sealer: createSealer(keySecret, 'quipu idempotency') }),
    async close() {
      await usage.close();
      await rateLimiter.close();
      await usageDb.destroy();
    },
  };
}

/**
 * Wraps metering so that no request waits for a database that does not respond. Executions go on: what they read from memory is answered, and
 * each of their statements fails. Usage and Idempotency-Keys are refused with SERVICE_UNAVAILABLE, also when the work has begun.
 */
export function withoutWaiting(metering: Metering, { whileAvailable }: Pick<DatabaseWatch<unknown>, 'whileAvailable'>): Metering {
  const { executions, idempotency, usageOf, usageByDay } = metering;
  return {
    ...metering,
    usageOf: (caller, month) => whileAvailable(() => usageOf(caller, month)),
    usageByDay: (caller, from) => whileAvailable(() => usageByDay(caller, from)),
    executions: {
      ...executions,
      // An event of a subscription must not be lost, so its statements wait.
      run: (keyId, work, options) => executions.run(keyId, options?.mustWait ? work : () => asRequest(work), options),
    },
    idempotency: { ...idempotency, begin: (key, bodyHash) => whileAvailable(() => idempotency.begin(key, bodyHash)) },
  };
}
