import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AppError } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';
import type { UsageRecord } from './store/usage-records.ts';
import { type Patience, USAGE_DEADLINE_MS } from './usage-times.ts';

/** Stores usage records. Concurrent records share a statement. */
export interface UsageBatcher {
  /**
   * Resolves when the record is committed. Until it is final, its quantity may grow.
   * @throws AppError SERVICE_UNAVAILABLE when that takes longer than 1.5 s or fails; the answer must not be sent then
   */
  record(record: UsageRecord): Promise<void>;
  /** Voids records whose request was refused afterwards. It retries until it succeeds. */
  voidRecords(records: readonly UsageRecord[]): Promise<void>;
  /** Stops the retries of `voidRecords`. */
  close(): void;
}

export interface UsageBatcherDeps extends Patience {
  /** Writes all records or none. */
  readonly write: (records: readonly UsageRecord[]) => Promise<void>;
  /** Undoes a write of records whose requests were refused. */
  readonly undo: (records: readonly UsageRecord[]) => Promise<void>;
  readonly log: Logger;
}

/** Maximum number of records in one statement. */
const MAX_BATCH = 5_000;

/** Pause in ms before a failed `undo` is retried. */
const UNDO_PAUSE_MS = SECOND_MS;

interface Batch {
  readonly records: UsageRecord[];
  isRefused: boolean;
  readonly written: PromiseWithResolvers<void>;
  readonly deadline: NodeJS.Timeout;
}

/**
 * Writes records by group commit: while one batch is written the next one fills, so that the database gets as many statements as it can
 * process, and each caller waits for two of them at most. A batch that is not written at its deadline is refused: it is dropped, or voided
 * if its write was pending or may have been committed before its connection was lost.
 */
export function createUsageBatcher(deps: UsageBatcherDeps): UsageBatcher {
  const commits = new GroupCommit(deps);
  // Members of this object may be copied to another one, which methods of a class would not survive.
  return {
    record: (record) => commits.record(record),
    voidRecords: (records) => commits.voidRecords(records),
    close: () => commits.close(),
  };
}

class GroupCommit implements UsageBatcher {
  readonly #deps: UsageBatcherDeps;
  #queue: Batch[] = [];
  #isWriting = false;
  #isClosed = false;

  constructor(deps: UsageBatcherDeps) {
    this.#deps = deps;
  }

  record(record: UsageRecord): Promise<void> {
    const last = this.#queue.at(-1);
    const batch = last && last.records.length < MAX_BATCH ? last : this.#addBatch();
    batch.records.push(record);
    return batch.written.promise;
  }

  async voidRecords(records: readonly UsageRecord[]): Promise<void> {
    const { undo, log } = this.#deps;
    while (!this.#isClosed && records.length > 0) {
      try {
        return await undo(records);
      } catch (error) {
        log.error({ component: 'usage', records: records.length, why: (error as Error).message }, 'refused usage is not voided yet');
        await sleep(UNDO_PAUSE_MS, undefined, { ref: false });
      }
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  #addBatch(): Batch {
    const { patience = 1 } = this.#deps;
    const batch: Batch = {
      records: [],
      isRefused: false,
      written: Promise.withResolvers<void>(),
      deadline: setTimeout(() => this.#drop(batch), USAGE_DEADLINE_MS * patience),
    };
    this.#queue.push(batch);
    if (!this.#isWriting) setImmediate(() => void this.#writeQueue()); // records of this tick of the event loop share a batch
    this.#isWriting = true;
    return batch;
  }

  #drop(batch: Batch): void {
    this.#queue = this.#queue.filter((one) => one !== batch);
    batch.isRefused = true;
    finish(batch);
    batch.written.reject(notRecorded());
  }

  async #writeQueue(): Promise<void> {
    for (let batch = this.#queue.shift(); batch; batch = this.#queue.shift()) await this.#writeBatch(batch);
    this.#isWriting = false;
  }

  async #writeBatch(batch: Batch): Promise<void> {
    const { write, log } = this.#deps;
    const { records, written, deadline } = batch;
    finish(batch);
    try {
      await write(records);
      written.resolve();
    } catch (error) {
      log.error({ component: 'usage', records: records.length, why: (error as Error).message }, 'usage could not be recorded');
      batch.isRefused = true;
      written.reject(notRecorded());
    } finally {
      clearTimeout(deadline);
    }
    if (batch.isRefused) void this.voidRecords(records);
  }
}

/** Freezes the records of a batch. */
function finish({ records }: Batch): void {
  for (const record of records) record.isFinal = true;
}

export const notRecorded = () =>
  new AppError('SERVICE_UNAVAILABLE', 'Your usage cannot be recorded right now, so nothing was answered; try again in a moment.', {
    retryAfterSeconds: 2,
  });
