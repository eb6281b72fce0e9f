import { createHash, randomUUID } from 'node:crypto';
import type { Result } from 'ioredis';
import type { Logger } from 'pino';
import { SECOND_MS } from '../domain/time.ts';
import { RedisLink } from './redis.ts';
import { ANSWER_MS } from './shared.ts';
import { CIRCUIT_SCRIPTS, type CircuitRules, createSharedCircuit, type SharedCircuit } from './shared-circuit.ts';

export interface SharedLimitsOptions {
  readonly redisUrl: string;
  /** A Redis that sends nothing for this long while a caller waits counts as away; ANSWER_MS by default. */
  readonly answerMs?: number;
  readonly log: Logger;
}

/** A process that died holds its leases for this long at most. */
const LEASE_MS = 6 * SECOND_MS;
const RENEW_MS = LEASE_MS / 3;
/** The leases that every process holds: their number is that of the processes. */
const PROCESSES = 'quipu:limits:processes';

/**
 * Leases of one name: a sorted set of holders by the time at which their lease ends, by the clock of Redis.
 * KEYS: set. ARGV: maximum, ms, holder. Returns 0 with the lease, else the ms until the first of the others ends.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then
  return math.max(1, redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] - now)
end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIREAT', KEYS[1], redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])
return 0
`;

/** KEYS: set. ARGV: ms from now at which the leases of these holders end, holders. Also adds leases that Redis has lost. Returns their number. */
const HOLD = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[i]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
if last[2] then redis.call('PEXPIREAT', KEYS[1], last[2]) end
return redis.call('ZCARD', KEYS[1])
`;

/**
 * A counter: its `generation`, which is new when Redis has lost the counter, what it had reached before (`base`) and what was added since.
 * KEYS: counter. ARGV: maximum, the caller's last generation, the count in that generation, what the caller did not count, ms to live. Adds what was
 * not counted, and one if that is within the maximum. Returns whether it is, the count, the ms until the counter ends, and the generation.
 */
const COUNT = `
local generation, base, added = unpack(redis.call('HMGET', KEYS[1], 'generation', 'base', 'added'))
base, added = tonumber(base or 0), (added or 0) + ARGV[4]
if not generation then generation = table.concat(redis.call('TIME'), '.') end
if generation ~= ARGV[2] then base = math.max(base, tonumber(ARGV[3])) end
local allowed = base + added < tonumber(ARGV[1])
if allowed then added = added + 1 end
redis.call('HSET', KEYS[1], 'generation', generation, 'base', base, 'added', added)
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[5]) end
return {allowed and 1 or 0, base + added, redis.call('PTTL', KEYS[1]), generation}
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeLease(key: string, max: number, ms: number, holder: string): Result<number, Context>;
    holdLeases(key: string, ms: number, ...holders: string[]): Result<number, Context>;
    countWithin(
      key: string,
      max: number,
      generation: string,
      known: number,
      uncounted: number,
      ms: number,
    ): Result<[allowed: 0 | 1, count: number, leftMs: number, generation: string], Context>;
  }
}

/** A permit of a limit. Its process renews it until it is returned; the lease of a process that died expires. */
export interface Lease {
  /** False if it was taken while Redis was away, so that only the limits of this process hold. */
  readonly isShared: boolean;
  /** Returns the permit, now or after some ms. */
  end(afterMs?: number): void;
}

/** A counter that was asked for one more. */
export interface Count {
  readonly isAllowed: boolean;
  /** With this one, if it is allowed. */
  readonly count: number;
  /** Ms until the counter begins anew. */
  readonly leftMs: number;
  /** Changes when Redis has lost the counter. */
  readonly generation: string;
}

export interface CountOptions {
  readonly max: number;
  /** For how long a counter lasts from its first count. */
  readonly ms: number;
  /** The last count that this process received: a Redis that has lost the counter begins with the highest of them. */
  readonly last?: Count | null;
  /** What this process did without counting, while Redis was away. */
  readonly uncounted?: number;
}

/**
 * Limits that the processes of a service share through Redis: leases of permits, and counters. Redis is never needed: while it is away,
 * callers limit this process alone. Leases of that time are added when Redis is back.
 */
export class SharedLimits {
  readonly #link: RedisLink;
  readonly #id = randomUUID();
  /** Name → holders of the leases of this process. */
  readonly #held = new Map<string, Set<string>>([[PROCESSES, new Set([this.#id])]]);
  readonly #circuits: SharedCircuit[] = [];
  readonly #renewing: NodeJS.Timeout;
  #lastHolder = 0;
  #processes = 1;

  constructor({ redisUrl, answerMs = ANSWER_MS, log }: SharedLimitsOptions) {
    this.#link = new RedisLink({
      url: redisUrl,
      log,
      component: 'limits',
      texts: { away: 'each process keeps to its share of the limits', back: 'limits hold across processes again' },
      answerMs,
      scripts: {
        takeLease: { lua: TAKE, numberOfKeys: 1 },
        holdLeases: { lua: HOLD, numberOfKeys: 1 },
        countWithin: { lua: COUNT, numberOfKeys: 1 },
        ...CIRCUIT_SCRIPTS,
      },
    });
    this.#renewing = setInterval(() => this.#renew(), RENEW_MS).unref();
  }

  /** Processes that shared the limits when Redis last answered, at least 1. A process that died counts for some seconds. */
  get processes(): number {
    return this.#processes;
  }

  /** Takes one of `max` permits. Returns the ms until the first of the others may end if there is none. */
  async lease(name: string, max: number): Promise<Lease | number> {
    this.#lastHolder += 1;
    const holder = `${this.#id} ${this.#lastHolder}`;
    try {
      const waitMs = await this.#link.run((redis) => redis.takeLease(name, max, LEASE_MS, holder));
      return waitMs > 0 ? waitMs : this.#hold(name, holder, true);
    } catch {
      return this.#hold(name, holder, false); // RedisLink logs the lost connection
    }
  }

  /** Counts one more; null while Redis is away. */
  async count(name: string, { max, ms, last, uncounted = 0 }: CountOptions): Promise<Count | null> {
    try {
      const [allowed, count, leftMs, generation] = await this.#link.run((redis) =>
        redis.countWithin(name, max, last?.generation ?? '', last?.count ?? 0, uncounted, ms),
      );
      return { isAllowed: allowed === 1, count, leftMs, generation };
    } catch {
      return null; // RedisLink logs the lost connection
    }
  }

  /** A circuit breaker. Its state is read every two seconds, for processes that do not call the source. */
  circuit(name: string, rules: CircuitRules): SharedCircuit {
    const circuit = createSharedCircuit(this.#link, name, rules);
    this.#circuits.push(circuit);
    return circuit;
  }

  /** Gives all leases back. */
  async close(): Promise<void> {
    clearInterval(this.#renewing);
    await Promise.all([...this.#held].map(([name, holders]) => this.#extend(name, 0, holders)));
    this.#link.close();
  }

  #hold(name: string, holder: string, isShared: boolean): Lease {
    const holders = this.#held.get(name) ?? new Set();
    this.#held.set(name, holders.add(holder));
    return {
      isShared,
      end: (afterMs = 0) => {
        if (!holders.delete(holder)) return;
        if (holders.size === 0 && this.#held.get(name) === holders) this.#held.delete(name);
        void this.#extend(name, afterMs, [holder]);
      },
    };
  }

  #renew(): void {
    for (const circuit of this.#circuits) void circuit.refresh();
    for (const [name, holders] of this.#held) {
      void this.#extend(name, LEASE_MS, holders).then((count) => {
        if (name === PROCESSES && count !== null) this.#processes = Math.max(1, count);
      });
    }
  }

  /** @returns the number of leases of this name; null while Redis is away */
  #extend(name: string, ms: number, holders: Iterable<string>): Promise<number | null> {
    return this.#link.run((redis) => redis.holdLeases(name, ms, ...holders)).catch(() => null); // RedisLink logs the lost connection
  }
}

/** The key of a limit in Redis. What it limits is hashed, because it may be an address or a secret. */
export const limitName = (kind: string, ...of: readonly string[]): string =>
  `quipu:limits:${kind}:${createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 22)}`;
