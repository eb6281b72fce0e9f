import type { RedisOptions, Result } from 'ioredis';
import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import type { RedisLink } from './redis.ts';

/**
 * Lua script that asks a circuit breaker for a permit. Its state: failures in a row, calls and failures by second, and `opened`, the time
 * at which it opened or permitted its last test call. KEYS: circuit, pause. ARGV: ms from `opened` to a test call, ms to live, 1 if the
 * call may be a test call. Returns the permit, the ms until the next test call, and the ms of the pause.
 */
const ADMIT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local paused = math.max(0, redis.call('PTTL', KEYS[2]))
local opened = redis.call('HGET', KEYS[1], 'opened')
if not opened then return {'closed', 0, paused} end
local left = opened + ARGV[1] - now
if left > 0 or paused > 0 or ARGV[3] == '0' then return {'open', left, paused} end
redis.call('HSET', KEYS[1], 'opened', now)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {'test', tonumber(ARGV[1]), 0}
`;

/**
 * Lua script that records a call. KEYS: circuit. ARGV: 1 if the call failed, 1 if it was the test call, failures in a row, seconds of the
 * sample, its minimum number of calls, its failed share, ms to live. Returns 1 if the circuit is open now. Calls that began before it
 * opened do not change it.
 */
const RECORD = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local failed, seconds = tonumber(ARGV[1]), tonumber(ARGV[4])
if ARGV[2] == '1' then
  if failed == 1 then redis.call('HSET', KEYS[1], 'opened', now) else redis.call('DEL', KEYS[1]) end
  return failed
end
if redis.call('HEXISTS', KEYS[1], 'opened') == 1 then return 1 end
local row = 0
if failed == 1 then row = redis.call('HINCRBY', KEYS[1], 'row', 1) else redis.call('HSET', KEYS[1], 'row', 0) end
local second, name = tonumber(time[1]), 'second ' .. time[1] % seconds
local at, calls, failures = (redis.call('HGET', KEYS[1], name) or ''):match('^(%d+) (%d+) (%d+)$')
if tonumber(at) ~= second then calls, failures = 0, 0 end
redis.call('HSET', KEYS[1], name, string.format('%d %d %d', second, calls + 1, failures + failed))
redis.call('PEXPIRE', KEYS[1], ARGV[7])
if failed == 0 then return 0 end
local all, bad = 0, 0
for _, bucket in ipairs(redis.call('HVALS', KEYS[1])) do
  at, calls, failures = bucket:match('^(%d+) (%d+) (%d+)$')
  if at and tonumber(at) > second - seconds then all, bad = all + calls, bad + failures end
end
if row < tonumber(ARGV[3]) and (all < tonumber(ARGV[5]) or bad < all * ARGV[6]) then return 0 end
redis.call('HSET', KEYS[1], 'opened', now)
return 1
`;

/** Lua script that pauses the calls. KEYS: pause. ARGV: ms. It never shortens a pause. */
const PAUSE_CALLS = `
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '', 'PX', ARGV[1]) end
`;

/** The scripts that a connection needs for circuit breakers. */
export const CIRCUIT_SCRIPTS: NonNullable<RedisOptions['scripts']> = {
  admitCall: { lua: ADMIT, numberOfKeys: 2 },
  recordCall: { lua: RECORD, numberOfKeys: 1 },
  pauseCalls: { lua: PAUSE_CALLS, numberOfKeys: 1 },
};

declare module 'ioredis' {
  interface RedisCommander<Context> {
    admitCall(
      circuit: string,
      pause: string,
      halfOpenAfterMs: number,
      ms: number,
      mayTest: number,
    ): Result<[kind: CallPermit['kind'], leftMs: number, pausedMs: number], Context>;
    recordCall(circuit: string, ...args: readonly number[]): Result<0 | 1, Context>;
    pauseCalls(pause: string, ms: number): Result<unknown, Context>;
  }
}

/** Rules for opening a circuit, and the time for which it stays open. */
export interface CircuitRules {
  /** Number of failures in a row after which it opens. */
  readonly inARow: number;
  /**
   * Length of the sample in ms. It also opens when `failedShare` (0 to 1) of the calls of the sample failed, if these were at least
   * `sampleCalls`.
   */
  readonly sampleMs: number;
  readonly sampleCalls: number;
  readonly failedShare: number;
  /** Time in ms after which an open circuit permits one test call. */
  readonly halfOpenAfterMs: number;
}

/** The permit of a call: to run, to run as the test call of an open circuit, or not to run. */
export interface CallPermit {
  readonly kind: 'closed' | 'test' | 'open';
  /** Ms for which no call is sent, whatever the state of the circuit; see `pause`. */
  readonly pausedMs: number;
}

/** The circuit breaker of one upstream over all processes. */
export interface SharedCircuit {
  /** Asks for a permit; null while Redis is unavailable. */
  admit(): Promise<CallPermit | null>;
  /** Records the outcome of a permitted call. */
  record(call: { readonly isFailure: boolean; readonly isTest: boolean }): Promise<void>;
  /** Pauses the calls of all processes for this time, as the source requested (`Retry-After`). */
  pause(ms: number): void;
  /** Returns the state known to this process. `half_open`: the next call may be the test call. */
  state(): 'closed' | 'open' | 'half_open';
  /** Reads the state from Redis. */
  refresh(): Promise<void>;
}

/** Time after the last recorded call or test call after which Redis deletes a circuit. */
const CIRCUIT_MS = 10 * MINUTE_MS;

export function createSharedCircuit(link: RedisLink, name: string, rules: CircuitRules): SharedCircuit {
  // The key has the name of earlier releases, so that processes of both share the pause during an upgrade.
  const pause = `${name}:hold`;
  const { inARow, sampleMs, sampleCalls, failedShare, halfOpenAfterMs } = rules;
  /** Time at which an open circuit permits a test call (`performance.now` time); null while it is closed. */
  let testAt: number | null = null;

  async function ask(mayTest: boolean): Promise<CallPermit> {
    const [kind, leftMs, pausedMs] = await link.run((redis) => redis.admitCall(name, pause, halfOpenAfterMs, CIRCUIT_MS, Number(mayTest)));
    testAt = kind === 'closed' ? null : performance.now() + leftMs;
    return { kind, pausedMs };
  }

  async function record({ isFailure, isTest }: Parameters<SharedCircuit['record']>[0]): Promise<void> {
    const isOpen = await link.run((redis) =>
      redis.recordCall(name, Number(isFailure), Number(isTest), inARow, sampleMs / SECOND_MS, sampleCalls, failedShare, CIRCUIT_MS),
    );
    if (isOpen === 0) testAt = null;
    else if (testAt === null || isTest) testAt = performance.now() + halfOpenAfterMs;
  }

  /** Resets a half-open state. Without Redis a process uses its own circuit breaker once the time of a test call has come. */
  function forgetHalfOpen(): null {
    if (testAt !== null && performance.now() >= testAt) testAt = null;
    return null;
  }

  // Failures of Redis are ignored here, because RedisLink logs them.
  return {
    admit: () => ask(true).catch(forgetHalfOpen),
    record: (call) => record(call).catch(() => undefined),
    pause: (ms) => void link.run((redis) => redis.pauseCalls(pause, Math.ceil(ms))).catch(() => undefined),
    state() {
      if (testAt === null) return 'closed';
      return performance.now() < testAt ? 'open' : 'half_open';
    },
    refresh: () =>
      ask(false).then(
        () => undefined,
        () => undefined,
      ),
  };
}
