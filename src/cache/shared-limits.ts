import { createHash, randomUUID } from 'node:crypto';
import type { Result } from 'ioredis';
import type { Logger } from 'pino';
import { SECOND_MS } from '../domain/time.ts';
import { RedisLink } from './redis.ts';
import { ANSWER_MS } from './shared.ts';
import { CIRCUIT_SCRIPTS, type CircuitRules, createSharedCircuit, type SharedCircuit } from './shared-circuit.ts';

export interface SharedLimitsOptions {
  readonly redisUrl: string;
  /** Time in ms without data, while a caller waits, after which Redis counts as unavailable; default ANSWER_MS. */
  readonly answerMs?: number;
  readonly log: Logger;
}

/** Duration of a lease. A process that died keeps its leases for this time at most. */
const LEASE_MS = 6 * SECOND_MS;
const RENEW_MS = LEASE_MS / 3;
/** Name of a lease that every process holds. The number of its holders is the number of processes. */
const PROCESSES = 'quipu:limits:processes';

/**
 * Lua script that takes a lease. The leases of one name are a sorted set of holders by the end of their lease, by the clock of Redis.
 * KEYS: set. ARGV: maximum, ms, holder. Returns 0 if the lease was taken, else the ms until the first of the others ends.
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

/**
 * Lua script that renews leases. KEYS: set. ARGV: ms from now at which the leases of these holders end, holders. It also adds leases that
 * Redis has lost, and returns their number.
 */
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
 * Lua script that increments a counter. Its state: the `generation`, which is new when Redis has lost the counter, the count before that
 * (`base`) and the count since. KEYS: counter. ARGV: maximum, the caller's last generation, the count in that generation, the caller's
 * uncounted number, ms to live. It adds the uncounted number, and one if that is within the maximum. Returns 1 if it is, the count, the ms
 * until the counter ends, and the generation.
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

/** A permit of a limit. Its process renews it until it is returned. The lease of a process that died expires. */
export interface Lease {
  /** False if the permit was taken while Redis was unavailable, so that only the limits of this process apply. */
  readonly isShared: boolean;
  /** Returns the permit, now or after some ms. */
  end(afterMs?: number): void;
}

/** Result of incrementing a counter. */
export interface Count {
  readonly isAllowed: boolean;
  /** The count, including this increment if it is allowed. */
  readonly count: number;
  /** Ms until the counter is reset. */
  readonly leftMs: number;
  /** Generation of the counter, which changes when Redis has lost the counter. */
  readonly generation: string;
}

export interface CountOptions {
  readonly max: number;
  /** Ms for which a counter lasts from its first count. */
  readonly ms: number;
  /** The last count that this process received. A Redis that has lost the counter begins with the highest of them. */
  readonly last?: Count | null;
  /** Number of increments of this process while Redis was unavailable, which are not counted yet. */
  readonly uncounted?: number;
}

/**
 * Limits that the processes of a service share through Redis: leases of permits, and counters. Redis is optional: while it is unavailable,
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

  /** Number of processes that shared the limits when Redis last responded, at least 1. A process that died counts for some seconds. */
  get processes(): number {
    return this.#processes;
  }

  /** Takes one of `max` permits. If there is none, returns the ms until the first of the others may end. */
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

  /** Increments a counter; null while Redis is unavailable. */
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

  /** Creates a circuit breaker. Its state is read every two seconds, for processes that do not call the source. */
  circuit(name: string, rules: CircuitRules): SharedCircuit {
    const circuit = createSharedCircuit(this.#link, name, rules);
    this.#circuits.push(circuit);
    return circuit;
  }

  /** Releases all leases. */
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

  /** @returns the number of leases of this name; null while Redis is unavailable */
  #extend(name: string, ms: number, holders: Iterable<string>): Promise<number | null> {
    return this.#link.run((redis) => redis.holdLeases(name, ms, ...holders)).catch(() => null); // RedisLink logs the lost connection
  }
}

/** Returns the key of a limit in Redis. The limited object is hashed, because it may be an address or a secret. */
export const limitName = (kind: string, ...of: readonly string[]): string =>
  `quipu:limits:${kind}:${createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 22)}`;
