import type { Logger } from 'pino';
import type { ModuleName } from '../domain/catalogue.ts';
import { AppError } from '../domain/errors.ts';
import type { LimitedAction, ModuleLimit, Rate, RateLimitStatus } from '../domain/plan.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';
import { MemoryTokenBuckets, RedisTokenBuckets, type TokenBuckets } from './token-bucket.ts';

export interface RateLimiterDeps {
  readonly now: Clock;
  readonly log: Logger;
  /** Without it each process limits for itself. */
  readonly redisUrl?: string;
}

/** Result of a request's check against a module's rate limit. */
export interface RateLimitDecision extends RateLimitStatus {
  readonly allowed: boolean;
}

/** Result of spending points of GraphQL cost. */
export interface SpendDecision {
  readonly allowed: boolean;
  /** Points left in the bucket after this operation; when refused, the points that it held. */
  readonly remaining: number;
}

/** Limits by API key: requests a module, and points of GraphQL cost. Never rejects: when Redis fails, this process decides alone. */
export interface RateLimiter {
  /** Takes one token from the key's bucket for the module, if there is one. */
  take(keyId: string, limit: ModuleLimit): Promise<RateLimitDecision>;
  /** Takes `points` tokens from the key's bucket for GraphQL cost, if it holds as many. */
  spend(keyId: string, rate: Rate, points: number): Promise<SpendDecision>;
  /** Takes one token from the key's bucket for an action that has a rate of its own. */
  takeAction(keyId: string, action: LimitedAction): Promise<ActionDecision>;
  close(): Promise<void>;
}

/** Whether an action is admitted, and the ms until it would be. */
export interface ActionDecision {
  readonly allowed: boolean;
  readonly nextMs: number;
}

export function createRateLimiter({ now, log, redisUrl }: RateLimiterDeps): RateLimiter {
  const memory = new MemoryTokenBuckets(now);
  const buckets: TokenBuckets = redisUrl === undefined ? memory : new RedisTokenBuckets(redisUrl, memory, log);
  return {
    async take(keyId, limit) {
      return { ...limit, ...(await buckets.take(`${limit.module}:${keyId}`, limit, 1)) };
    },
    async spend(keyId, rate, points) {
      const { allowed, remaining } = await buckets.take(`graphql:${keyId}`, rate, points);
      return { allowed, remaining };
    },
    takeAction: (keyId, { name, rate }) => buckets.take(`${name}:${keyId}`, rate, 1),
    close: () => buckets.close(),
  };
}

/** The rate limits of one request. */
export interface RateLimitScope {
  /**
   * Checks the module's limit. All checks of one tick settle together, those of modules without a limit included: if some settled at
   * once and the others after Redis answered, their loads would fall into two batches.
   * @throws AppError RATE_LIMITED
   */
  check(module: ModuleName): Promise<void>;
  /** State of the limits that this request was checked against. */
  statuses(): readonly RateLimitStatus[];
}

/** A request takes one token a module, however often it asks the module. Usage records count its single answers. */
export function createRateLimitScope(
  limits: readonly ModuleLimit[],
  take: (limit: ModuleLimit) => Promise<RateLimitDecision>,
): RateLimitScope {
  const decisions = new Map<ModuleName, Promise<RateLimitDecision>>();
  const statuses: RateLimitStatus[] = [];
  let tick: Promise<unknown> | null = null;

  async function decide(limit: ModuleLimit): Promise<RateLimitDecision> {
    const decision = await take(limit);
    statuses.push(decision);
    return decision;
  }

  async function endOfTick(): Promise<void> {
    await new Promise<void>((resolve) => void Promise.resolve().then(() => process.nextTick(resolve)));
    tick = null;
    await Promise.all(decisions.values());
  }

  return {
    async check(module) {
      if (limits.length === 0) return;
      const limit = limits.find((one) => one.module === module);
      if (limit && !decisions.has(module)) decisions.set(module, decide(limit));
      tick ??= endOfTick();
      await tick;
      const decision = await decisions.get(module);
      if (decision && !decision.allowed) throw rateLimited(decision);
    },
    statuses: () => statuses,
  };
}

/** @throws AppError RATE_LIMITED when the key's bucket for the action is empty */
export async function requireAction(rateLimiter: Pick<RateLimiter, 'takeAction'>, keyId: string, action: LimitedAction): Promise<void> {
  const { allowed, nextMs } = await rateLimiter.takeAction(keyId, action);
  if (allowed) return;
  const retryAfterSeconds = Math.ceil(nextMs / SECOND_MS);
  throw new AppError('RATE_LIMITED', `This key may do this ${action.rate.perMinute} times a minute; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
}

function rateLimited({ module, perMinute, nextMs }: RateLimitStatus): AppError {
  const retryAfterSeconds = Math.ceil(nextMs / SECOND_MS);
  return new AppError('RATE_LIMITED', `This key may ask ${module} ${perMinute} times a minute; try again in ${retryAfterSeconds} s.`, {
    module,
    retryAfterSeconds,
  });
}
