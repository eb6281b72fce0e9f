/**
 * Terminology of metering/:
 * - Plan: what a key may use and at which price: included answers, overage price and rate limit a module, cost limit for GraphQL.
 * - Ask: the only way from GraphQL and REST to a loader. Checks module and rate limit, loads, and records usage (`ask.ts`).
 * - requireModule: the check that a caller's key has a module.
 * - Rate limit: how many requests a minute a key may send to a module. A token bucket: `burst` tokens, refilled at `perMinute`.
 * - RateLimitScope: the rate limits of one request, which takes one token a module.
 * - Points: the cost of a GraphQL operation, spent from a token bucket too.
 * - Usage record: one answer that counts towards the bill. It is stored before the answer is sent.
 * - UsageBatcher: groups the usage records of concurrent requests into one statement.
 * - Counter: the number of usage records of a key, module and month, kept beside the records.
 * - Overage: answers beyond those that the plan includes.
 * - Idempotency-Key: header under which repeated requests get the first response for 24 hours, and are billed once.
 * - Claim: the id that all attempts under one Idempotency-Key share, so that their usage records are the same.
 */
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Caller, RequestContext } from '../context.ts';
import { createDb, urlOf } from '../db/knex.ts';
import { createSealer } from '../db/sealer.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';
import { createReader, type Loaders, type ScopeOptions } from '../loaders/loader.ts';
import type { Open } from '../service.ts';
import { createAsk } from './ask.ts';
import { createIdempotency, type Idempotency } from './idempotency-keys.ts';
import { createPlans, type GivenPlans, limitsOf, type PlanOf } from './plans.ts';
import { createRateLimiter, createRateLimitScope, type RateLimiter, requireAction } from './rate-limit.ts';
import { createUsageBatcher, insertUsage, type UsageBatcher, usageOf, usageRecordOf } from './usage-records.ts';

/** Plans, rate limits, usage and idempotency of this process. */
export interface Metering {
  readonly planOf: PlanOf;
  readonly rateLimiter: RateLimiter;
  readonly usage: UsageBatcher;
  readonly idempotency: Idempotency;
  close(): Promise<void>;
}

export interface MeteringDeps {
  readonly db: Knex;
  readonly now: Clock;
  readonly log: Logger;
  readonly plans: GivenPlans;
  readonly redisUrl: string | undefined;
  /** Encrypts the responses that are stored under an Idempotency-Key. */
  readonly keySecret: string;
}

/** Below the deadline of a usage record (1.5 s), after which nobody waits for the statement. */
const USAGE_STATEMENT_MS = SECOND_MS;

/** Usage is written over a pool of its own, so a write that hangs takes no connection from readers. */
export function createMetering({ db, now, log, plans, redisUrl, keySecret }: MeteringDeps): Metering {
  const usageDb = createDb(urlOf(db), { log, poolMax: 2, statementTimeoutMs: USAGE_STATEMENT_MS });
  const rateLimiter = createRateLimiter({ now, log, redisUrl });
  return {
    planOf: createPlans(plans),
    rateLimiter,
    usage: createUsageBatcher({ write: (records) => insertUsage(usageDb, records), log }),
    idempotency: createIdempotency({ db, now, sealer: createSealer(keySecret, 'quipu idempotency') }),
    async close() {
      await rateLimiter.close();
      await usageDb.destroy();
    },
  };
}

export interface ContextOptions extends ScopeOptions {
  /** Epoch ms at which the request began; now where left out. */
  readonly startedAt?: number;
  /** The claim of the request's Idempotency-Key. */
  readonly claim?: string;
}

/** Makes the context of one request, or of one event of a subscription, with DataLoaders of its own. */
export type ContextFor = (caller: Caller, requestId: string, options?: ContextOptions) => RequestContext;

export interface ContextDeps extends Pick<RequestContext, 'sources' | 'now'> {
  readonly loaders: Loaders;
  readonly open: Open;
  readonly db: Knex;
  readonly planOf: PlanOf;
  readonly rateLimiter: Pick<RateLimiter, 'take' | 'takeAction'>;
  readonly usage: UsageBatcher;
}

/** A new signal for each context, so that its listeners are collected together with the context. */
const neverAborted = (): AbortSignal => new AbortController().signal;

export const createContextFor =
  ({ loaders, open, db, sources, now, planOf, rateLimiter, usage }: ContextDeps): ContextFor =>
  (caller, requestId, { since, startedAt = now(), claim, signal = neverAborted() } = {}) => {
    const { keyId, modules, plan } = caller;
    const terms = planOf(plan);
    const limits = limitsOf(terms, modules);
    const rateLimits = createRateLimitScope(limits, (limit) => rateLimiter.take(keyId, limit));
    return {
      requestId,
      signal,
      startedAt,
      caller,
      ...createAsk(caller, {
        load: loaders.scope({ since, signal }),
        read: createReader(db),
        open,
        checkRateLimit: rateLimits.check,
        recordUsage: (module, loadKey) => usage.record(usageRecordOf({ keyId, requestId, startedAt, claim }, module, loadKey)),
      }),
      limits,
      watch: terms.watch,
      limitAction: (action) => requireAction(rateLimiter, keyId, action),
      rateLimits: rateLimits.statuses,
      usage: (month) => usageOf(db, planOf, caller, month),
      sources,
      now,
    };
  };
