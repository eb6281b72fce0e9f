import type { Knex } from 'knex';
import { purgeOlder } from '../../db/batches.ts';
import { preparedAs } from '../../db/knex.ts';
import type { ModuleName } from '../../domain/catalogue.ts';
import { firstDay } from '../../domain/time.ts';

/** Answers of a module that are counted together. */
export interface UsageRow {
  readonly id: string;
  readonly keyId: string;
  readonly module: ModuleName;
  /** Month of the answers, such as `2026-11`. */
  readonly month: string;
  /** Epoch ms at which the request began; of a sum of requests, the beginning of its second. */
  readonly at: number;
  /** Null for a sum of requests. */
  readonly requestId: string | null;
  /** SHA-256 of the query, hexadecimal, for a request with an Idempotency-Key, which has a row per query; null for any other request. */
  readonly questionHash: string | null;
  /** Number of the attempt under the Idempotency-Key; 0 for any other request. */
  readonly attempt: number;
  /** Number of answers. */
  quantity: number;
}

/** Answers of a module that a request counts together. Its quantity grows while it is `open`. */
export interface UsageRecord extends UsageRow {
  /**
   * `open` until it is being written or is refused, which makes it `final`; `written` once it is durable; `void` when it must not be counted,
   * because its request was refused.
   */
  state: 'open' | 'final' | 'written' | 'void';
}

/** A row of a request under an Idempotency-Key, by its attempt. */
export type VoidedRow = Pick<UsageRow, 'id' | 'attempt'>;

/**
 * Inserts rows of usage and adds the new ones to the counters and to their days, in one statement. A row whose id is stored already is not
 * counted again. Under an Idempotency-Key it belongs to the latest attempt, so that the refusal of an earlier one cannot void it, even if
 * the earlier one writes last. All tables are written in the order of their keys, so concurrent writers cannot deadlock. Postgres writes the
 * days, which nothing reads, after the counters. The array literals are built here, because the driver takes longer to escape each text.
 */
export async function insertUsage(db: Knex, rows: readonly UsageRow[]): Promise<void> {
  const latest = new Map(rows.toSorted((a, b) => a.attempt - b.attempt).map((row) => [row.id, row]));
  const sorted = [...latest.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const arrayOf = (textOf: (row: UsageRow) => string): string => `{"${sorted.map(textOf).join('","')}"}`; // no value contains a quote
  const insert = db.raw(
    `WITH new AS (
       INSERT INTO usage_events AS held (id, key_id, module, month, at, request_id, question_hash, quantity, attempt)
       SELECT id, key_id, module, month, at, nullif(request_id, ''), decode(nullif(hash, ''), 'hex'), quantity, attempt
       FROM unnest(?::uuid[], ?::uuid[], ?::text[], ?::date[], ?::timestamptz[], ?::text[], ?::text[], ?::int[], ?::int[])
         AS use (id, key_id, module, month, at, request_id, hash, quantity, attempt)
       ON CONFLICT (id) DO UPDATE SET request_id = excluded.request_id, attempt = excluded.attempt WHERE held.attempt < excluded.attempt
       RETURNING key_id, module, month, at, quantity, xmax = 0 AS is_new
     ), days AS (${addToDays('SELECT key_id, module, at, quantity FROM new WHERE is_new')})
     INSERT INTO usage_counters AS counter (key_id, module, month, used)
     SELECT key_id, module, month, sum(quantity) FROM new WHERE is_new GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (key_id, module, month) DO UPDATE SET used = counter.used + excluded.used`,
    [
      arrayOf(({ id }) => id),
      arrayOf(({ keyId }) => keyId),
      arrayOf(({ module }) => module),
      arrayOf(({ month }) => firstDay(month)),
      arrayOf(({ at }) => new Date(at).toISOString()),
      arrayOf(({ requestId }) => requestId ?? ''),
      arrayOf(({ questionHash }) => questionHash ?? ''),
      arrayOf(({ quantity }) => String(quantity)),
      arrayOf(({ attempt }) => String(attempt)),
    ],
  );
  await insert.options(preparedAs(db, 'insert_usage'));
}

/** SQL: adds rows with the columns key_id, module, at and quantity to their days in UTC. */
const addToDays = (rows: string): string =>
  `INSERT INTO usage_days AS counted (key_id, day, module, used)
   SELECT key_id, (at AT TIME ZONE 'UTC')::date, module, sum(quantity) FROM (${rows}) AS row GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
   ON CONFLICT (key_id, day, module) DO UPDATE SET used = counted.used + excluded.used`;

/**
 * Deletes the rows of refused requests under an Idempotency-Key and subtracts them from the counters and their days, in one statement. Absent
 * rows are skipped.
 */
export async function voidUsage(db: Knex, rows: readonly VoidedRow[]): Promise<void> {
  await db.raw(
    `WITH refused AS (
       DELETE FROM usage_events AS event USING unnest(?::uuid[], ?::int[]) AS use (id, attempt)
       WHERE event.id = use.id AND event.attempt = use.attempt
       RETURNING event.key_id, event.module, event.month, event.at, event.quantity
     ), days AS (${addToDays('SELECT key_id, module, at, -quantity AS quantity FROM refused')})
     INSERT INTO usage_counters AS counter (key_id, module, month, used)
     SELECT key_id, module, month, sum(quantity) FROM refused GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (key_id, module, month) DO UPDATE SET used = counter.used - excluded.used`,
    [rows.map(({ id }) => id), rows.map(({ attempt }) => attempt)],
  );
}

/** Number of usage records that one statement deletes. */
const PURGE_ROWS = 5_000;

/** Deletes the usage records and the sums by day of the months before `month` (`2026-11`), in batches. It keeps the counters. */
export async function purgeUsage(db: Knex, month: string): Promise<void> {
  await purgeOlder(db, { table: 'usage_events', column: 'month', before: firstDay(month) }, PURGE_ROWS);
  await purgeOlder(db, { table: 'usage_days', column: 'day', before: firstDay(month) }, PURGE_ROWS);
}
