import { folded } from '../../../src/domain/text.ts';

/** A row of a Socrata table. All values except links are texts. Null columns are omitted. */
export type SodaRow = Readonly<Record<string, string | { readonly url: string }>>;

/** An error of the portal: its own code and message. */
export interface SodaProblem {
  readonly errorCode: string;
  readonly message: string;
}

export interface SodaTable {
  readonly columns: readonly string[];
  readonly rows: readonly SodaRow[];
}

type Test = (row: SodaRow) => boolean;
type Clause = readonly [RegExp, (column: string, value: string) => Test];

const cell = (row: SodaRow, column: string): string => (typeof row[column] === 'string' ? row[column] : '');
const unquoted = (text: string): string[] => [...text.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"));
const one = (text: string): string => unquoted(text)[0] ?? '';

/** The `$where` clauses that are supported. A null column matches none of the comparisons. */
const CLAUSES: readonly Clause[] = [
  [/^(\w+)\s+in\s*\((.*)\)$/i, (column, values) => (row) => unquoted(values).includes(cell(row, column))],
  [/^(\w+)\s+is\s+not\s+null()$/i, (column) => (row) => column in row],
  [/^(\w+)\s*=\s*('.*')$/, (column, value) => (row) => cell(row, column) === one(value)],
  [/^(\w+)\s*>=\s*('.*')$/, (column, value) => (row) => column in row && cell(row, column) >= one(value)],
  [/^(\w+)\s*<=\s*('.*')$/, (column, value) => (row) => column in row && cell(row, column) <= one(value)],
];

/** The internal id of a row, which may be named in `$order`. Rows have its order. */
const ROW_ID = ':id';

/** Default `$limit`. */
const DEFAULT_LIMIT = 1_000;

/** Runs a SODA 2.1 query over a table. Returns the rows, or the problem with the query. */
export function queryTable({ columns, rows }: SodaTable, query: URLSearchParams): readonly SodaRow[] | SodaProblem {
  const grouped = list(query.get('$group'));
  if (grouped.length > 0) return queryGroups({ columns, rows }, grouped, query);
  const selected = list(query.get('$select'));
  const order = list(query.get('$order'))
    .map((term) => term.split(/\s+/) as [string, string?])
    .filter(([column]) => column !== ROW_ID);
  const clauses = (query.get('$where') ?? '')
    .split(/\sAND\s/i)
    .map((clause) => clause.trim())
    .filter(Boolean)
    .map(readClause);
  if (clauses.includes(null)) return { errorCode: 'query.compiler.malformed', message: 'Could not parse SoQL query' };
  const tests = clauses.filter((clause) => clause !== null);
  const named = [...selected, ...order.map(([column]) => column), ...tests.map(({ column }) => column)];
  const unknown = named.find((column) => !columns.includes(column));
  if (unknown) return noSuchColumn(unknown);

  const words = folded(query.get('$q') ?? '')
    .split(' ')
    .filter(Boolean);
  const found = rows
    .filter((row) => tests.every(({ test }) => test(row)) && hasWords(row, words))
    .sort((a, b) => order.map(([column, direction]) => compare(a, b, column, direction)).find((difference) => difference !== 0) ?? 0);
  const offset = Number(query.get('$offset') ?? 0);
  const page = found.slice(offset, offset + Number(query.get('$limit') ?? DEFAULT_LIMIT));
  return selected.length === 0 ? page : page.map((row) => only(row, selected));
}

/** Matches `max(fecha_de_firma) AS firmado`, the only aggregate that is supported. */
const MAXIMUM = /^max\((\w+)\) AS (\w+)$/i;

/** Runs a query with `$group`: replaces the rows of each group by one with its columns and the aggregates, and queries those. */
function queryGroups({ columns, rows }: SodaTable, grouped: readonly string[], query: URLSearchParams): readonly SodaRow[] | SodaProblem {
  const aggregates = list(query.get('$select')).flatMap((term) => {
    const [, column = '', alias = ''] = MAXIMUM.exec(term) ?? [];
    return alias ? [{ column, alias }] : [];
  });
  const unknown = [...grouped, ...aggregates.map(({ column }) => column)].find((column) => !columns.includes(column));
  if (unknown) return noSuchColumn(unknown);
  const groups = Map.groupBy(rows, (row) => JSON.stringify(grouped.map((column) => row[column])));
  const groupRows = [...groups.values()].map(([first = {}, ...others]): SodaRow => {
    const maxima = aggregates.map(({ column, alias }) => [
      alias,
      [first, ...others]
        .map((row) => cell(row, column))
        .sort()
        .at(-1),
    ]);
    return { ...only(first, grouped), ...Object.fromEntries(maxima.filter(([, value]) => value)) };
  });
  const rest = new URLSearchParams(query);
  rest.delete('$group');
  rest.set(
    '$select',
    list(query.get('$select'))
      .map((term) => MAXIMUM.exec(term)?.[2] ?? term)
      .join(','),
  );
  return queryTable({ columns: [...grouped, ...aggregates.map(({ alias }) => alias)], rows: groupRows }, rest);
}

export const noSuchColumn = (column: string): SodaProblem => ({
  errorCode: 'query.soql.no-such-column',
  message: `Query coordinator error: query.soql.no-such-column; No such column: ${column}`,
});

const list = (text: string | null): string[] =>
  (text ?? '')
    .split(',')
    .filter(Boolean)
    .map((part) => part.trim());

function readClause(text: string): { readonly column: string; readonly test: Test } | null {
  for (const [pattern, make] of CLAUSES) {
    const [, column, value] = pattern.exec(text.trim()) ?? [];
    if (column !== undefined) return { column, test: make(column, value ?? '') };
  }
  return null;
}

const hasWords = (row: SodaRow, words: readonly string[]): boolean => {
  const text = folded(
    Object.values(row)
      .filter((value) => typeof value === 'string')
      .join(' '),
  );
  return words.every((word) => text.includes(word));
};

/** Compares two rows by a column. Nulls are the greatest, so they are first in descending order. */
function compare(a: SodaRow, b: SodaRow, column: string, direction = 'ASC'): number {
  const rank = (row: SodaRow): string => (column in row ? cell(row, column) : '\uffff');
  const difference = rank(a) < rank(b) ? -1 : Number(rank(a) > rank(b));
  return direction.toUpperCase() === 'DESC' ? -difference : difference;
}

const only = (row: SodaRow, columns: readonly string[]): SodaRow =>
  Object.fromEntries(Object.entries(row).filter(([column]) => columns.includes(column)));
