import type { Result } from 'ioredis';
import type { Logger } from 'pino';
import { RedisLink } from '../cache/redis.ts';
import type { Rate } from '../domain/plan.ts';
import { type Clock, MINUTE_MS } from '../domain/time.ts';

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
