import { type RateLimiterLike, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Rate } from '../domain/plan.ts';
import type { Clock } from '../domain/time.ts';

/**
 * The package's own stores know windows that begin with the first request, through which twice the limit fits. Both limiters here keep
 * a token bucket instead (GCRA): of each key only when its bucket is full again. `points` are the bucket's places, `duration` the
 * seconds that filling it takes. They resolve where a place was free and reject where none was, both with a RateLimiterRes:
 * `remainingPoints` places free, one more in `msBeforeNext`. Consume with FOR_THE_PACKAGE.
 */

/** What the package insists on (whole seconds, above 0) and the script does not look at. */
export const FOR_THE_PACKAGE = { customDuration: 60 } as const;

const optionsOf = ({ perMinute, burst }: Rate) => ({ points: burst, duration: (burst * 60) / perMinute, keyPrefix: 'quipu:rate' });

/**
 * Keeps when the bucket is full again, in ms. A microsecond is forgiven, since shares of one are lost on the way. A bucket that lacks
 * more than it holds is of a clock that was set back since, and is taken for full.
 */
const SCRIPT = `
local points, burst, per = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4]) * 1000 / tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local missing = math.max(0, (tonumber(redis.call('GET', KEYS[1]) or 0) - now) / per)
if missing > burst + 1 then missing = 0 end
local consumed = math.ceil(missing - 0.001 / per) + points
if consumed <= burst then
  missing = missing + points
  redis.call('SET', KEYS[1], string.format('%.3f', now + missing * per), 'PX', math.ceil(missing * per))
end
return {consumed, math.ceil((missing - math.ceil(missing) + 1) * per)}
`;

/** Buckets that all processes share. Where Redis does not answer, `insurance` decides. */
export const sharedBuckets = (rate: Rate, storeClient: unknown, insurance: RateLimiterLike): RateLimiterLike =>
  new RateLimiterRedis({
    ...optionsOf(rate),
    storeClient,
    customIncrTtlLuaScript: SCRIPT,
    rejectIfRedisNotReady: true,
    insuranceLimiter: insurance,
  });

/** Buckets of this process, by the same arithmetic. */
export class LocalBuckets extends RateLimiterMemory {
  readonly #now: Clock;
  readonly #perMs: number;
  /** Key → when its bucket is full again. */
  readonly #fullAt = new Map<string, number>();

  constructor(rate: Rate, now: Clock) {
    super(optionsOf(rate));
    this.#now = now;
    this.#perMs = this.msDuration / this.points;
  }

  override async consume(key: string, points = 1): Promise<RateLimiterRes> {
    const now = this.#now();
    let missing = Math.max(0, ((this.#fullAt.get(key) ?? 0) - now) / this.#perMs);
    if (missing > this.points + 1) missing = 0;
    const consumed = Math.ceil(missing - 0.001 / this.#perMs) + points;
    const admitted = consumed <= this.points;
    if (admitted) {
      missing += points;
      this.#forget(now);
      this.#fullAt.delete(key);
      this.#fullAt.set(key, now + missing * this.#perMs);
    }
    const nextMs = Math.ceil((missing - Math.ceil(missing) + 1) * this.#perMs);
    const result = new RateLimiterRes(Math.max(0, this.points - consumed), nextMs, consumed);
    if (!admitted) throw result;
    return result;
  }

  /** A full bucket is like one that was never touched. They fill in the order of their last use, nearly. */
  #forget(now: number): void {
    for (const [key, fullAt] of this.#fullAt) {
      if (fullAt > now) return;
      this.#fullAt.delete(key);
    }
  }
}
