/** A page of a list: at most `first` items after the item at `after`; from the start when `after` is null. */
export interface PageRequest<A> {
  readonly first: number;
  readonly after: A | null;
}

/** SQL condition: the row follows `query.after` in a list sorted newest first. */
export const isBeforeCursor = (createdAt: string, id: string): string =>
  `(${createdAt}, ${id}) < (coalesce((query.after ->> 'at')::timestamptz, 'infinity'), coalesce((query.after ->> 'id')::uuid, '${LAST_ID}'))`;
/** The highest UUID. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A row, and the API key that owns it. */
export interface Owned {
  readonly keyId: string;
  /** UUID. */
  readonly id: string;
}

/** A page of the list that belongs to an owned row. */
export type OwnedPageRequest<A> = Owned & PageRequest<A>;

/** The items of a page. */
export interface Page<T> {
  readonly items: readonly T[];
  /** True when there are more items after these. */
  readonly hasMore: boolean;
}

/** A result row of the `n`th query of a statement, counted from 1. */
export interface NumberedRow {
  readonly n: string;
}

/** Groups the result rows of a statement by its `count` queries. */
export function groupByQuery<R extends NumberedRow>(rows: readonly R[], count: number): readonly (readonly R[])[] {
  const groups = Map.groupBy(rows, ({ n }) => Number(n));
  return Array.from({ length: count }, (_, i) => groups.get(i + 1) ?? []);
}

/** Converts result rows to one page per request. The statement must read one row more than `first` of each request. */
export const toPages = <R extends NumberedRow, T>(
  rows: readonly R[],
  requests: readonly Pick<PageRequest<unknown>, 'first'>[],
  make: (row: R) => T,
): readonly Page<T>[] =>
  groupByQuery(rows, requests.length).map((group, i) => {
    const first = requests[i]?.first ?? 0;
    return { items: group.slice(0, first).map(make), hasMore: group.length > first };
  });

/**
 * Returns the SQL table `query` with one row per query of a batch, bound as `[JSON.stringify(queries)]`. Its columns have the names of the
 * queries' members; `n` counts the queries from 1.
 * @param columns name → SQL type
 */
export function queryTable(columns: Readonly<Record<string, string>>): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const typed = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
  return `ROWS FROM (jsonb_to_recordset(?::jsonb) AS (${typed.join(', ')})) WITH ORDINALITY AS query (${names.join(', ')}, n)`;
}

/** SQL table of queries for owned rows by id. */
export const ROW_QUERIES = queryTable({ keyId: 'uuid', id: 'uuid' });
