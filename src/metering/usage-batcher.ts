import { createHash, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ModuleName } from '../domain/catalogue.ts';
import { AppError } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';
import { monthOf } from '../domain/usage.ts';
import type { UsageRecord } from './usage-store.ts';

/** Stores usage records. Concurrent records share a statement. */
export interface UsageBatcher {
  /**
   * Resolves when the record is committed.
   * @throws AppError SERVICE_UNAVAILABLE when that takes longer than 1.5 s or fails: the answer must not be sent then
   */
  record(record: UsageRecord): Promise<void>;
}

export interface UsageBatcherDeps {
  /** Writes all records or none. */
  readonly write: (records: readonly UsageRecord[]) => Promise<void>;
  readonly log: Logger;
}

/** Below the 2 s within which a caller gets an answer or a refusal. */
const DEADLINE_MS = 1.5 * SECOND_MS;
/** Records in one statement. */
const MAX_BATCH = 5_000;

interface Batch {
  readonly records: UsageRecord[];
  readonly written: PromiseWithResolvers<void>;
  readonly deadline: NodeJS.Timeout;
}

/**
 * Group commit: while one batch is written the next one fills, so the database gets as many statements as it can answer and each
 * caller waits for two of them at most. A batch that is not written when its deadline passes is dropped.
 */
export function createUsageBatcher({ write, log }: UsageBatcherDeps): UsageBatcher {
  let queue: Batch[] = [];
  let isWriting = false;

  function addBatch(): Batch {
    const batch: Batch = { records: [], written: Promise.withResolvers<void>(), deadline: setTimeout(() => drop(batch), DEADLINE_MS) };
    queue.push(batch);
    if (!isWriting) setImmediate(writeQueue); // records of this turn of the event loop share a batch
    isWriting = true;
    return batch;
  }

  function drop(batch: Batch): void {
    queue = queue.filter((one) => one !== batch);
    batch.written.reject(notRecorded());
  }

  async function writeQueue(): Promise<void> {
    for (let batch = queue.shift(); batch; batch = queue.shift()) await writeBatch(batch);
    isWriting = false;
  }

  async function writeBatch({ records, written, deadline }: Batch): Promise<void> {
    try {
      await write(records);
      written.resolve();
    } catch (error) {
      log.error({ component: 'usage', records: records.length, why: (error as Error).message }, 'usage could not be recorded');
      written.reject(notRecorded());
    } finally {
      clearTimeout(deadline);
    }
  }

  return {
    record(record) {
      const last = queue.at(-1);
      const batch = last && last.records.length < MAX_BATCH ? last : addBatch();
      batch.records.push(record);
      return batch.written.promise;
    },
  };
}

const notRecorded = () =>
  new AppError('SERVICE_UNAVAILABLE', 'Your usage cannot be recorded right now, so nothing was answered; try again in a moment.', {
    retryAfterSeconds: 2,
  });

/** The request that a usage record belongs to. */
export interface RecordedRequest {
  readonly keyId: string;
  readonly requestId: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** The claim of its Idempotency-Key: another attempt's answer to the same question has the same record id. */
  readonly claim?: string;
}

/** @param question loader name and key; only its hash is stored */
export function usageRecordOf({ keyId, requestId, startedAt, claim }: RecordedRequest, module: ModuleName, question: string): UsageRecord {
  const questionHash = createHash('sha256').update(question).digest('hex');
  const id = claim === undefined ? timedId(startedAt) : derivedId(claim, questionHash);
  return { id, keyId, module, month: monthOf(startedAt), at: startedAt, requestId, questionHash };
}

/** A UUID of version 7: records of the same time are neighbours in the index, which makes inserts cheap. */
function timedId(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** A UUID of version 8: the first 128 bits of a SHA-256. */
function derivedId(claim: string, questionHash: string): string {
  const hex = createHash('sha256').update(claim).update(questionHash).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
