import type { Result } from 'ioredis';
import type { Logger } from 'pino';
import { RedisLink } from '../cache/redis.ts';
import type { Awaitable } from '../domain/answer.ts';
import type { Rate } from '../domain/plan.ts';
import { type Clock, MINUTE_MS } from '../domain/time.ts';

/** Result of taking tokens from a bucket. */
export interface TakeResult {
  readonly allowed: boolean;
  /** Number of whole tokens in the bucket afterwards; negative while it owes tokens. */
  readonly remaining: number;
  /** Milliseconds until the bucket has one more whole token, or its first one if it is empty. */
  readonly nextMs: number;
}

/**
 * Token buckets by name. They implement the generic cell rate algorithm (GCRA), in which the only state of a bucket is the time at which
 * it is full again. A bucket that was never used is full. A difference of a microsecond is ignored, because of rounding. A bucket owes at
 * most as many tokens as it can hold. One that owes more was written before the clock was set back, and counts as full.
 */
export interface TokenBuckets {
  /** Takes `tokens` from the bucket, or nothing when it holds fewer. */
  take(name: string, rate: Rate, tokens: number): Awaitable<TakeResult>;
  /** Takes `tokens` from the bucket for work that was done already. If it holds fewer, it owes the others. */
  charge(name: string, rate: Rate, tokens: number): Awaitable<TakeResult>;
  close(): Promise<void>;
}

/** Buckets in the memory of this process, which decide at once. A full one is removed. */
export class MemoryTokenBuckets implements TokenBuckets {
  readonly #now: Clock;
  /** Rate → name → epoch ms at which the bucket is full again. */
  readonly #byRate = new Map<string, Map<string, number>>();

  constructor(now: Clock) {
    this.#now = now;
  }

  take(name: string, rate: Rate, tokens: number): TakeResult {
    return this.#take(name, rate, tokens, false);
  }

  charge(name: string, rate: Rate, tokens: number): TakeResult {
    return this.#take(name, rate, tokens, true);
  }

  #take(name: string, rate: Rate, tokens: number, mayOwe: boolean): TakeResult {
    const now = this.#now();
    const perTokenMs = MINUTE_MS / rate.perMinute;
    const fullAt = this.#bucketsOf(rate);
    let missing = Math.max(0, ((fullAt.get(name) ?? 0) - now) / perTokenMs);
    if (missing > 2 * rate.burst + 1) missing = 0;
    const used = Math.ceil(missing - 0.001 / perTokenMs) + tokens;
    const allowed = mayOwe || used <= rate.burst;
    if (allowed) {
      missing = Math.min(missing + tokens, 2 * rate.burst);
      removeFull(fullAt, now);
      fullAt.delete(name);
      fullAt.set(name, now + missing * perTokenMs);
    }
    const nextMs = Math.ceil((missing - Math.min(Math.ceil(missing), rate.burst) + 1) * perTokenMs);
    return resultOf(rate, { allowed, used, tokens, nextMs });
  }

  #bucketsOf(rate: Rate): Map<string, number> {
    const text = textOf(rate);
    const known = this.#byRate.get(text);
    if (known) return known;
    const buckets = new Map<string, number>();
    this.#byRate.set(text, buckets);
    return buckets;
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
  return { allowed, remaining: Math.max(-burst, burst - (allowed ? used : used - tokens)), nextMs };
}

/** Lua script of `MemoryTokenBuckets` by the clock of Redis. Returns `used` and `nextMs`. A key expires when its bucket is full. */
const SCRIPT = `
local tokens, burst, per, mayOwe = tonumber(ARGV[1]), tonumber(ARGV[2]), 60000 / tonumber(ARGV[3]), ARGV[4] == '1'
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local missing = math.max(0, (tonumber(redis.call('GET', KEYS[1]) or 0) - now) / per)
if missing > 2 * burst + 1 then missing = 0 end
local used = math.ceil(missing - 0.001 / per) + tokens
if mayOwe or used <= burst then
  missing = math.min(missing + tokens, 2 * burst)
  redis.call('SET', KEYS[1], string.format('%.3f', now + missing * per), 'PX', math.ceil(missing * per))
end
return {used, math.ceil((missing - math.min(math.ceil(missing), burst) + 1) * per)}
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeTokens(
      key: string,
      tokens: number,
      burst: number,
      perMinute: number,
      mayOwe: 0 | 1,
    ): Result<[used: number, nextMs: number], Context>;
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
    const taken = await this.#run(name, rate, tokens, false);
    return taken ?? this.#fallback.take(name, rate, tokens);
  }

  async charge(name: string, rate: Rate, tokens: number): Promise<TakeResult> {
    const taken = await this.#run(name, rate, tokens, true);
    return taken ?? this.#fallback.charge(name, rate, tokens);
  }

  /** Returns null while Redis is unavailable, which is logged elsewhere. */
  async #run(name: string, rate: Rate, tokens: number, mayOwe: boolean): Promise<TakeResult | null> {
    try {
      const { burst, perMinute } = rate;
      const [used, nextMs] = await this.#link.run((redis) =>
        redis.takeTokens(`quipu:rate:${textOf(rate)}:${name}`, tokens, burst, perMinute, mayOwe ? 1 : 0),
      );
      return resultOf(rate, { allowed: mayOwe || used <= burst, used, tokens, nextMs });
    } catch {
      return null;
    }
  }

  async close(): Promise<void> {
    this.#link.close();
  }
}
