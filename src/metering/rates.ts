import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type RateLimiterLike, RateLimiterRes } from 'rate-limiter-flexible';
import type { ModuleLimit, Rate, Standing } from '../domain/plan.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';
import { FOR_THE_PACKAGE, LocalBuckets, sharedBuckets } from './bucket.ts';

export interface RatesDeps {
  readonly now: Clock;
  readonly log: Logger;
  /** Without it each process limits for itself. */
  readonly redisUrl?: string;
}

/** What came of asking for a place. */
export interface Decision extends Standing {
  readonly admitted: boolean;
}

/** What came of asking for points. */
export interface Spending {
  readonly admitted: boolean;
  readonly remaining: number;
}

/** How often a key may ask, and how much. */
export interface Rates {
  /** Takes a place where one is free. Never rejects: without Redis, this process decides alone. */
  take(keyId: string, limit: ModuleLimit): Promise<Decision>;
  /** Takes points from what the key's GraphQL operations may cost, where there are so many. Never rejects, either. */
  spend(keyId: string, rate: Rate, points: number): Promise<Spending>;
  close(): Promise<void>;
}

/** A Redis that is slower is as good as away. */
const ANSWER_MS = 100;

export function createRates({ now, log, redisUrl }: RatesDeps): Rates {
  const redis = redisUrl === undefined ? null : connect(redisUrl, log);
  const limiters = new Map<string, RateLimiterLike>();

  function limiterOf(rate: Rate): RateLimiterLike {
    const name = `${rate.perMinute}/${rate.burst}`;
    const local = () => new LocalBuckets(rate, now);
    const limiter = limiters.get(name) ?? (redis ? sharedBuckets(rate, redis, local()) : local());
    limiters.set(name, limiter);
    return limiter;
  }

  async function consume(rate: Rate, whose: string, points: number) {
    try {
      const taken = await limiterOf(rate).consume(`${rate.perMinute}/${rate.burst}:${whose}`, points, FOR_THE_PACKAGE);
      return { admitted: true, taken };
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return { admitted: false, taken: refusal };
      throw refusal;
    }
  }

  return {
    async take(keyId, limit) {
      const { admitted, taken } = await consume(limit, `${limit.module}:${keyId}`, 1);
      return { ...limit, admitted, remaining: taken.remainingPoints, nextMs: taken.msBeforeNext };
    },
    async spend(keyId, rate, points) {
      const { admitted, taken } = await consume(rate, `graphql:${keyId}`, points);
      return { admitted, remaining: admitted ? taken.remainingPoints : rate.burst - (taken.consumedPoints - points) };
    },
    async close() {
      redis?.removeAllListeners('close');
      redis?.disconnect();
    },
  };
}

/** A client that never makes anyone wait for a Redis that is away, and tries to come back for as long as it takes. */
function connect(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: ANSWER_MS,
    connectTimeout: SECOND_MS,
    retryStrategy: (attempt) => Math.min(attempt * 50, SECOND_MS),
  });
  let away = false;
  redis.on('ready', () => {
    if (away) log.info({ component: 'rates' }, 'Redis is back: limits hold across processes again');
    away = false;
  });
  redis.on('close', () => {
    if (!away) log.warn({ component: 'rates' }, 'Redis is away: each process limits for itself');
    away = true;
  });
  redis.on('error', () => undefined); // 'close' comes with it
  return redis;
}
