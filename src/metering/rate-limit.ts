import type { Result } from 'ioredis';
import type { Logger } from 'pino';
import { RedisLink } from '../cache/redis.ts';
import type { Awaitable } from '../domain/answer.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import { AppError } from '../domain/errors.ts';
import type { LimitedAction, ModuleLimit, Rate, RateLimitStatus, Refusals } from '../domain/plan.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from '../domain/time.ts';

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
  /** Points left in the bucket after this operation; if it was refused, the points that the bucket had. */
  readonly remaining: number;
}

/** Limits by API key: requests per module, and points of GraphQL cost. It never rejects: if Redis fails, this process decides alone. */
export interface RateLimiter {
  /** Takes one token from the key's bucket for the module, if it has one. */
  take(keyId: string, limit: ModuleLimit): Promise<RateLimitDecision>;
  /** Takes `points` tokens from the key's bucket for GraphQL cost, if it has as many. */
  spend(keyId: string, rate: Rate, points: number): Promise<SpendDecision>;
  /** Takes one token from the key's bucket for an action with a rate limit of its own. */
  takeAction(keyId: string, action: LimitedAction): Promise<ActionDecision>;
  /** Returns the number of refusals of the key by any of these limits in this process. */
  refusals(keyId: string): Refusals;
  close(): Promise<void>;
}

/** Result of checking an action: whether it is admitted, and the ms until it would be. */
export interface ActionDecision {
  readonly allowed: boolean;
  readonly nextMs: number;
}

export function createRateLimiter({ now, log, redisUrl }: RateLimiterDeps): RateLimiter {
  const memory = new MemoryTokenBuckets(now);
  const buckets: TokenBuckets = redisUrl === undefined ? memory : new RedisTokenBuckets(redisUrl, memory, log);
  const refused = new RefusalCounts(now);
  async function decide(keyId: string, name: string, rate: Rate, tokens: number): Promise<TakeResult> {
    const result = await buckets.take(`${name}:${keyId}`, rate, tokens);
    if (!result.allowed) refused.add(keyId);
    return result;
  }
  return {
    async take(keyId, limit) {
      return { ...limit, ...(await decide(keyId, limit.module, limit, 1)) };
    },
    async spend(keyId, rate, points) {
      const { allowed, remaining } = await decide(keyId, 'graphql', rate, points);
      return { allowed, remaining };
    },
    takeAction: (keyId, { name, rate }) => decide(keyId, name, rate, 1),
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
   * Checks the module's limit. All checks of one tick settle together, including those of modules without a limit, because otherwise their
   * loads would fall into two batches, before and after the response of Redis. A plan without limits needs no promise.
   * @throws AppError RATE_LIMITED
   */
  check(module: ModuleName): Awaitable<void>;
  /** Returns the state of the limits that this request was checked against. */
  statuses(): readonly RateLimitStatus[];
}

/** Creates the rate limits of one request, which takes one token per module. Usage records count its single answers. */
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

  async function checkLimited(module: ModuleName): Promise<void> {
    const limit = limits.find((one) => one.module === module);
    if (limit && !decisions.has(module)) decisions.set(module, decide(limit));
    tick ??= endOfTick();
    await tick;
    const decision = await decisions.get(module);
    if (decision && !decision.allowed) throw rateLimited(decision);
  }

  return {
    check: (module) => (limits.length === 0 ? undefined : checkLimited(module)),
    statuses: () => statuses,
  };
}

/** @throws AppError RATE_LIMITED when the key's bucket for the action is empty */
export async function requireAction(rateLimiter: Pick<RateLimiter, 'takeAction'>, keyId: string, action: LimitedAction): Promise<void> {
  const { allowed, nextMs } = await rateLimiter.takeAction(keyId, action);
  if (allowed) return;
  const retryAfterSeconds = Math.ceil(nextMs / SECOND_MS);
  throw new AppError(
    'RATE_LIMITED',
    `This key may do this ${action.rate.perMinute} times a minute, ${action.rate.burst} of them at once; try again in ${retryAfterSeconds} s.`,
    {
      retryAfterSeconds,
    },
  );
}

function rateLimited({ module, perMinute, burst, nextMs }: RateLimitStatus): AppError {
  const retryAfterSeconds = Math.ceil(nextMs / SECOND_MS);
  return new AppError(
    'RATE_LIMITED',
    `This key may call module ${module} ${perMinute} times a minute, ${burst} of them at once; try again in ${retryAfterSeconds} s.`,
    {
      module,
      retryAfterSeconds,
    },
  );
}

/** Result of taking tokens from a bucket. */
export interface TakeResult {
  readonly allowed: boolean;
  /** Number of whole tokens in the bucket afterwards. */
  readonly remaining: number;
  /** Milliseconds until the bucket has one more whole token. */
  readonly nextMs: number;
}

/**
 * Token buckets by name. They implement the generic cell rate algorithm (GCRA), in which the only state of a bucket is the time at which
 * it is full again. A bucket that was never used is full. A difference of a microsecond is ignored, because of rounding. A bucket that
 * lacks more tokens than it can hold was written before the clock was set back, and counts as full.
 */
export interface TokenBuckets {
  /** Takes `tokens` from the bucket, or nothing when it holds fewer. */
  take(name: string, rate: Rate, tokens: number): Promise<TakeResult>;
  close(): Promise<void>;
}

/** Buckets in the memory of this process. A full one is removed. */
export class MemoryTokenBuckets implements TokenBuckets {
  readonly #now: Clock;
  /** Rate → name → epoch ms at which the bucket is full again. */
  readonly #byRate = new Map<string, Map<string, number>>();

  constructor(now: Clock) {
    this.#now = now;
  }

  async take(name: string, rate: Rate, tokens: number): Promise<TakeResult> {
    const now = this.#now();
    const perTokenMs = MINUTE_MS / rate.perMinute;
    const fullAt = this.#byRate.get(textOf(rate)) ?? new Map<string, number>();
    this.#byRate.set(textOf(rate), fullAt);
    let missing = Math.max(0, ((fullAt.get(name) ?? 0) - now) / perTokenMs);
    if (missing > rate.burst + 1) missing = 0;
    const used = Math.ceil(missing - 0.001 / perTokenMs) + tokens;
    const allowed = used <= rate.burst;
    if (allowed) {
      missing += tokens;
      removeFull(fullAt, now);
      fullAt.delete(name);
      fullAt.set(name, now + missing * perTokenMs);
    }
    return resultOf(rate, { allowed, used, tokens, nextMs: Math.ceil((missing - Math.ceil(missing) + 1) * perTokenMs) });
  }

  async close(): Promise<void> {}
}

/** Removes full buckets. Those of one rate become full roughly in the order of their last use, so the scan stops at the first other one. */
function removeFull(fullAt: Map<string, number>, now: number): void {
  for (const [name, time] of fullAt) {
    if (time > now) return;
    fullAt.delete(name);
  }
}

/** Returns a part of the bucket's key, so that a plan that changes its rate starts with full buckets. */
const textOf = ({ perMinute, burst }: Rate): string => `${perMinute}/${burst}`;

/** @param used number of tokens that the bucket lacks if these are taken */
function resultOf(
  { burst }: Rate,
  { allowed, used, tokens, nextMs }: Omit<TakeResult, 'remaining'> & { used: number; tokens: number },
): TakeResult {
  return { allowed, remaining: Math.max(0, burst - (allowed ? used : used - tokens)), nextMs };
}

/** Lua script of `MemoryTokenBuckets.take` by the clock of Redis. Returns `used` and `nextMs`. A key expires when its bucket is full. */
const SCRIPT = `
local tokens, burst, per = tonumber(ARGV[1]), tonumber(ARGV[2]), 60000 / tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local missing = math.max(0, (tonumber(redis.call('GET', KEYS[1]) or 0) - now) / per)
if missing > burst + 1 then missing = 0 end
local used = math.ceil(missing - 0.001 / per) + tokens
if used <= burst then
  missing = missing + tokens
  redis.call('SET', KEYS[1], string.format('%.3f', now + missing * per), 'PX', math.ceil(missing * per))
end
return {used, math.ceil((missing - math.ceil(missing) + 1) * per)}
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeTokens(key: string, tokens: number, burst: number, perMinute: number): Result<[used: number, nextMs: number], Context>;
  }
}

/** Timeout in ms after which Redis counts as unavailable. */
const ANSWER_MS = 100;

/** Buckets that all processes share. While Redis fails or is slow, `fallback` decides, and nothing waits for a reconnection. */
export class RedisTokenBuckets implements TokenBuckets {
  readonly #link: RedisLink;
  readonly #fallback: TokenBuckets;

  constructor(url: string, fallback: TokenBuckets, log: Logger) {
    this.#fallback = fallback;
    this.#link = new RedisLink({
      url,
      log,
      component: 'rate-limit',
      texts: { away: 'each process limits for itself', back: 'limits hold across processes again' },
      answerMs: ANSWER_MS,
      scripts: { takeTokens: { lua: SCRIPT, numberOfKeys: 1 } },
    });
  }

  async take(name: string, rate: Rate, tokens: number): Promise<TakeResult> {
    try {
      const { burst, perMinute } = rate;
      const [used, nextMs] = await this.#link.run((redis) =>
        redis.takeTokens(`quipu:rate:${textOf(rate)}:${name}`, tokens, burst, perMinute),
      );
      return resultOf(rate, { allowed: used <= burst, used, tokens, nextMs });
    } catch {
      return this.#fallback.take(name, rate, tokens); // the lost connection is logged elsewhere
    }
  }

  async close(): Promise<void> {
    this.#link.close();
  }
}
