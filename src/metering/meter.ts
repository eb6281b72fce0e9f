import { createHash, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { AppError } from '../domain/errors.ts';
import type { ModuleName } from '../domain/modules.ts';
import { SECOND_MS } from '../domain/time.ts';
import { monthOf } from '../domain/usage.ts';
import type { Use } from './usage-store.ts';

/** Counts what is answered. */
export interface Meter {
  /**
   * Settles when the use is written down for good.
   * @throws AppError SERVICE_UNAVAILABLE when that has not come about within 1.5 s: then the answer must not be given
   */
  count(use: Use): Promise<void>;
}

export interface MeterDeps {
  /** Writes all of them or none. */
  readonly record: (uses: readonly Use[]) => Promise<void>;
  readonly log: Logger;
}

/** Short of the 2 s within which a caller is told. */
const RECORD_WITHIN_MS = 1.5 * SECOND_MS;
/** Uses in one statement. */
const MAX_BATCH = 5_000;

interface Batch {
  readonly uses: Use[];
  readonly recorded: PromiseWithResolvers<void>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Writes in groups: while one group is being written the next gathers, so that the database sees as many statements as it can
 * answer, and each caller waits for two of them at most. A group that waited for too long is never written.
 */
export function createMeter({ record, log }: MeterDeps): Meter {
  let waiting: Batch[] = [];
  let writing = false;

  function open(): Batch {
    const recorded = Promise.withResolvers<void>();
    const batch: Batch = { uses: [], recorded, timer: setTimeout(() => giveUp(batch), RECORD_WITHIN_MS) };
    waiting.push(batch);
    if (!writing) setImmediate(writeAll); // what is answered in this turn of the loop is one group
    writing = true;
    return batch;
  }

  function giveUp(batch: Batch): void {
    waiting = waiting.filter((one) => one !== batch);
    batch.recorded.reject(unrecorded());
  }

  async function writeAll(): Promise<void> {
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) await write(batch);
    writing = false;
  }

  async function write({ uses, recorded, timer }: Batch): Promise<void> {
    try {
      await record(uses);
      recorded.resolve();
    } catch (error) {
      log.error({ component: 'meter', uses: uses.length, why: (error as Error).message }, 'usage could not be recorded');
      recorded.reject(unrecorded());
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    count(use) {
      const last = waiting.at(-1);
      const batch = last && last.uses.length < MAX_BATCH ? last : open();
      batch.uses.push(use);
      return batch.recorded.promise;
    },
  };
}

const unrecorded = () =>
  new AppError('SERVICE_UNAVAILABLE', 'Your usage cannot be recorded right now, so nothing was answered; try again in a moment.', {
    retryAfterSeconds: 2,
  });

/** What a request counts its answers as. */
export interface Countable {
  readonly keyId: string;
  readonly requestId: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** The claim of its Idempotency-Key: another attempt's answers to the same questions are the same uses. */
  readonly claim?: string;
}

/** An answer to a question → the use that it is. */
export function useOf({ keyId, requestId, startedAt, claim }: Countable, module: ModuleName, question: string): Use {
  const questionHash = createHash('sha256').update(question).digest('hex');
  const id = claim === undefined ? timedId(startedAt) : derivedId(claim, questionHash);
  return { id, keyId, module, month: monthOf(startedAt), at: startedAt, requestId, questionHash };
}

/** A UUID of version 7: neighbours in time are neighbours in the index, which makes writing them cheap. */
function timedId(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** A UUID of version 8: the first 128 bits of a SHA-256. */
function derivedId(claim: string, questionHash: string): string {
  const hex = createHash('sha256').update(claim).update(questionHash).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
