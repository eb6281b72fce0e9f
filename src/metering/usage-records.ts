import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { preparedAs } from '../db/knex.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import { AppError } from '../domain/errors.ts';
import { firstDay, monthOf, SECOND_MS } from '../domain/time.ts';
import { nextSlice } from '../scheduling/slices.ts';
import { type Patience, USAGE_DEADLINE_MS } from './usage-times.ts';

/** Answers of a module that a request counts together, in one row. */
export interface UsageRecord {
  readonly id: string;
  readonly keyId: string;
  readonly module: ModuleName;
  /** Month of the answers, such as `2026-11`. */
  readonly month: string;
  /** Epoch ms at which the request began. */
  readonly at: number;
  readonly requestId: string;
  /** SHA-256 of the query, hexadecimal, for a request with an Idempotency-Key, which has a row per query; null for any other request. */
  readonly questionHash: string | null;
  /** Number of the attempt under the Idempotency-Key; 0 for any other request. */
  readonly attempt: number;
  /** Number of answers. It grows until `isFinal`. */
  quantity: number;
  /** True once the record is being written, or was refused. */
  isFinal: boolean;
}

/**
 * Inserts usage records and adds the new ones to the counters, in one statement. A record whose id is stored already (under an
 * Idempotency-Key) is not counted again. It belongs to the latest attempt, so that the refusal of an earlier one cannot void it, even if
 * the earlier one writes last. Both tables are written in the order of their keys, so concurrent writers cannot deadlock. The array
 * literals are built here, because the driver takes longer to escape each text.
 */
export async function insertUsage(db: Knex, records: readonly UsageRecord[]): Promise<void> {
  const latest = new Map(records.toSorted((a, b) => a.attempt - b.attempt).map((record) => [record.id, record]));
  const sorted = [...latest.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const arrayOf = (textOf: (record: UsageRecord) => string): string => `{"${sorted.map(textOf).join('","')}"}`; // no value contains a quote
  const insert = db.raw(
    `WITH new AS (
       INSERT INTO usage_events AS held (id, key_id, module, month, at, request_id, question_hash, quantity, attempt)
       SELECT id, key_id, module, month, at, request_id, decode(nullif(hash, ''), 'hex'), quantity, attempt
       FROM unnest(?::uuid[], ?::uuid[], ?::text[], ?::date[], ?::timestamptz[], ?::text[], ?::text[], ?::int[], ?::int[])
         AS use (id, key_id, module, month, at, request_id, hash, quantity, attempt)
       ON CONFLICT (id) DO UPDATE SET request_id = excluded.request_id, attempt = excluded.attempt WHERE held.attempt < excluded.attempt
       RETURNING key_id, module, month, quantity, xmax = 0 AS is_new
     )
     INSERT INTO usage_counters AS counter (key_id, module, month, used)
     SELECT key_id, module, month, sum(quantity) FROM new WHERE is_new GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (key_id, module, month) DO UPDATE SET used = counter.used + excluded.used`,
    [
      arrayOf(({ id }) => id),
      arrayOf(({ keyId }) => keyId),
      arrayOf(({ module }) => module),
      arrayOf(({ month }) => firstDay(month)),
      arrayOf(({ at }) => new Date(at).toISOString()),
      arrayOf(({ requestId }) => requestId),
      arrayOf(({ questionHash }) => questionHash ?? ''),
      arrayOf(({ quantity }) => String(quantity)),
      arrayOf(({ attempt }) => String(attempt)),
    ],
  );
  await insert.options(preparedAs(db, 'insert_usage'));
}

/** Deletes the usage records of refused requests and subtracts them from the counters, in one statement. Records that are not stored are skipped. */
export async function voidUsage(db: Knex, records: readonly UsageRecord[]): Promise<void> {
  await db.raw(
    `WITH refused AS (
       DELETE FROM usage_events AS event USING unnest(?::uuid[], ?::int[]) AS use (id, attempt)
       WHERE event.id = use.id AND event.attempt = use.attempt
       RETURNING event.key_id, event.module, event.month, event.quantity
     )
     INSERT INTO usage_counters AS counter (key_id, module, month, used)
     SELECT key_id, module, month, sum(quantity) FROM refused GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (key_id, module, month) DO UPDATE SET used = counter.used - excluded.used`,
    [records.map(({ id }) => id), records.map(({ attempt }) => attempt)],
  );
}

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
export function createUsageBatcher({ write, undo, log, patience = 1 }: UsageBatcherDeps): UsageBatcher {
  let queue: Batch[] = [];
  let isWriting = false;
  let isClosed = false;

  function addBatch(): Batch {
    const batch: Batch = {
      records: [],
      isRefused: false,
      written: Promise.withResolvers<void>(),
      deadline: setTimeout(() => drop(batch), USAGE_DEADLINE_MS * patience),
    };
    queue.push(batch);
    if (!isWriting) setImmediate(writeQueue); // records of this tick of the event loop share a batch
    isWriting = true;
    return batch;
  }

  function drop(batch: Batch): void {
    queue = queue.filter((one) => one !== batch);
    batch.isRefused = true;
    finish(batch);
    batch.written.reject(notRecorded());
  }

  /** Freezes the records of the batch. */
  function finish({ records }: Batch): void {
    for (const record of records) record.isFinal = true;
  }

  async function writeQueue(): Promise<void> {
    for (let batch = queue.shift(); batch; batch = queue.shift()) await writeBatch(batch);
    isWriting = false;
  }

  async function writeBatch(batch: Batch): Promise<void> {
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
    if (batch.isRefused) void voidRecords(records);
  }

  async function voidRecords(records: readonly UsageRecord[]): Promise<void> {
    while (!isClosed && records.length > 0) {
      try {
        return await undo(records);
      } catch (error) {
        log.error({ component: 'usage', records: records.length, why: (error as Error).message }, 'refused usage is not voided yet');
        await sleep(UNDO_PAUSE_MS, undefined, { ref: false });
      }
    }
  }

  return {
    voidRecords,
    record(record) {
      const last = queue.at(-1);
      const batch = last && last.records.length < MAX_BATCH ? last : addBatch();
      batch.records.push(record);
      return batch.written.promise;
    },
    close() {
      isClosed = true;
    },
  };
}

export const notRecorded = () =>
  new AppError('SERVICE_UNAVAILABLE', 'Your usage cannot be recorded right now, so nothing was answered; try again in a moment.', {
    retryAfterSeconds: 2,
  });

/** Id that the attempts under an Idempotency-Key share, and the number of this one. Later attempts have greater numbers. */
export interface Claim {
  readonly id: string;
  readonly attempt: number;
}

/** The request that a usage record belongs to. */
export interface RecordedRequest {
  readonly keyId: string;
  readonly requestId: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** The claim of its Idempotency-Key, by which another attempt's answer to the same query gets the same record id. */
  readonly claim?: Claim;
}

/** Creates the record of one answer. @param loadKey loader name and key; its hash is stored for requests with an Idempotency-Key only */
export function usageRecordOf({ keyId, requestId, startedAt, claim }: RecordedRequest, module: ModuleName, loadKey: string): UsageRecord {
  const questionHash = claim === undefined ? null : createHash('sha256').update(loadKey).digest('hex');
  const id = claim === undefined || questionHash === null ? timedId(startedAt) : derivedId(claim.id, questionHash);
  const attempt = claim?.attempt ?? 0;
  return { id, keyId, module, month: monthOf(startedAt), at: startedAt, requestId, questionHash, attempt, quantity: 1, isFinal: false };
}

/** The usage of one request. */
export interface RequestUsage {
  /**
   * Counts an answer. Answers of a module share a record until it is written, but not under an Idempotency-Key.
   * @throws AppError SERVICE_UNAVAILABLE after `refuse`
   */
  count(module: ModuleName, loadKey: string): void;
  /** Resolves when all counted answers are written. @throws AppError SERVICE_UNAVAILABLE like `UsageBatcher.record` */
  written(): Promise<void>;
  /** Runs work that counts answers, and resolves when these are written. @throws AppError like `written`, or the error of the work */
  writtenAfter<T>(work: () => Promise<T>): Promise<T>;
  /** Voids the counted answers, including those that are written later, because the request is answered with a refusal. */
  refuse(): void;
}

export function createRequestUsage(request: RecordedRequest, usage: Pick<UsageBatcher, 'record' | 'voidRecords'>): RequestUsage {
  const records: UsageRecord[] = [];
  const writes: Promise<void>[] = [];
  /** Last record of each module. */
  const last = new Map<ModuleName, UsageRecord>();
  let isRefused = false;

  async function written(): Promise<void> {
    if (writes.length === 0) return;
    await Promise.all(writes);
    await nextSlice(); // one commit may resume the answers of many requests at once
  }

  return {
    count(module, loadKey) {
      if (isRefused) throw notRecorded();
      const open = request.claim === undefined ? last.get(module) : undefined;
      if (open && !open.isFinal) {
        open.quantity += 1;
        return;
      }
      const record = usageRecordOf(request, module, loadKey);
      const write = usage.record(record).then(() => {
        if (isRefused) void usage.voidRecords([record]);
      });
      write.catch(() => undefined); // `written` rejects, if it is awaited
      records.push(record);
      writes.push(write);
      last.set(module, record);
    },
    written,
    async writtenAfter(work) {
      const result = await work();
      await written();
      return result;
    },
    refuse() {
      isRefused = true;
      void usage.voidRecords(records);
    },
  };
}

/** Creates a UUID of version 7. Records of the same time are adjacent in the index, which makes inserts cheap. */
function timedId(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Creates a UUID of version 8 from the first 128 bits of a SHA-256. */
function derivedId(claim: string, questionHash: string): string {
  const hex = createHash('sha256').update(claim).update(questionHash).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
