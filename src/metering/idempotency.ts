import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Sealer } from '../db/sealer.ts';
import { AppError } from '../domain/errors.ts';
import { type Clock, DAY_MS, SECOND_MS } from '../domain/time.ts';
import { changeClaim, type Place, purgeClaims, readHeld, takeClaim } from './claims.ts';

/** An answer as it was given, and is given again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The right to answer. */
export interface Attempt {
  /** Uses that are counted under it are counted once, whichever attempt does so. */
  readonly claim: string;
  /** Keeps the answer, before it is given; false where another attempt has taken over and this one must not answer. */
  keep(answer: KeptAnswer): Promise<boolean>;
  /** Lets the next request try. */
  release(): Promise<void>;
}

/** Requests that are repeated under one Idempotency-Key get one answer, for 24 hours. */
export interface Idempotency {
  /**
   * The answer, where there is one, else the right to give it; waits for one that is on its way.
   * @throws AppError IDEMPOTENCY_KEY_REUSED for another body, IDEMPOTENCY_IN_PROGRESS when there is no answer in 10 s
   */
  begin(place: Place, bodyHash: Buffer): Promise<KeptAnswer | Attempt>;
  purge(): Promise<void>;
}

export interface IdempotencyDeps {
  readonly db: Knex;
  readonly now: Clock;
  readonly sealer: Sealer;
}

const KEPT_MS = DAY_MS;
/** Silent for longer, an attempt is taken for dead; well above what clocks of two machines differ by. */
const LEASE_MS = 6 * SECOND_MS;
const RENEW_MS = 2 * SECOND_MS;
const WAIT_MS = 10 * SECOND_MS;
const FIRST_POLL_MS = 25;
const LAST_POLL_MS = 400;

export function createIdempotency({ db, now, sealer }: IdempotencyDeps): Idempotency {
  const expired = () => now() - KEPT_MS;

  async function attemptAt(place: Place, bodyHash: Buffer): Promise<Attempt | null> {
    const attempt = randomUUID();
    const terms = { claim: randomUUID(), attempt, bodyHash, now: now(), leaseUntil: now() + LEASE_MS, expired: expired() };
    const claim = await takeClaim(db, place, terms);
    if (claim === null) return null;
    const change = (columns: object) => changeClaim(db, place, attempt, columns);
    const renewing = setInterval(() => void change({ lease_until: new Date(now() + LEASE_MS) }).catch(() => undefined), RENEW_MS).unref();
    return {
      claim,
      keep({ status, headers, body }) {
        clearInterval(renewing);
        return change({ state: 'done', status, headers: JSON.stringify(headers), body: sealer.seal(body) });
      },
      async release() {
        clearInterval(renewing);
        await change({ state: 'free' });
      },
    };
  }

  return {
    async begin(place, bodyHash) {
      const deadline = performance.now() + WAIT_MS;
      for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_POLL_MS)) {
        const held = await readHeld(db, place, { now: now(), expired: expired() });
        if (held?.state !== 'open' && held?.bodyHash.equals(bodyHash) === false) throw reused();
        if (held?.kept) return { ...held.kept, body: sealer.open(held.kept.body) };
        const attempt = held?.state === 'running' ? null : await attemptAt(place, bodyHash);
        if (attempt) return attempt;
        if (performance.now() > deadline) throw inProgress();
        await sleep(pauseMs);
      }
    },
    purge: () => purgeClaims(db, expired()),
  };
}

const reused = () =>
  new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was sent before with another request; take a new key for a new request.');

/** Of a request whose first sending has not been answered. */
export const inProgress = () =>
  new AppError(
    'IDEMPOTENCY_IN_PROGRESS',
    'The first request under this Idempotency-Key has not been answered yet; repeat it in a moment.',
    {
      retryAfterSeconds: 2,
    },
  );
