import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Sealer } from '../db/sealer.ts';
import { AppError } from '../domain/errors.ts';
import { type Clock, DAY_MS, isoDate, SECOND_MS } from '../domain/time.ts';
import { requestMessages } from '../messages/requests.ts';
import {
  acquireLease,
  type Claim,
  chargeQuota,
  DAILY_QUOTA,
  deleteLeased,
  type IdempotencyKey,
  purgeKeys,
  readState,
  type StoredResponse,
  updateLeased,
} from './store/idempotency-keys.ts';

/** The exclusive right to answer, under a lease that is renewed automatically. */
export interface Attempt {
  /**
   * Claim that the attempts under the Idempotency-Key share until one of them is answered. Their usage records have the same ids, so an
   * answer is billed once, however many attempts it takes.
   */
  readonly claim: Claim;
  /**
   * Stores the response, before it is sent. `lost`: another attempt has taken over, and this one must not answer. `too_large`: nothing is
   * stored, because the response or the day's responses of the API key are too large; call `completeWithout` or `releaseAnswered`.
   */
  complete(response: StoredResponse): Promise<'stored' | 'lost' | 'too_large'>;
  /** Records that the request was done and its response is not stored, so that repeated requests are refused. Returns like `complete`. */
  completeWithout(): Promise<'stored' | 'lost'>;
  /** Ends the lease without an answer. The next request may try, and is billed together with this one. */
  release(): Promise<void>;
  /**
   * Ends the lease for an answer that is sent and not stored. The next request may try, and is billed separately. Returns like `complete`.
   */
  releaseAnswered(): Promise<'stored' | 'lost'>;
}

/**
 * Storage of responses by Idempotency-Key. Repeated requests under a key get the first response, for 24 hours. The key belongs to one
 * request from its first attempt on.
 */
export interface Idempotency {
  /**
   * Returns the stored response or, without one, an attempt to create it. It waits while another attempt runs.
   * @param bodyHash SHA-256 of the request, except for its headers
   * @throws AppError IDEMPOTENCY_KEY_REUSED for another request, also if the first failed, IDEMPOTENCY_IN_PROGRESS when there is no
   * response after 10 s, IDEMPOTENCY_ANSWER_NOT_STORED when the first request was done without storing its response, RATE_LIMITED over the
   * quota of keys
   */
  begin(key: IdempotencyKey, bodyHash: Buffer): Promise<StoredResponse | Attempt>;
  /** Deletes expired keys with their responses. */
  purge(): Promise<void>;
}

export interface IdempotencyDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** Encrypts the bodies of stored responses. */
  readonly sealer: Sealer;
}

const KEPT_MS = DAY_MS;
/** Maximum size of a stored body, in bytes. */
export const MAX_BODY_BYTES = 256 * 1024;
/**
 * Duration of a lease. An attempt that has not renewed its lease for this time counts as dead. It is well above the clock difference of
 * two machines.
 */
const LEASE_MS = 6 * SECOND_MS;
const RENEW_MS = 2 * SECOND_MS;
const WAIT_MS = 10 * SECOND_MS;
const FIRST_POLL_MS = 25;
const LAST_POLL_MS = 400;

export function createIdempotency({ db, now, sealer }: IdempotencyDeps): Idempotency {
  const expiredBefore = () => now() - KEPT_MS;

  async function startAttempt(key: IdempotencyKey, bodyHash: Buffer): Promise<Attempt | null> {
    const attempt = randomUUID();
    const lease = { attempt, bodyHash, now: now(), leaseUntil: now() + LEASE_MS, expiredBefore: expiredBefore() };
    const newClaim = randomUUID();
    const claim = await acquireLease(db, key, { ...lease, newClaim });
    if (claim === null) return null;
    if (claim.id === newClaim && !(await chargeQuota(db, key.keyId, { day: isoDate(now()), keys: 1, bytes: 0 }))) {
      await deleteLeased(db, key, attempt);
      throw overQuota(now());
    }
    const update = (columns: object) => updateLeased(db, key, attempt, columns);
    const renewing = setInterval(() => void update({ lease_until: new Date(now() + LEASE_MS) }).catch(() => undefined), RENEW_MS).unref();
    return {
      claim,
      async complete({ status, headers, body, modules }) {
        const bytes = Buffer.byteLength(body);
        if (bytes > MAX_BODY_BYTES || !(await chargeQuota(db, key.keyId, { day: isoDate(now()), keys: 0, bytes }))) return 'too_large';
        clearInterval(renewing);
        const columns = { status, headers: JSON.stringify(headers), body: sealer.seal(body), modules: [...modules] };
        return (await update({ state: 'done', ...columns })) ? 'stored' : 'lost';
      },
      async completeWithout() {
        clearInterval(renewing);
        return (await update({ state: 'done' })) ? 'stored' : 'lost';
      },
      async release() {
        clearInterval(renewing);
        await update({ state: 'free' });
      },
      async releaseAnswered() {
        clearInterval(renewing);
        return (await update({ state: 'free', claim: randomUUID() })) ? 'stored' : 'lost';
      },
    };
  }

  return {
    async begin(key, bodyHash) {
      const deadline = performance.now() + WAIT_MS;
      for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_POLL_MS)) {
        const known = await readState(db, key, { now: now(), expiredBefore: expiredBefore() });
        if (known?.bodyHash.equals(bodyHash) === false) throw reused();
        if (known?.state === 'done' && !known.response) throw notStored();
        if (known?.response) return { ...known.response, body: sealer.open(known.response.body) };
        const attempt = known?.state === 'running' ? null : await startAttempt(key, bodyHash);
        if (attempt) return attempt;
        if (performance.now() > deadline) throw inProgress();
        await sleep(pauseMs);
      }
    },
    purge: () => purgeKeys(db, { expiredBefore: expiredBefore(), day: isoDate(now()) }),
  };
}

const reused = () => new AppError('IDEMPOTENCY_KEY_REUSED', requestMessages.idempotencyKeyReused());

/** Creates the error for a key whose first request has no response yet. */
export const inProgress = () =>
  new AppError('IDEMPOTENCY_IN_PROGRESS', requestMessages.idempotencyInProgress(), {
    retryAfterSeconds: 2,
  });

const notStored = () => new AppError('IDEMPOTENCY_ANSWER_NOT_STORED', requestMessages.idempotencyAnswerNotStored());

const overQuota = (now: number) =>
  new AppError('RATE_LIMITED', requestMessages.idempotencyQuota({ max: DAILY_QUOTA.keys }), {
    retryAfterSeconds: Math.ceil((DAY_MS - (now % DAY_MS)) / SECOND_MS),
  });
