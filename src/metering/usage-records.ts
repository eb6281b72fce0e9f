import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Caller } from '../context.ts';
import { MODULES, type ModuleName } from '../domain/catalogue.ts';
import { AppError } from '../domain/errors.ts';
import { monthOf, SECOND_MS } from '../domain/time.ts';
import { type ModuleUsage, usageUnder } from '../domain/usage.ts';
import type { PlanOf } from './plans.ts';

/** One answer that counts. */
export interface UsageRecord {
  readonly id: string;
  readonly keyId: string;
  readonly module: ModuleName;
  /** `2026-11` */
  readonly month: string;
  /** Epoch ms at which the request began. */
  readonly at: number;
  readonly requestId: string;
  /** SHA-256, hexadecimal. */
  readonly loadKeyHash: string;
}

/** Primary key of a counter. */
export interface CounterKey {
  readonly keyId: string;
  readonly module: string;
  readonly month: string;
}

/** A counter that differs from the number of its usage records. */
export interface WrongCounter extends CounterKey {
  readonly counted: number;
  /** Usage records. */
  readonly rows: number;
}

/**
 * Inserts usage records and adds the new ones to the counters, in one statement. A record whose id is stored already is not counted
 * again; it passes to the request that answers now, so that the refusal of an earlier attempt cannot void it.
 * Both tables are written in the order of their keys, so concurrent writers cannot deadlock. The array literals are built here,
 * because the driver takes longer to escape each text.
 */
export async function insertUsage(db: Knex, records: readonly UsageRecord[]): Promise<void> {
  const sorted = [...new Map(records.map((record) => [record.id, record])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const arrayOf = (textOf: (record: UsageRecord) => string): string => `{"${sorted.map(textOf).join('","')}"}`; // no value contains a quote
  await db.raw(
    `WITH new AS (
       INSERT INTO usage_events (id, key_id, module, month, at, request_id, question_hash)
       SELECT id, key_id, module, month, at, request_id, decode(hash, 'hex')
       FROM unnest(?::uuid[], ?::uuid[], ?::text[], ?::date[], ?::timestamptz[], ?::text[], ?::text[])
         AS use (id, key_id, module, month, at, request_id, hash)
       ON CONFLICT (id) DO UPDATE SET request_id = excluded.request_id
       RETURNING key_id, module, month, xmax = 0 AS is_new
     )
     INSERT INTO usage_counters AS counter (key_id, module, month, used)
     SELECT key_id, module, month, count(*) FROM new WHERE is_new GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (key_id, module, month) DO UPDATE SET used = counter.used + excluded.used`,
    [
      arrayOf(({ id }) => id),
      arrayOf(({ keyId }) => keyId),
      arrayOf(({ module }) => module),
      arrayOf(({ month }) => firstDay(month)),
      arrayOf(({ at }) => new Date(at).toISOString()),
      arrayOf(({ requestId }) => requestId),
      arrayOf(({ loadKeyHash }) => loadKeyHash),
    ],
  );
}

/** Deletes the usage records of refused requests and subtracts them from the counters, in one statement. Records that are not stored are skipped. */
export async function voidUsage(db: Knex, records: readonly UsageRecord[]): Promise<void> {
  await db.raw(
    `WITH refused AS (
       DELETE FROM usage_events AS event USING unnest(?::uuid[], ?::text[]) AS use (id, request_id)
       WHERE event.id = use.id AND event.request_id = use.request_id
       RETURNING event.key_id, event.module, event.month
     )
     INSERT INTO usage_counters AS counter (key_id, module, month, used)
     SELECT key_id, module, month, count(*) FROM refused GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (key_id, module, month) DO UPDATE SET used = counter.used - excluded.used`,
    [records.map(({ id }) => id), records.map(({ requestId }) => requestId)],
  );
}

/** Key id → module → answers counted in a month; of all keys when `keyIds` is left out. */
export async function usedInMonth(
  db: Knex,
  month: string,
  keyIds?: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<ModuleName, number>>> {
  const rows: readonly { key_id: string; module: string; used: string }[] = await db('usage_counters')
    .where({ month: firstDay(month) })
    .modify((query) => keyIds && query.whereIn('key_id', keyIds));
  const byKey = new Map<string, Map<ModuleName, number>>();
  for (const { key_id, module, used } of rows) {
    const known = MODULES.find((one) => one === module);
    if (known) byKey.set(key_id, (byKey.get(key_id) ?? new Map()).set(known, Number(used)));
  }
  return byKey;
}

/** A key's usage of a month by module, priced by its current plan. */
export async function usageOf(
  db: Knex,
  planOf: PlanOf,
  { keyId, plan, modules }: Pick<Caller, 'keyId' | 'plan' | 'modules'>,
  month: string,
): Promise<readonly ModuleUsage[]> {
  const used = await usedInMonth(db, month, [keyId]);
  return usageUnder(planOf(plan), modules, used.get(keyId) ?? new Map());
}

/** Counters of these months that differ from the number of their usage records. */
export async function wrongCounters(db: Knex, months: readonly string[]): Promise<readonly WrongCounter[]> {
  const { rows } = await db.raw(
    `SELECT key_id, module, to_char(month, 'YYYY-MM') AS month, coalesce(used, 0)::int8 AS counted, coalesce(rows, 0)::int8 AS rows
     FROM (SELECT key_id, module, month, count(*) AS rows FROM usage_events WHERE month = ANY(?::date[]) GROUP BY 1, 2, 3) AS event
     FULL JOIN (SELECT * FROM usage_counters WHERE month = ANY(?::date[])) AS counter USING (key_id, module, month)
     WHERE coalesce(used, 0) <> coalesce(rows, 0) ORDER BY 1, 2, 3`,
    [months.map(firstDay), months.map(firstDay)],
  );
  return rows.map(({ key_id, module, month, counted, rows }: Record<string, string>) => ({
    keyId: key_id,
    module,
    month,
    counted: Number(counted),
    rows: Number(rows),
  }));
}

/** Sets a counter to the number of its usage records. Locks the counter: concurrent writers wait and add to the corrected value. */
export async function repairCounter(db: Knex, { keyId, module, month }: CounterKey): Promise<void> {
  const counter = { key_id: keyId, module, month: firstDay(month) };
  await db.transaction(async (trx) => {
    await trx('usage_counters')
      .insert({ ...counter, used: 0 })
      .onConflict()
      .ignore();
    await trx('usage_counters').where(counter).forUpdate().first();
    await trx('usage_counters')
      .where(counter)
      .update({ used: trx('usage_events').where(counter).count() });
  });
}

/** `2026-11` → `2026-11-01` */
export const firstDay = (month: string): string => `${month}-01`;

/** Stores usage records. Concurrent records share a statement. */
export interface UsageBatcher {
  /**
   * Resolves when the record is committed.
   * @throws AppError SERVICE_UNAVAILABLE when that takes longer than 1.5 s or fails: the answer must not be sent then
   */
  record(record: UsageRecord): Promise<void>;
  /** Voids records whose request was refused after all. Repeats it until it succeeds. */
  voidRecords(records: readonly UsageRecord[]): Promise<void>;
  /** Ends the attempts to void refused records. */
  close(): void;
}

export interface UsageBatcherDeps {
  /** Writes all records or none. */
  readonly write: (records: readonly UsageRecord[]) => Promise<void>;
  /** Undoes a write of records whose requests were refused. */
  readonly undo: (records: readonly UsageRecord[]) => Promise<void>;
  readonly log: Logger;
}

/** Below the 2 s within which a caller gets an answer or a refusal. */
const DEADLINE_MS = 1.5 * SECOND_MS;
/** Records in one statement. */
const MAX_BATCH = 5_000;

/** Pause before records are voided again that could not be. */
const UNDO_PAUSE_MS = SECOND_MS;

interface Batch {
  readonly records: UsageRecord[];
  isRefused: boolean;
  readonly written: PromiseWithResolvers<void>;
  readonly deadline: NodeJS.Timeout;
}

/**
 * Group commit: while one batch is written the next one fills, so the database gets as many statements as it can answer and each
 * caller waits for two of them at most. A batch that is not written when its deadline passes is refused: it is dropped, or voided if its
 * write was under way or may have been committed before its connection was lost.
 */
export function createUsageBatcher({ write, undo, log }: UsageBatcherDeps): UsageBatcher {
  let queue: Batch[] = [];
  let isWriting = false;
  let isClosed = false;

  function addBatch(): Batch {
    const batch: Batch = {
      records: [],
      isRefused: false,
      written: Promise.withResolvers<void>(),
      deadline: setTimeout(() => drop(batch), DEADLINE_MS),
    };
    queue.push(batch);
    if (!isWriting) setImmediate(writeQueue); // records of this turn of the event loop share a batch
    isWriting = true;
    return batch;
  }

  function drop(batch: Batch): void {
    queue = queue.filter((one) => one !== batch);
    batch.isRefused = true;
    batch.written.reject(notRecorded());
  }

  async function writeQueue(): Promise<void> {
    for (let batch = queue.shift(); batch; batch = queue.shift()) await writeBatch(batch);
    isWriting = false;
  }

  async function writeBatch(batch: Batch): Promise<void> {
    const { records, written, deadline } = batch;
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
export function usageRecordOf({ keyId, requestId, startedAt, claim }: RecordedRequest, module: ModuleName, loadKey: string): UsageRecord {
  const loadKeyHash = createHash('sha256').update(loadKey).digest('hex');
  const id = claim === undefined ? timedId(startedAt) : derivedId(claim, loadKeyHash);
  return { id, keyId, module, month: monthOf(startedAt), at: startedAt, requestId, loadKeyHash };
}

/** A UUID of version 7: records of the same time are neighbours in the index, which makes inserts cheap. */
function timedId(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** A UUID of version 8: the first 128 bits of a SHA-256. */
function derivedId(claim: string, loadKeyHash: string): string {
  const hex = createHash('sha256').update(claim).update(loadKeyHash).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
