import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { AppError } from '../../domain/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { requestMessages } from '../../messages/requests.ts';
import { SharedRun } from '../../scheduling/shared-run.ts';
import type { UsageRecord } from '../store/usage-records.ts';
import { type Patience, USAGE_DEADLINE_MS } from '../usage-times.ts';
import { Appender, UnclearAppend } from './appender.ts';
import { drainFiles } from './drain.ts';
import { type Cut, type JournalEntry, writeEntry } from './entries.ts';
import type { ProcessFolder } from './folder.ts';

/*
 * The usage journal makes the usage of a request durable without a statement of the database.
 *
 * - Append: the entries of some iterations of the event loop are one write to a file of this process. The answers are sent when the write is on
 *   the disk.
 * - Drain: once a second the file is closed, its records are summed and inserted into the database, and it is deleted. A failed drain is
 *   repeated.
 * - Recovery: at the start and from time to time, a process drains the files of processes that were killed.
 *
 * Cost of a request: its share of one write, about 200 bytes. Bounds: when 64 MiB or 5 minutes of usage are not in the database, requests
 * that count are refused.
 */

/** The usage journal of a process. */
export interface UsageJournal {
  /**
   * Resolves when the record is on the disk. Until it is final, its quantity may grow.
   * @throws AppError SERVICE_UNAVAILABLE when that takes longer than 1.5 s or fails, or too much usage is not in the database; the answer must
   * not be sent then
   */
  record(record: UsageRecord): Promise<void>;
  /** Voids records whose request is refused, whether they are written already or not. */
  voidRecords(records: readonly UsageRecord[]): void;
  /** Writes to the database what was recorded before the call. Logs a failure, which the next drain makes good. */
  drain(): Promise<void>;
  /** Drains a last time, for some seconds at most. What remains is drained by another process. */
  close(): Promise<void>;
}

export interface UsageJournalDeps extends Patience {
  readonly folder: ProcessFolder;
  /** Pool of the drain. */
  readonly db: Knex;
  readonly log: Logger;
  /** Milliseconds between two drains; 1 s by default. */
  readonly drainEveryMs?: number;
  /** Bounds of what is not in the database. */
  readonly bounds?: JournalBounds;
}

export interface JournalBounds {
  readonly bytes: number;
  readonly ageMs: number;
}

const JOURNAL_BOUNDS: JournalBounds = { bytes: 64 * 1024 * 1024, ageMs: 5 * MINUTE_MS };

/** Interval at which files of killed processes are looked for. */
const RECOVER_MS = 30 * SECOND_MS;
/** Time in which a file system that failed is not tried again, so that a full disk does not fill a folder with empty files. */
const REST_MS = SECOND_MS / 4;
/**
 * Time in ms for which a batch may grow. A write costs more CPU time than a request, whatever its size, so that fewer and larger ones answer
 * more requests a second.
 */
const GATHER_MS = 2;
/** Maximum time for the last drain. */
const CLOSE_MS = 5 * SECOND_MS;

export const notRecorded = () =>
  new AppError('SERVICE_UNAVAILABLE', requestMessages.usageNotRecorded(), {
    retryAfterSeconds: 2,
  });

/** Records that are appended together. */
interface Batch {
  readonly records: UsageRecord[];
  readonly written: PromiseWithResolvers<void>;
  readonly deadline: NodeJS.Timeout;
  isRefused: boolean;
}

/** Creates the journal, and drains what killed processes have left. */
export async function openUsageJournal(deps: UsageJournalDeps): Promise<UsageJournal> {
  const journal = new StoredJournal(deps);
  await journal.recover();
  await journal.drain();
  journal.start();
  // Members of this object may be copied to another one, which methods of a class would not survive.
  return {
    record: (record) => journal.record(record),
    voidRecords: (records) => journal.voidRecords(records),
    drain: () => journal.drain(),
    close: () => journal.close(),
  };
}

class StoredJournal implements UsageJournal {
  readonly #deps: Required<Omit<UsageJournalDeps, 'patience'>>;
  readonly #deadlineMs: number;
  readonly #appender: Appender;
  readonly #timers: NodeJS.Timeout[] = [];
  /** The batch that fills, while the one before is appended. */
  #batch: Batch | null = null;
  /** Written records whose voids are appended with the next batch. */
  #voided: UsageRecord[] = [];
  /** Ends of files that are appended with the next batch, for the case that another process drains the files. */
  #unwrittenCuts: Cut[] = [];
  /** Ends of files that are not drained. */
  #cuts: Cut[] = [];
  #isAppending = false;
  /** Settles at the end of the last run of `#appendAll`. */
  #appended: Promise<void> = Promise.resolve();
  /** Time until which a file system that failed is not tried again; by `performance.now()`. */
  #restsUntil = 0;
  /** Bytes that are not in the database, and the last time (epoch ms) at which all earlier ones were. */
  #undrained = 0;
  #drainedAt = Date.now();
  readonly #draining = new SharedRun(() => this.#drainAll());
  #isFailing = false;

  constructor({ patience = 1, drainEveryMs = SECOND_MS, bounds = JOURNAL_BOUNDS, ...deps }: UsageJournalDeps) {
    this.#deps = { ...deps, drainEveryMs, bounds };
    this.#deadlineMs = USAGE_DEADLINE_MS * patience;
    this.#appender = new Appender(deps.folder.path);
  }

  start(): void {
    const { drainEveryMs } = this.#deps;
    this.#timers.push(setInterval(() => void this.drain(), drainEveryMs).unref());
    this.#timers.push(setInterval(() => void this.recover(), RECOVER_MS).unref());
  }

  async record(record: UsageRecord): Promise<void> {
    if (this.#isFull() || performance.now() < this.#restsUntil) {
      record.state = 'final';
      throw notRecorded();
    }
    this.#batch ??= this.#newBatch();
    const { records, written } = this.#batch;
    records.push(record);
    this.#scheduleAppend();
    return written.promise;
  }

  voidRecords(records: readonly UsageRecord[]): void {
    for (const record of records) {
      if (record.state === 'written') this.#voided.push(record);
      record.state = 'void';
    }
    if (this.#hasCorrections()) this.#scheduleAppend();
  }

  drain(): Promise<void> {
    return this.#draining.start();
  }

  /** Takes the files of killed processes, which the next drain reads. */
  async recover(): Promise<void> {
    const { folder, log } = this.#deps;
    try {
      const files = await folder.recover();
      if (files > 0) log.info({ component: 'usage', files }, 'usage journals of processes that were killed are drained');
    } catch (error) {
      log.error({ component: 'usage', why: (error as Error).message }, 'usage journals of other processes could not be looked for');
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    if (this.#hasCorrections()) this.#scheduleAppend();
    // Appends come first, because the folder ends: the voids of the last requests would be lost.
    const drained = this.#appended.then(() => this.drain());
    await Promise.race([drained, sleep(CLOSE_MS, undefined, { ref: false })]);
    await this.#deps.folder.close();
  }

  #isFull(): boolean {
    const { bytes, ageMs } = this.#deps.bounds;
    return this.#undrained > bytes || (this.#undrained > 0 && Date.now() - this.#drainedAt > ageMs);
  }

  #hasCorrections(): boolean {
    return this.#voided.length > 0 || this.#unwrittenCuts.length > 0;
  }

  #newBatch(): Batch {
    const batch: Batch = {
      records: [],
      written: Promise.withResolvers<void>(),
      deadline: setTimeout(() => this.#refuse(batch), this.#deadlineMs),
      isRefused: false,
    };
    batch.written.promise.catch(() => undefined); // a batch of voids only has no caller
    return batch;
  }

  #refuse(batch: Batch): void {
    if (this.#batch === batch) this.#batch = null; // it waits, so nothing of it is appended
    finish(batch);
    batch.isRefused = true;
    batch.written.reject(notRecorded());
  }

  /** Appends once the batch is gathered, or after the append that is under way. */
  #scheduleAppend(): void {
    if (this.#isAppending) return;
    this.#isAppending = true;
    this.#appended = this.#appendAll();
  }

  async #appendAll(): Promise<void> {
    while (this.#batch || (this.#hasCorrections() && performance.now() >= this.#restsUntil)) {
      await this.#gather();
      const batch = this.#batch ?? this.#newBatch();
      this.#batch = null;
      await this.#append(batch, { voided: this.#voided.splice(0), cuts: this.#unwrittenCuts.splice(0) });
    }
    this.#isAppending = false;
  }

  /** Waits for the end of the next iteration of the event loop, and further while each iteration adds records, for GATHER_MS at most. */
  async #gather(): Promise<void> {
    const end = performance.now() + GATHER_MS;
    let count: number;
    await nextIteration();
    do {
      count = this.#batch?.records.length ?? 0;
      await nextIteration();
    } while ((this.#batch?.records.length ?? 0) > count && performance.now() < end);
  }

  /** Appends a batch and corrections. A batch that fails is refused; the corrections are appended with a later one. */
  async #append(batch: Batch, { voided, cuts }: { readonly voided: readonly UsageRecord[]; readonly cuts: readonly Cut[] }): Promise<void> {
    finish(batch);
    const { written, deadline } = batch;
    const records = batch.records.filter(({ state }) => state === 'final');
    const entries: readonly JournalEntry[] = [
      ...cuts.map((cut) => ({ cut })),
      ...records.map((record) => ({ record })),
      ...voided.map((record) => ({ voided: record })),
    ];
    const bytes = Buffer.from(entries.map(writeEntry).join(''));
    try {
      if (bytes.length > 0) await this.#appender.append(bytes);
      this.#undrained += bytes.length;
      written.resolve();
      const refused = records.filter(({ state }) => batch.isRefused || state === 'void');
      for (const record of records) record.state = 'written';
      this.voidRecords(refused);
    } catch (error) {
      this.#deps.log.error({ component: 'usage', records: records.length, why: (error as Error).message }, 'usage could not be recorded');
      this.#restsUntil = performance.now() + REST_MS;
      this.#voided.push(...voided);
      this.#unwrittenCuts.push(...cuts);
      if (error instanceof UnclearAppend) {
        this.#cuts.push(error.cut);
        this.#unwrittenCuts.push(error.cut);
      }
      this.#refuse(batch);
    } finally {
      clearTimeout(deadline);
    }
  }

  async #drainAll(): Promise<void> {
    const { folder, db, log } = this.#deps;
    if (this.#hasCorrections()) this.#scheduleAppend();
    const startedAt = Date.now();
    try {
      const files = await this.#appender.rotate();
      const bytes = this.#undrained;
      const cuts = [...this.#cuts];
      await drainFiles(folder.path, files, { db, log, cuts });
      this.#cuts = this.#cuts.filter((cut) => !cuts.includes(cut));
      this.#undrained -= bytes;
      this.#drainedAt = startedAt;
      this.#isFailing = false;
    } catch (error) {
      const why = (error as Error).message;
      if (!this.#isFailing) log.error({ component: 'usage', why }, 'the usage journal could not be drained; retrying');
      this.#isFailing = true;
    }
  }
}

/** Freezes the records of a batch. */
function finish({ records }: Batch): void {
  for (const record of records) if (record.state === 'open') record.state = 'final';
}
