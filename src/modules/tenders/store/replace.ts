import type pg from 'pg';
import { copyRows } from '../../../db/copy-rows.ts';
import type { Marketplace } from '../domain.ts';
import { COLUMNS, copyIndexRows, type IndexRow } from './rows.ts';

/** The unit of replacement of the index: a month of a bulk file, or a range of days. */
export interface Slice {
  /** Name, e.g. `orders/2026-09`. */
  readonly name: string;
  /** Version of the data, such as an ETag or a checksum; null if the publisher states none. */
  readonly tag: string | null;
  /** ISO day up to which the data reach, as the publisher states it; null if it does not. */
  readonly publishedOn: string | null;
  /** Epoch ms of the load. */
  readonly loadedAt: number;
  /** Last successful check at the publisher, changed or not. Epoch ms. */
  readonly checkedAt: number;
  readonly rows: number;
}

/** A slice to load. */
export type NewSlice = Omit<Slice, 'rows' | 'checkedAt'>;

export interface ReplaceOptions {
  readonly signal?: AbortSignal;
  /** Called with the new and the old number of rows (null for a new slice). An error that it throws cancels the load. */
  readonly approve?: (rows: number, before: number | null) => void;
  /** If true, rows that belong to another slice are not replaced. */
  readonly skipRowsOfOtherSlices?: boolean;
}

/** The index to load into, and the name of the lock that serializes its loads. */
interface IndexRef {
  readonly marketplace: Marketplace;
  readonly origin: string;
  readonly lock: string;
}

/** Replaces one slice; see `TenderIndex`. */
export type Replace = (slice: NewSlice, rows: AsyncIterable<IndexRow>, options?: ReplaceOptions) => Promise<Slice>;

/** Creates a `Replace` on a dedicated connection, one slice at a time. Its staging table is created once per connection. */
export function replaceOn(client: pg.Client, which: IndexRef): Replace {
  let made = false;
  return async (slice, rows, { signal, ...options } = {}) => {
    await client.query(made ? 'TRUNCATE incoming' : MAKE_INCOMING);
    made = true;
    await copyRows(client, { table: 'incoming', columns: ['seq', ...CELLS] }, copyIndexRows(rows), signal);
    await client.query(KEEP_LATEST);
    return switchTo(client, which, slice, options);
  };
}

const CELLS = COLUMNS.split(', ');

const cellsOf = (table: string): string => CELLS.map((column) => `${table}.${column}`).join(', ');

const MAKE_INCOMING = `CREATE TEMP TABLE incoming (LIKE tender_rows, seq integer NOT NULL);
  ALTER TABLE incoming DROP index_id, DROP slice_id`;

/** Keeps the last row of a repeated code. */
const KEEP_LATEST = `
  DELETE FROM incoming i USING (
    SELECT ctid AS place, row_number() OVER (PARTITION BY kind, supplier, code ORDER BY seq DESC) AS nth FROM incoming) twins
  WHERE i.ctid = twins.place AND twins.nth > 1;
  ANALYZE incoming (kind, supplier, code)`;

/**
 * Replaces the slice with the staged rows, in one transaction. Unchanged rows are not written: a month is read again every
 * day, and few of its rows change.
 */
async function switchTo(
  client: pg.Client,
  { marketplace, origin, lock }: IndexRef,
  slice: NewSlice,
  { approve, skipRowsOfOtherSlices = false }: Omit<ReplaceOptions, 'signal'>,
): Promise<Slice> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]);
    const { rows: counts } = await client.query(
      `SELECT (SELECT count(*)::int FROM incoming) AS rows, (
         SELECT s.rows FROM tender_slices s JOIN tender_indexes x ON x.id = s.index_id
         WHERE x.marketplace = $1 AND x.origin = $2 AND s.name = $3) AS before`,
      [marketplace, origin, slice.name],
    );
    const { rows, before }: { readonly rows: number; readonly before: number | null } = counts[0];
    approve?.(rows, before);
    const { rows: indexes } = await client.query(
      `INSERT INTO tender_indexes (marketplace, origin, edition) VALUES ($1, $2, 1)
       ON CONFLICT (marketplace, origin) DO UPDATE SET edition = tender_indexes.edition + 1 RETURNING id`,
      [marketplace, origin],
    );
    const { rows: slices } = await client.query(
      `INSERT INTO tender_slices (index_id, name, tag, published_on, loaded_at, checked_at, rows) VALUES ($1, $2, $3, $4, $5, $5, $6)
       ON CONFLICT (index_id, name) DO UPDATE SET tag = $3, published_on = $4, loaded_at = $5, checked_at = $5, rows = $6 RETURNING id`,
      [indexes[0].id, slice.name, slice.tag, slice.publishedOn, new Date(slice.loadedAt), rows],
    );
    await moveRows(client, indexes[0].id, slices[0].id, skipRowsOfOtherSlices);
    await client.query('COMMIT');
    return { ...slice, checkedAt: slice.loadedAt, rows };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // a lost connection has rolled back already
    throw error;
  }
}

async function moveRows(client: pg.Client, index: number, slice: number, skipRowsOfOtherSlices: boolean): Promise<void> {
  await client.query(
    `DELETE FROM tender_rows r WHERE slice_id = $1 AND NOT EXISTS (
       SELECT FROM incoming i WHERE i.kind = r.kind AND i.supplier = r.supplier AND i.code = r.code)`,
    [slice],
  );
  await client.query(
    `INSERT INTO tender_rows (index_id, slice_id, ${COLUMNS}) SELECT $1, $2, ${COLUMNS} FROM incoming i
     WHERE NOT EXISTS (
       SELECT FROM tender_rows r WHERE r.index_id = $1 AND r.kind = i.kind AND r.supplier = i.supplier AND r.code = i.code
         AND (r.slice_id, ${cellsOf('r')}) IS NOT DISTINCT FROM ($2, ${cellsOf('i')}))
     ORDER BY kind, supplier, code
     ON CONFLICT (index_id, kind, supplier, code)
     DO UPDATE SET slice_id = $2, ${CELLS.map((column) => `${column} = excluded.${column}`).join(', ')}
     ${skipRowsOfOtherSlices ? 'WHERE tender_rows.slice_id = $2' : ''}`,
    [index, slice],
  );
}
