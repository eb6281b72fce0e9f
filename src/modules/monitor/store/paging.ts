/** Part of a list: at most `first` items, behind the item at `after`. */
export interface Stretch<A> {
  readonly first: number;
  readonly after: A | null;
}

/** Place of a row that is listed by its time. */
export interface TimedPlace {
  /** ISO 8601, to the millisecond. */
  readonly at: string;
  /** UUID. */
  readonly id: string;
}

/** True, as SQL, for a row behind `asked.after` in a list, newest first. */
export const olderThanAfter = (createdAt: string, id: string): string =>
  `(${createdAt}, ${id}) < (coalesce((asked.after ->> 'at')::timestamptz, 'infinity'), coalesce((asked.after ->> 'id')::uuid, '${LAST_ID}'))`;
/** No id is above it. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A row and the key that it belongs to. */
export interface Owned {
  readonly keyId: string;
  /** UUID. */
  readonly id: string;
}

/** Part of the list that belongs to a row of a key. */
export type PartOf<A> = Owned & Stretch<A>;

/** The items of a stretch, and whether more lie behind them. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** A row that answers the `n`th of the questions asked in one statement, counted from 1. */
export interface Answering {
  readonly n: string;
}

/** Rows of one statement → the rows of each of its `count` questions. */
export function byQuestion<R extends Answering>(rows: readonly R[], count: number): readonly (readonly R[])[] {
  const groups = Map.groupBy(rows, ({ n }) => Number(n));
  return Array.from({ length: count }, (_, i) => groups.get(i + 1) ?? []);
}

/** Rows of one statement that was asked for one row more than each stretch is long → a page for each. */
export const toPages = <R extends Answering, T>(
  rows: readonly R[],
  stretches: readonly Pick<Stretch<unknown>, 'first'>[],
  make: (row: R) => T,
): readonly Page<T>[] =>
  byQuestion(rows, stretches.length).map((group, i) => {
    const first = stretches[i]?.first ?? 0;
    return { items: group.slice(0, first).map(make), hasMore: group.length > first };
  });

/**
 * Questions as the table `asked` of one statement, bound as `[JSON.stringify(questions)]`: columns named as the questions' members, each
 * with its type, and `n`, which counts from 1.
 */
export function askedTable(columns: Readonly<Record<string, string>>): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const typed = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
  return `ROWS FROM (jsonb_to_recordset(?::jsonb) AS (${typed.join(', ')})) WITH ORDINALITY AS asked (${names.join(', ')}, n)`;
}

/** The table of questions about rows, by their ids. */
export const ASKED_ROWS = askedTable({ keyId: 'uuid', id: 'uuid' });
