/**
 * Terminology of metering/:
 * - Plan: what a key may use and at which price: included answers, overage price and rate limit a module, cost limit for GraphQL.
 * - Ask: the only way from GraphQL and REST to a loader. Checks module and rate limit, loads, and records usage (`ask.ts`).
 * - requireModule: the check that a caller's key has a module.
 * - Rate limit: how many requests a minute a key may send to a module. A token bucket: `burst` tokens, refilled at `perMinute`.
 * - RateLimitScope: the rate limits of one request, which takes one token a module.
 * - Points: the cost of a GraphQL operation, spent from a token bucket too.
 * - Usage record: answers of a module that a request counts at once, with their quantity. It is stored before the answers are sent.
 * - UsageBatcher: groups the usage records of concurrent requests into one statement.
 * - Execution: the work for a GraphQL operation, an event of a subscription or a REST request. It runs in a slot; others of the key wait.
 * - Counter: the sum of the usage records of a key, module and month, kept beside the records.
 * - Overage: answers beyond those that the plan includes.
 * - Idempotency-Key: header under which repeated requests get the first response for 24 hours, and are billed once.
 * - Claim: the id that all attempts under one Idempotency-Key share, so that their usage records are the same.
 */
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Caller, RequestContext } from '../context.ts';
import { withinLifetime } from '../db/change.ts';
import { type DatabaseWatch, poolBeside } from '../db/knex.ts';
import { createSealer } from '../db/sealer.ts';
import { keepByParts } from '../domain/answer.ts';
import { MODULES, type ModuleName } from '../domain/catalogue.ts';
import { AppError, isOutOfTime } from '../domain/errors.ts';
import type { CostTerms, GivenPlan, GivenPlans, ModuleLimit, ModuleTerms, Plan, PlanOf, WatchTerms } from '../domain/plan.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';
import type { ModuleUsage } from '../domain/usage.ts';
import type { Loaders, ScopeOptions } from '../loaders/loader.ts';
import type { Rows } from '../loaders/rows.ts';
import { FairSlots, type Full, NoSlot, type RunOptions } from '../scheduling/fair-slots.ts';
import { RequestSlices } from '../scheduling/slices.ts';
import type { Open } from '../service.ts';
import { createAsk, type RequestUses } from './ask.ts';
import { createIdempotency, type Idempotency } from './idempotency-keys.ts';
import { createRateLimiter, createRateLimitScope, type RateLimiter, requireAction } from './rate-limit.ts';
import { usageOf } from './store/usage-counters.ts';
import { insertUsage, voidUsage } from './store/usage-records.ts';
import { createUsageBatcher, notRecorded, type UsageBatcher } from './usage-batcher.ts';
import { type Claim, createRequestUsage } from './usage-records.ts';
import { type Patience, USAGE_STATEMENT_MS } from './usage-times.ts';

/** Plans, executions, rate limits, usage and idempotency of this process. */
export interface Metering {
  readonly planOf: PlanOf;
  readonly executions: Executions;
  readonly rateLimiter: RateLimiter;
  readonly usage: UsageBatcher;
  /** A key's usage of a month, such as `2026-11`. */
  readonly usageOf: (caller: Caller, month: string) => Promise<readonly ModuleUsage[]>;
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
}

export interface ExecutionLimits {
  /** Maximum number of concurrent executions of a key. The same number may wait. */
  readonly perKey: number;
  /** Maximum number of concurrent executions of all keys. The same number may wait. */
  readonly inAll: number;
}

/** Runs executions within the limits per key and in total. Further ones wait in a short queue. */
export interface Executions {
  /**
   * Runs `work` immediately or after waiting.
   * @throws AppError RATE_LIMITED when the key has too many, SERVICE_UNAVAILABLE when all keys together have; the reason of the signal
   */
  run<T>(keyId: string, work: () => Promise<T>, options?: RunOptions): Promise<T>;
  /** Returns the error with which `run` would refuse work of this key now, before the body is read; else null. */
  refusal(keyId: string): AppError | null;
  /** Returns the error for all requests while this process is overloaded and full, except by works of keys beyond their share. */
  overload(): AppError | null;
}

/** Maximum wait of an execution. A later answer would be too late. */
const MAX_WAIT_MS = SECOND_MS;
/** Maximum wait once the queue has not been empty for BACKLOG_MS, because load then exceeds capacity (CoDel). */
const MAX_BACKLOG_WAIT_MS = 50;
const BACKLOG_MS = 500;

/** @param share share of the limits that applies now, 0 to 1. Below 1 the process is overloaded, and nothing waits */
export function createExecutions({ perKey, inAll }: ExecutionLimits, share: () => number): Executions {
  const slotsInAll = () => Math.max(1, Math.round(inAll * share()));
  let waitingSince = 0;
  const slots = new FairSlots({
    slots: slotsInAll,
    slotsPerOwner: () => Math.max(1, Math.round(perKey * share())),
    waiting: () => (share() < 1 ? 0 : inAll),
    waitingPerOwner: perKey,
    waitLimit() {
      const now = performance.now();
      if (slots.waiting === 0) waitingSince = now;
      return AbortSignal.timeout(now - waitingSince > BACKLOG_MS ? MAX_BACKLOG_WAIT_MS : MAX_WAIT_MS);
    },
  });
  return {
    run: (keyId, work, options) =>
      slots.run(keyId, work, options).catch((error: unknown) => {
        throw error instanceof NoSlot ? tooManyExecutions(error.full) : error;
      }),
    refusal(keyId) {
      const full = slots.refusal(keyId);
      return full && tooManyExecutions(full);
    },
    overload: () => (share() < 1 && slots.isFull ? OVERLOADED : null),
  };
}

const tooManyExecutions = (full: Full): AppError =>
  full === 'owner'
    ? new AppError('RATE_LIMITED', 'This key has too many requests in progress; wait for some of their answers.', { retryAfterSeconds: 1 })
    : OVERLOADED;

/** Shared error object, because thousands of requests may be refused per second. */
const OVERLOADED = new AppError('SERVICE_UNAVAILABLE', 'Too many requests are in progress here; try again in a moment.', {
  retryAfterSeconds: 2,
});

/** Usage is written over a separate pool, so that a write that hangs takes no connection from readers. */
export function createMetering({ db, now, log, plans, redisUrl, keySecret, ...deps }: MeteringDeps): Metering {
  const usageDb = poolBeside(db, { log, poolMax: 2, statementTimeoutMs: USAGE_STATEMENT_MS * (deps.patience ?? 1) });
  const rateLimiter = createRateLimiter({ now, log, redisUrl });
  const planOf = createPlans(plans);
  const usage = createUsageBatcher({
    write: (records) => insertUsage(usageDb, records),
    undo: (records) => voidUsage(usageDb, records),
    log,
    patience: deps.patience,
  });
  return {
    planOf,
    usageOf: (caller, month) => usageOf(db, planOf, caller, month),
    executions: createExecutions(deps.executionLimits, deps.executionShare),
    rateLimiter,
    usage,
    idempotency: createIdempotency({ db, now, sealer: createSealer(keySecret, 'quipu idempotency') }),
    async close() {
      usage.close();
      await rateLimiter.close();
      await usageDb.destroy();
    },
  };
}

/** Wraps metering to refuse requests, also those that have begun, with SERVICE_UNAVAILABLE while the database is unavailable. */
export function whileAvailable(metering: Metering, database: Pick<DatabaseWatch<unknown>, 'whileAvailable'>): Metering {
  const { executions, idempotency } = metering;
  return {
    ...metering,
    executions: {
      ...executions,
      run(keyId, work, options) {
        const run = () => executions.run(keyId, work, options);
        return options?.mustWait ? run() : database.whileAvailable(run); // an event of a subscription must not be lost
      },
    },
    idempotency: { ...idempotency, begin: (key, bodyHash) => database.whileAvailable(() => idempotency.begin(key, bodyHash)) },
  };
}

export interface ContextOptions extends Omit<ScopeOptions, 'caller' | 'slices'> {
  /** Epoch ms at which the request began; the current time if undefined. */
  readonly startedAt?: number;
  /** Claim of the request's Idempotency-Key. */
  readonly claim?: Claim;
}

/** Creates the context of one request, or of one event of a subscription, with DataLoaders of its own. */
export type ContextFor = (caller: Caller, requestId: string, options?: ContextOptions) => RequestContext;

export interface ContextDeps extends Pick<RequestContext, 'sources' | 'now'> {
  readonly loaders: Loaders;
  readonly open: Open;
  /** Rows over the pool for everything except keys and metering. */
  readonly rows: Pick<Rows, 'reader'>;
  readonly planOf: PlanOf;
  readonly executions: Pick<Executions, 'run'>;
  readonly rateLimiter: Pick<RateLimiter, 'take' | 'takeAction' | 'refusals'>;
  readonly usage: Pick<UsageBatcher, 'record' | 'voidRecords'>;
  readonly usageOf: Metering['usageOf'];
}

/** Limits of a caller object, which requests share. They are computed once. */
const limitsOfCaller = keepByParts(({ modules }: Caller, plan: Plan) => limitsOf(plan, modules));

/** Returns a new signal for each context, so that its listeners are collected together with the context. */
const neverAborted = (): AbortSignal => new AbortController().signal;

export const createContextFor =
  ({ loaders, open, rows, sources, now, planOf, executions, rateLimiter, usage, usageOf }: ContextDeps): ContextFor =>
  (caller, requestId, { since, startedAt = now(), claim, signal = neverAborted() } = {}) => {
    const { keyId, plan } = caller;
    const terms = planOf(plan);
    const limits = limitsOfCaller(caller, terms);
    /** Usage of this request. It is not billed when the answer is SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED, even if it is written later. */
    const ownUsage = createRequestUsage({ keyId, requestId, startedAt, claim }, usage);
    function recordUsage(module: ModuleName, loadKey: string): void {
      if (isOutOfTime(signal)) throw notRecorded();
      ownUsage.count(module, loadKey);
    }
    function refuse(error: unknown): never {
      if (error instanceof AppError && (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED')) {
        ownUsage.refuse();
        uses.counted.clear();
      }
      throw error;
    }
    const slices = new RequestSlices();
    const uses: RequestUses = { modules: new Set(), counted: new Map(), hasOpened: false };
    const rateLimits = createRateLimitScope(limits, (limit) => rateLimiter.take(keyId, limit));
    return {
      requestId,
      signal,
      startedAt,
      caller,
      execute: (work, options) =>
        executions.run(keyId, () => withinLifetime(signal, () => ownUsage.writtenAfter(work)), { signal, ...options }).catch(refuse),
      ...createAsk(caller, {
        load: loaders.scope({ caller: keyId, since, signal, slices }),
        uses,
        read: rows.reader(slices),
        open,
        checkRateLimit: rateLimits.check,
        recordUsage,
      }),
      uses,
      usageWritten: ownUsage.written,
      slices,
      limits,
      watch: terms.watch,
      limitAction: (action) => requireAction(rateLimiter, keyId, action),
      rateLimits: rateLimits.statuses,
      refusals: () => rateLimiter.refusals(keyId),
      usage: (month) => usageOf(caller, month),
      sources,
      now,
    };
  };

/* Plans. */

export const STANDARD = 'standard';

/** Terms without a price or a limit. Usage is recorded. */
const UNLIMITED: ModuleTerms = { included: null, overagePrice: null, rate: null };

/** Cost terms of the standard plan. The ceiling admits 500 companies with every check in one operation, but not 1,000. */
const GRAPHQL: CostTerms = { ceiling: 10_000, perMinute: 60_000, burst: 50_000 };

const WATCH: WatchTerms = { monitors: 100, companies: 500 };

const standard: Plan = {
  graphql: GRAPHQL,
  watch: WATCH,
  ...(Object.fromEntries(MODULES.map((module) => [module, UNLIMITED])) as Record<ModuleName, ModuleTerms>),
  compliance_br: { included: 500, overagePrice: '0.30', rate: { perMinute: 60, burst: 20 } },
};

/** Returns the plan by name: the standard plan or a given one. A key whose plan no longer exists gets the standard plan. */
export function createPlans(given: GivenPlans = {}): PlanOf {
  const base = withChanges(standard, given[STANDARD]);
  const plans = new Map(Object.entries(given).map(([name, changes]) => [name, withChanges(base, changes)]));
  return (name) => plans.get(name) ?? base;
}

/** Returns the plan's rate limits for these modules. */
export const limitsOf = (plan: Plan, modules: ReadonlySet<ModuleName>): readonly ModuleLimit[] =>
  MODULES.flatMap((module) => {
    const { rate } = plan[module];
    return rate && modules.has(module) ? [{ module, ...rate }] : [];
  });

const withChanges = (plan: Plan, changes: GivenPlan = {}): Plan => ({
  ...(Object.fromEntries(MODULES.map((module) => [module, { ...plan[module], ...changes[module] }])) as Record<ModuleName, ModuleTerms>),
  graphql: { ...plan.graphql, ...changes.graphql },
  watch: { ...plan.watch, ...changes.watch },
});
