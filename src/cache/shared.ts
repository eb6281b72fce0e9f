import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from 'ioredis';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Found } from '../domain/answer.ts';
import type { AppError } from '../domain/errors.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';
import { RedisLink } from './redis.ts';
import { readEntry, readFailure, type SharedAnswers, writeEntry, writeFailure } from './shared-entry.ts';
import type { Fetch, Fetched } from './ttl-cache.ts';

/*
 * Answers that the processes of a service share through Redis. For each key one script returns a stored answer, or the lock to fetch it.
 * The process with the lock renews it while it calls the source, stores the answer and releases the lock; the others poll until the answer
 * or its failure is there. A fencing token prevents an answer of an expired lock from replacing a later one. A lookup costs one command
 * per key, all keys of a batch in parallel. If Redis fails or a lock is not released in time, a process fetches the key itself.
 */

export interface SharedCacheOptions {
  readonly redisUrl: string;
  /** Origin of the answers. Only processes with the same origin share them. */
  readonly origin: string;
  /** Time in ms without data, while a request waits, after which Redis counts as unavailable; default ANSWER_MS. */
  readonly answerMs?: number;
  readonly now: Clock;
  readonly log: Logger;
}

/** Default timeout in ms. Including the delay of timers, a request waits for 20 ms at most. */
export const ANSWER_MS = 15;
/** Duration of a lock. A process that died keeps its locks for this time at most. */
const LOCK_MS = 2 * SECOND_MS;
const RENEW_MS = LOCK_MS / 4;
/** Time after which a process stops waiting for another one and fetches the key itself. Calls to sources end before. */
const WAIT_MS = 10 * SECOND_MS;
const MIN_POLL_MS = 5;
const MAX_POLL_MS = 50;
/** Time for which waiting processes can read that a fetch failed. */
const FAILURE_MS = SECOND_MS;
/**
 * Version of the encoding of entries. It must be incremented when the format of `writeEntry` changes; the schema of the values has a hash
 * of its own.
 */
const ENCODING_VERSION = 1;

/**
 * Lua script that reads an entry or takes its lock. KEYS: entry, lock. ARGV: since, token, lock ms, the token that the caller waits for.
 * It returns an answer that was requested after `since`, or the token of a fetch that began after `since`, or the lock with a number that
 * grows from lock to lock.
 */
const CLAIM = `
local requested = tonumber(redis.call('HGET', KEYS[1], 'requested'))
if requested and requested >= tonumber(ARGV[1]) then return {'found', redis.call('HGET', KEYS[1], 'answer')} end
local held = redis.call('GET', KEYS[2])
if held then
  local failed = 'failed ' .. ARGV[4] .. ' '
  if ARGV[4] ~= '' and held:sub(1, #failed) == failed then return {'failed', held:sub(#failed + 1)} end
  local began = tonumber(held:match('^%d+'))
  if began and began >= tonumber(ARGV[1]) then return {'held', held} end
end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
local time = redis.call('TIME')
return {'mine', time[1] .. string.format('%06d', time[2])}
`;

/**
 * Lua script that stores an entry. KEYS: entry, lock. ARGV: token, fencing token, time of request, answer, its ms to live. An answer of an
 * earlier lock does not replace one of a later lock.
 */
const KEEP = `
local mine = redis.call('GET', KEYS[2]) == ARGV[1]
if mine or (tonumber(redis.call('HGET', KEYS[1], 'fence')) or -1) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'fence', ARGV[2], 'requested', ARGV[3], 'answer', ARGV[4])
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
end
if mine then redis.call('DEL', KEYS[2]) end
`;

/**
 * Lua script that updates a lock. KEYS: lock. ARGV: token, lock ms, failure. With a failure, waiting processes can read it for the given
 * time; else the lock is released (0 ms) or renewed.
 */
const HOLD = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return end
if ARGV[3] ~= '' then redis.call('SET', KEYS[1], 'failed ' .. ARGV[1] .. ' ' .. ARGV[3], 'PX', ARGV[2]) else redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    claimAnswerBuffer(
      entry: string,
      lock: string,
      since: number,
      token: string,
      lockMs: number,
      waitsFor: string,
    ): Result<[kind: Buffer, text: Buffer], Context>;
    keepAnswer(
      entry: string,
      lock: string,
      token: string,
      fence: string,
      requestedAt: number,
      answer: Buffer,
      ms: number,
    ): Result<unknown, Context>;
    holdAnswer(lock: string, token: string, ms: number, failure: string): Result<unknown, Context>;
  }
}

/** The right to fetch a key, for as long as Redis has the token as its lock. The fencing token is 0 if Redis was unavailable. */
interface Lock {
  readonly kind: 'mine';
  readonly token: string;
  readonly fence: string;
}

type Claim<V> =
  | Lock
  | { readonly kind: 'found'; readonly found: Fetched<V> }
  | { readonly kind: 'held'; readonly token: string }
  | { readonly kind: 'failed'; readonly error: AppError };

/** Names of a key in Redis, and the time from which its answer is valid. */
interface SharedKey<V> {
  readonly answers: SharedAnswers<never, V>;
  readonly entry: string;
  readonly lock: string;
  /** Epoch ms; see `Wanted.since`. */
  readonly since: number;
  /** False after a change of the version of the data. */
  readonly isCurrent: () => boolean;
}

/**
 * Answers that the processes of a service share through Redis, with one fetch per key over all of them. Redis is optional: while it is
 * unavailable, each process fetches separately.
 */
export class SharedCache {
  readonly #options: SharedCacheOptions;
  readonly #link: RedisLink;
  /** Lock → token of the pending fetch. */
  readonly #held = new Map<string, string>();
  readonly #renewing: NodeJS.Timeout;

  constructor(options: SharedCacheOptions) {
    this.#options = options;
    this.#link = new RedisLink({
      url: options.redisUrl,
      log: options.log,
      component: 'cache',
      texts: { away: 'each process fetches and caches for itself', back: 'processes share their answers again' },
      answerMs: options.answerMs ?? ANSWER_MS,
      scripts: {
        claimAnswer: { lua: CLAIM, numberOfKeys: 2 },
        keepAnswer: { lua: KEEP, numberOfKeys: 2 },
        holdAnswer: { lua: HOLD, numberOfKeys: 1 },
      },
    });
    this.#renewing = setInterval(() => {
      for (const [lock, token] of this.#held) this.#hold(lock, token, LOCK_MS);
    }, RENEW_MS).unref();
  }

  /** Returns a fetch that reads Redis first, and calls `fetch` for the keys that Redis does not have and no other process is fetching. */
  wrapFetch<K, V>(answers: SharedAnswers<K, V>, fetch: Fetch<K, V>): Fetch<K, V> {
    const prefix = `quipu:answers:${answers.name}:${digest([ENCODING_VERSION, this.#options.origin, z.toJSONSchema(answers.schema)])}:`;
    const entryOf = (key: K): string => prefix + digest(answers.key(key));
    return (wanted, context) => {
      const sharedKeys = wanted.map(({ key, since }): SharedKey<V> => {
        const entry = entryOf(key);
        return { answers, entry, lock: `${entry}:lock`, since, isCurrent: () => entryOf(key) === entry };
      });
      const claims = Promise.all(sharedKeys.map((key) => this.#claim(key)));
      const fetched = claims.then((all) => {
        const mine = wanted.filter((_, i) => all[i]?.kind === 'mine');
        const founds = mine.length === 0 ? [] : fetch(mine, context);
        return new Map(mine.map((one, i) => [one, founds[i]]));
      });
      return wanted.map(async (one, i) => {
        const sharedKey = sharedKeys[i] as SharedKey<V>;
        const claim = await this.#waitForHolder(sharedKey, (await claims)[i] as Claim<V>, context.signal);
        if (claim.kind === 'found') return claim.found;
        if (claim.kind === 'failed') throw claim.error;
        const found = (await fetched).get(one) ?? fetch([one], context)[0];
        return this.#publish(sharedKey, claim, found as Promise<Found<V>>, context.signal);
      });
    };
  }

  close(): void {
    clearInterval(this.#renewing);
    this.#link.close();
  }

  /** Waits while another process fetches the key. */
  async #waitForHolder<V>(key: SharedKey<V>, first: Claim<V>, signal: AbortSignal): Promise<Exclude<Claim<V>, { readonly kind: 'held' }>> {
    const until = performance.now() + WAIT_MS;
    let claim = first;
    for (let pauseMs = MIN_POLL_MS; claim.kind === 'held'; pauseMs = Math.min(2 * pauseMs, MAX_POLL_MS)) {
      if (performance.now() > until) return this.#localLock();
      await sleep(pauseMs, undefined, { signal });
      claim = await this.#claim(key, claim.token);
    }
    return claim;
  }

  async #claim<V>(key: SharedKey<V>, waitsFor = ''): Promise<Claim<V>> {
    const lock = this.#localLock();
    try {
      const [kind, text] = await this.#link.run((redis) =>
        redis.claimAnswerBuffer(key.entry, key.lock, Math.max(0, key.since), lock.token, LOCK_MS, waitsFor),
      );
      if (kind.toString() === 'mine') return { ...lock, fence: text.toString() };
      if (kind.toString() === 'held') return { kind: 'held', token: text.toString() };
      if (kind.toString() === 'failed') return { kind: 'failed', error: readFailure(text) };
      const found = await readEntry(text, key.answers, this.#options.now());
      if (found) return { kind: 'found', found };
      await this.#link.run((redis) => redis.unlink(key.entry));
      return this.#claim(key, waitsFor);
    } catch {
      return lock;
    }
  }

  /** Returns the right to fetch without a lock in Redis. */
  #localLock(): Lock {
    return { kind: 'mine', token: `${Math.floor(this.#options.now())} ${randomUUID()}`, fence: '0' };
  }

  /** Shares the result of a fetch, or its failure. The caller does not wait for Redis. */
  async #publish<V>(key: SharedKey<V>, { token, fence }: Lock, answer: Promise<Found<V>>, signal: AbortSignal): Promise<Found<V>> {
    this.#held.set(key.lock, token);
    try {
      const found = await answer;
      this.#keep(key, { token, fence }, found).catch(() => this.#hold(key.lock, token, 0)); // waiting processes then fetch separately
      return found;
    } catch (error) {
      const failure = signal.aborted ? '' : writeFailure(error);
      this.#hold(key.lock, token, failure === '' ? 0 : FAILURE_MS, failure);
      throw error;
    } finally {
      if (this.#held.get(key.lock) === token) this.#held.delete(key.lock);
    }
  }

  async #keep<V>({ entry, lock, answers, isCurrent }: SharedKey<V>, { token, fence }: Omit<Lock, 'kind'>, found: Found<V>): Promise<void> {
    const now = this.#options.now();
    const ms = Math.floor(Math.min(answers.policy.maxStaleAgeMs(found.value), (found.goodUntil ?? Number.POSITIVE_INFINITY) - now));
    const requestedAt = Number.parseInt(token, 10);
    const answer = await writeEntry({ fetchedAt: now, ...found, requestedAt, receivedAt: now });
    if (answer === null || ms <= 0 || !isCurrent()) return this.#hold(lock, token, 0);
    await this.#link.run((redis) => redis.keepAnswer(entry, lock, token, fence, requestedAt, answer, ms));
  }

  #hold(lock: string, token: string, ms: number, failure = ''): void {
    this.#link.run((redis) => redis.holdAnswer(lock, token, ms, failure)).catch(() => undefined); // RedisLink logs the reason
  }
}

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
