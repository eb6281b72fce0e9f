import type { Logger } from 'pino';
import { type Awaitable, whenKnown } from '../domain/answer.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import { AppError } from '../domain/errors.ts';
import type { LimitedAction, ModuleLimit, Rate, RateLimitStatus, Refusals } from '../domain/plan.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { requestMessages } from '../messages/requests.ts';
import { MemoryTokenBuckets, RedisTokenBuckets, type TakeResult, type TokenBuckets } from './token-buckets.ts';

export interface RateLimiterDeps {
  readonly now: Clock;
  readonly log: Logger;
  /** URL of Redis. Without it each process limits separately. */
  readonly redisUrl?: string;
}

/** Result of checking a request against a module's rate limit. */
export interface RateLimitDecision extends RateLimitStatus {
  readonly allowed: boolean;
}

/** Result of spending points of GraphQL cost. */
export interface SpendDecision {
  readonly allowed: boolean;
  /** Points left in the bucket after this operation; if it was refused, the points that the bucket had. Negative if the key owes points. */
  readonly remaining: number;
}

/**
 * Limits by API key: requests per module, and points of GraphQL cost. It never rejects: if Redis fails, this process decides alone. Without
 * Redis it decides at once, so that an answer in memory needs no promise.
 */
export interface RateLimiter {
  /** True if Redis decides, so that decisions arrive later. */
  readonly isShared: boolean;
  /** Takes one token from the key's bucket for the module, if it has one. */
  take(keyId: string, limit: ModuleLimit): Awaitable<RateLimitDecision>;
  /** Takes `points` tokens from the key's bucket for GraphQL cost, if it has as many. */
  spend(keyId: string, rate: Rate, points: number): Awaitable<SpendDecision>;
  /** Takes `points` tokens from the same bucket for work that was done already. If it has fewer, the key owes the others. */
  charge(keyId: string, rate: Rate, points: number): Promise<void>;
  /**
   * Returns the points that the key owes, as far as this process knows without asking Redis; 0 if it owes none. A debt counts as a refusal.
   */
  owes(keyId: string, rate: Rate): number;
  /** Waits before a refusal of the key is sent, for a second at most, if the key is refused more often than REFUSALS. */
  paceRefusal(keyId: string): Promise<void>;
  /** Takes one token, or `count`, from the key's bucket for an action with a rate limit of its own. */
  takeAction(keyId: string, action: LimitedAction, count?: number): Awaitable<ActionDecision>;
  /** Returns the number of refusals of the key by any of these limits in this process. */
  refusals(keyId: string): Refusals;
  close(): Promise<void>;
}

/** Result of checking an action: whether it is admitted, and the ms until it would be. */
export interface ActionDecision {
  readonly allowed: boolean;
  readonly nextMs: number;
}

/** Name of the buckets of GraphQL cost. */
const POINTS = 'graphql';

/**
 * Rate at which refusals are sent to a key. Further ones wait, each until its turn, but at most for the time in which a burst is restored:
 * a second. A client that repeats what was refused as fast as it can would otherwise take as much time of the process as one that is
 * answered.
 */
export const REFUSALS: Rate = { perMinute: 6_000, burst: 100 };

export function createRateLimiter({ now, log, redisUrl }: RateLimiterDeps): RateLimiter {
  const memory = new MemoryTokenBuckets(now);
  const buckets: TokenBuckets = redisUrl === undefined ? memory : new RedisTokenBuckets(redisUrl, memory, log);
  /** Points that this process charged to keys; without Redis, all points that they spent. */
  const charged = redisUrl === undefined ? memory : new MemoryTokenBuckets(now);
  const sentRefusals = new MemoryTokenBuckets(() => performance.now());
  const refused = new RefusalCounts(now);
  const decide = (keyId: string, name: string, rate: Rate, tokens: number): Awaitable<TakeResult> =>
    whenKnown(buckets.take(`${name}:${keyId}`, rate, tokens), (result) => {
      if (!result.allowed) refused.add(keyId);
      return result;
    });
  return {
    isShared: buckets !== memory,
    take: (keyId, limit) =>
      whenKnown(decide(keyId, limit.module, limit, 1), ({ remaining, ...decision }) => ({
        ...limit,
        ...decision,
        remaining: Math.max(0, remaining),
      })),
    spend: (keyId, rate, points) => whenKnown(decide(keyId, POINTS, rate, points), ({ allowed, remaining }) => ({ allowed, remaining })),
    async charge(keyId, rate, points) {
      const name = `${POINTS}:${keyId}`;
      await buckets.charge(name, rate, points);
      if (charged !== buckets) charged.charge(name, rate, points);
    },
    owes(keyId, rate) {
      const { allowed, remaining } = charged.take(`${POINTS}:${keyId}`, rate, 0);
      if (!allowed) refused.add(keyId);
      return allowed ? 0 : -remaining;
    },
    async paceRefusal(keyId) {
      const { remaining } = sentRefusals.charge(keyId, REFUSALS, 1);
      const waitMs = (-remaining * MINUTE_MS) / REFUSALS.perMinute;
      if (waitMs > 0) await new Promise((resolve) => void setTimeout(resolve, waitMs).unref());
    },
    takeAction: (keyId, { name, rate }, count = 1) =>
      whenKnown(decide(keyId, name, rate, count), ({ allowed, remaining, nextMs }) => {
        const missing = allowed ? 0 : Math.max(0, count - remaining - 1); // `nextMs` is the time until the next token
        return { allowed, nextMs: nextMs + (missing * MINUTE_MS) / rate.perMinute };
      }),
    refusals: (keyId) => refused.of(keyId),
    close: () => buckets.close(),
  };
}

/** Maximum number of keys whose refusals are counted. One more resets all counts. */
const MAX_REFUSED_KEYS = 10_000;

/** Counts refusals by key. */
class RefusalCounts {
  readonly #now: Clock;
  readonly #counts = new Map<string, number>();
  #since: number;

  constructor(now: Clock) {
    this.#now = now;
    this.#since = now();
  }

  add(keyId: string): void {
    if (!this.#counts.has(keyId) && this.#counts.size >= MAX_REFUSED_KEYS) {
      this.#counts.clear();
      this.#since = this.#now();
    }
    this.#counts.set(keyId, (this.#counts.get(keyId) ?? 0) + 1);
  }

  of(keyId: string): Refusals {
    return { count: this.#counts.get(keyId) ?? 0, since: this.#since };
  }
}

/** The rate limits of one request. */
export interface RateLimitScope {
  /**
   * Checks the module's limit, at once if this process decides. With Redis, all checks of one tick settle together, including those of modules
   * without a limit, because otherwise their loads would fall into two batches, before and after the response of Redis. A plan without
   * limits needs no promise.
   * @throws AppError RATE_LIMITED, or rejects with it
   */
  check(module: ModuleName): Awaitable<void>;
  /** Returns the state of the limits that this request was checked against. */
  statuses(): readonly RateLimitStatus[];
}

/** Creates the rate limits of one request of a key, which takes one token per module. Usage records count its single answers. */
export function createRateLimitScope(
  limits: readonly ModuleLimit[],
  keyId: string,
  rateLimiter: Pick<RateLimiter, 'isShared' | 'take'>,
): RateLimitScope {
  const decisions = new Map<ModuleName, Awaitable<RateLimitDecision>>();
  const statuses: RateLimitStatus[] = [];
  let tick: Promise<unknown> | null = null;

  /** Takes a token for a module with a limit, once. */
  function decisionOf(module: ModuleName): Awaitable<RateLimitDecision> | undefined {
    const limit = limits.find((one) => one.module === module);
    const known = decisions.get(module);
    if (known || !limit) return known;
    const decision = whenKnown(rateLimiter.take(keyId, limit), (made) => {
      statuses.push(made);
      return made;
    });
    decisions.set(module, decision);
    return decision;
  }

  async function endOfTick(): Promise<void> {
    await new Promise<void>((resolve) => void Promise.resolve().then(() => process.nextTick(resolve)));
    tick = null;
    await Promise.all(decisions.values());
  }

  async function inTick(decision: Awaitable<RateLimitDecision> | undefined): Promise<RateLimitDecision | undefined> {
    tick ??= endOfTick();
    await tick;
    return decision;
  }

  return {
    check(module) {
      if (limits.length === 0) return;
      const decision = decisionOf(module);
      return whenKnown(rateLimiter.isShared ? inTick(decision) : decision, requireAllowed);
    },
    statuses: () => statuses,
  };
}

/** @throws AppError RATE_LIMITED when the key's bucket for the action has fewer tokens than `count` */
export async function requireAction(
  rateLimiter: Pick<RateLimiter, 'takeAction'>,
  keyId: string,
  action: LimitedAction,
  count = 1,
): Promise<void> {
  const { allowed, nextMs } = await rateLimiter.takeAction(keyId, action, count);
  if (allowed) return;
  const retryAfterSeconds = Math.ceil(nextMs / SECOND_MS);
  throw new AppError('RATE_LIMITED', requestMessages.actionRate({ ...action.rate, seconds: retryAfterSeconds }), {
    retryAfterSeconds,
  });
}

/** @throws AppError RATE_LIMITED for a refusal */
function requireAllowed(decision: RateLimitDecision | undefined): void {
  if (decision && !decision.allowed) throw rateLimited(decision);
}

function rateLimited({ module, perMinute, burst, nextMs }: RateLimitStatus): AppError {
  const retryAfterSeconds = Math.ceil(nextMs / SECOND_MS);
  return new AppError('RATE_LIMITED', requestMessages.moduleRate({ module, perMinute, burst, seconds: retryAfterSeconds }), {
    module,
    retryAfterSeconds,
  });
}
