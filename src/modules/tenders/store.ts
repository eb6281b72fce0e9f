import type { Knex } from 'knex';
import { withConnection } from '../../db/knex.ts';
import { type CopyReads, isAtLeast, readsOf } from '../../db/read-replica.ts';
import { type RunSql, runOn, runOverPool } from '../../db/run-sql.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { AwardedContract, Marketplace, Page, PageRequest, TenderOrder } from './domain.ts';
import { type Replace, replaceOn, type Slice } from './store/replace.ts';
import { type IndexRow, type StoredAward, type StoredRow, toAward, toOrder } from './store/rows.ts';

export type { NewSlice, Slice } from './store/replace.ts';
export type { IndexRow } from './store/rows.ts';

/** State of an index. Times are epoch ms. */
export interface IndexState {
  /** Number that increases with every replaced slice. */
  readonly version: string;
  /** SHA-256 over the names, tags and sizes of the slices, hex. */
  readonly checksum: string;
  /** Slices, sorted by name; empty until one is loaded. */
  readonly slices: readonly Slice[];
  readonly failedAt: number | null;
  readonly lastError: string | null;
}

/** Query for a page of one supplier's records. `supplier` has the format of `legalPersonText`. */
export interface SupplierPageQuery extends PageRequest {
  readonly supplier: string;
}

/** Result of a lookup, with the state of the index at that time. */
export interface IndexHits<T> {
  readonly state: IndexState;
  /** One page per query, in order. */
  readonly pages: readonly Page<T>[];
}

/** Reads and writes the state of an index. */
export interface SliceState {
  state(): Promise<IndexState>;
  /** Records at `at` (epoch ms) that these slices are unchanged at the publisher. */
  touch(slices: readonly string[], at: number): Promise<void>;
}

/**
 * A supplier's orders and awards, indexed by legal person (`CL:767955618`, `BR:11222333`, as `legalPersonText` writes it) because the
 * marketplaces of Chile and Brazil have no query by supplier. One index per marketplace and origin.
 */
export interface TenderIndex extends SliceState {
  /** Reads pages, newest first, by one SQL statement for all queries. @param known minimum version of the index that answers */
  orders(queries: readonly SupplierPageQuery[], known?: string | null): Promise<IndexHits<TenderOrder>>;
  /** Reads awards, like `orders`. */
  awards(queries: readonly SupplierPageQuery[], known?: string | null): Promise<IndexHits<AwardedContract>>;
  /**
   * Replaces one slice in one transaction: readers see the old rows or the new ones, and a killed load leaves nothing.
   * Rows stream in by COPY. A code that repeats, in this or in another slice, is kept once: the newest load wins.
   * @throws whatever `rows` or `approve` throw, an abort, or the database's failure
   */
  readonly replace: Replace;
  recordFailure(at: number, reason: string): Promise<void>;
  /**
   * Runs `work` under the index's sync lock; null when another process holds it. `work` may replace slices, one at a time, and uses the
   * state over the connection of the lock (`own`). `opening` ends the wait for that connection.
   */
  withSyncLock<T>(work: (replace: Replace, own: SliceState) => Promise<T>, opening?: AbortSignal): Promise<T | null>;
}

/** Timeout of a load, in ms, which ends a load that hangs. A month of a large marketplace may take an hour to download. */
const LOAD_STATEMENT_MS = 2 * HOUR_MS;

const epochMs = (column: string): string => `round(extract(epoch FROM ${column}) * 1000)::float8`;

const SLICES = `SELECT name, tag, to_char(published_on, 'YYYY-MM-DD') AS "publishedOn", ${epochMs('loaded_at')} AS "loadedAt",
    ${epochMs('checked_at')} AS "checkedAt", rows
  FROM tender_slices WHERE index_id = x.id`;

/** SQL: the IndexState of index `x`, in one row. */
const STATE = `x.edition::text AS "version", s.checksum, s.slices, ${epochMs('x.failed_at')} AS "failedAt", x.last_error AS "lastError"
  FROM tender_indexes x CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(s ORDER BY name), '[]') AS slices,
      encode(sha256(convert_to(coalesce(string_agg(concat_ws(' ', name, tag, rows), ',' ORDER BY name), ''), 'UTF8')), 'hex') AS checksum
    FROM (${SLICES}) s) s
  WHERE x.marketplace = :marketplace AND x.origin = :origin`;

const ROW = `code, to_char(dated, 'YYYY-MM-DD"T"HH24:MI:SS') AS dated, name, status, amount, currency, buyer,
  buyer_tax_id AS "buyerTaxId", tender_code AS "tenderCode", supplier_tax_id AS "supplierTaxId", url`;

/** SQL: the records `r` of index `x` and of the supplier in query `q`. */
const RECORDS = 'FROM tender_rows r WHERE r.index_id = x.id AND r.kind = :kind AND r.supplier = q.supplier';

/** SQL: one page per query, in order. It fetches one extra record to find out whether more follow. */
const PAGES = `SELECT json_agg(json_build_object('total', (SELECT count(*) ${RECORDS}), 'rows', coalesce((
    SELECT json_agg(page) FROM (
      SELECT ${ROW} ${RECORDS} AND (r.dated, r.code) < (q.dated, q.code)
      ORDER BY r.dated DESC, r.code DESC LIMIT q.first + 1) page), '[]')) ORDER BY q.n) AS pages
  FROM unnest(:suppliers::text[], :firsts::int[], :dates::timestamp[], :codes::text[]) WITH ORDINALITY AS q(supplier, first, dated, code, n)`;

const EMPTY: IndexState = { version: '0', checksum: '', slices: [], failedAt: null, lastError: null };

export function createTenderIndex(db: Knex, marketplace: Marketplace, origin: string, reads: CopyReads = readsOf(db)): TenderIndex {
  const which = { marketplace, origin };
  const lock = `tenders ${marketplace} ${origin}`;

  type Queries = readonly SupplierPageQuery[];
  const find = <R extends StoredRow, T>(kind: IndexRow['kind'], queries: Queries, known: string | null, read: (row: R) => T) =>
    reads.read(
      (db) => findOn(db, kind, queries, read),
      ({ state }) => state.slices.length > 0 && isAtLeast(state.version, known),
    );

  async function findOn<R extends StoredRow, T>(db: Knex, kind: IndexRow['kind'], queries: Queries, read: (row: R) => T) {
    const { rows } = await db.raw(
      `WITH x AS (SELECT * FROM tender_indexes WHERE marketplace = :marketplace AND origin = :origin)
      SELECT (SELECT row_to_json(state) FROM (SELECT ${STATE}) state) AS state, p.pages FROM x CROSS JOIN LATERAL (${PAGES}) p`,
      {
        ...which,
        kind,
        suppliers: queries.map(({ supplier }) => supplier),
        firsts: queries.map(({ first }) => first),
        dates: queries.map(({ after }) => (after ? (after.date ?? '-infinity') : 'infinity')),
        codes: queries.map(({ after }) => after?.code ?? ''),
      },
    );
    const found: { readonly state: IndexState; readonly pages: readonly { total: number; rows: readonly R[] }[] } | undefined = rows[0];
    const pages = queries.map(({ first }, i) => {
      const { total, rows: records } = found?.pages?.[i] ?? { total: 0, rows: [] };
      return { total, items: records.slice(0, first).map(read), hasMore: records.length > first };
    });
    return { state: found?.state ?? EMPTY, pages };
  }

  const stateOver = (run: RunSql): SliceState => ({
    async state() {
      const { rows } = await run(`SELECT ${STATE}`, which);
      return rows[0] ?? EMPTY;
    },

    async touch(slices, at) {
      await run(
        `UPDATE tender_slices SET checked_at = :at FROM tender_indexes x
         WHERE x.id = index_id AND x.marketplace = :marketplace AND x.origin = :origin AND name = ANY (:slices)`,
        { ...which, at: new Date(at), slices: [...slices] },
      );
    },
  });

  return {
    ...stateOver(runOverPool(db)),
    orders: (queries, known = null) => find<StoredRow, TenderOrder>('order', queries, known, toOrder),
    awards: (queries, known = null) => find<StoredAward, AwardedContract>('award', queries, known, toAward),

    replace: (...load) =>
      withConnection(db, (client) => replaceOn(client, { ...which, lock })(...load), { statementTimeoutMs: LOAD_STATEMENT_MS }),

    async recordFailure(at, reason) {
      await db.raw(
        `INSERT INTO tender_indexes (marketplace, origin, failed_at, last_error) VALUES (:marketplace, :origin, :at, :reason)
         ON CONFLICT (marketplace, origin) DO UPDATE SET failed_at = :at, last_error = :reason`,
        { ...which, at: new Date(at), reason },
      );
    },

    withSyncLock: (work, opening) =>
      withConnection(
        db,
        async (client) => {
          const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won', [`${lock} visit`]);
          return rows[0].won ? work(replaceOn(client, { ...which, lock }), stateOver(runOn(client, db))) : null;
        },
        { statementTimeoutMs: LOAD_STATEMENT_MS, ...(opening && { opening }) },
      ),
  };
}
