import { columnName } from '../../../../sources/registry/csv-table.ts';
import { type ListFile, ListFileError } from '../../../../sources/registry/list-file.ts';

/**
 * What the monthly files have in common: `;`, every cell quoted, line breaks in cells, decimal commas, `NA` for an empty cell. Some
 * rows in a hundred thousand hold a quote that is not doubled.
 */

/** Share of the rows that may be malformed, and of the cells that may be unreadable. */
const MALFORMED = 0.001;
export const ILLEGIBLE = 0.01;

/** Our names of columns → how the file may call each. */
type Columns = Readonly<Record<string, string>>;

/** Place of each column in a row; -1 for an optional one that is missing. */
type Places<N extends Columns, O extends Columns> = Readonly<Record<keyof N | keyof O, number>>;

/**
 * The rows of a monthly file, as they stand, and where the columns are in them.
 * @throws ListFileError for a file without rows or a needed column, and while reading for one that is cut or mostly malformed
 */
export async function* bulkRows<N extends Columns, O extends Columns>(
  file: ListFile,
  needed: N,
  optional: O,
): AsyncGenerator<{ readonly row: readonly string[]; readonly at: Places<N, O> }> {
  let at: Places<N, O> | null = null;
  let rows = 0;
  for await (const row of file.rows({ delimiter: ';', tolerated: MALFORMED })) {
    if (at) {
      rows += 1;
      yield { row, at };
    } else at = placesOf(row, needed, optional);
  }
  if (rows === 0) throw new ListFileError('the file has no rows');
}

function placesOf<N extends Columns, O extends Columns>(header: readonly string[], needed: N, optional: O): Places<N, O> {
  const names = header.map(columnName);
  const places = Object.entries({ ...optional, ...needed }).map(([ours, theirs]) => {
    const place = names.indexOf(columnName(theirs));
    if (ours in needed && (place < 0 || place !== names.lastIndexOf(columnName(theirs))))
      throw new ListFileError(`column ${theirs} is missing or doubled`);
    return [ours, place] as const;
  });
  return Object.fromEntries(places) as Places<N, O>;
}

/** A cell; null for an empty one, also where the column is missing. */
export function cellAt(row: readonly string[], place: number): string | null {
  const text = row[place];
  return text === undefined || text === '' || text === 'NA' ? null : text;
}

/** `279,8`, `3,5e+07` → number; null for an empty cell, NaN for one that is no number. */
export function amountOf(cell: string | null): number | null {
  if (cell === null) return null;
  return /^-?\d+([.,]\d+)?(e[+-]?\d+)?$/i.test(cell) ? Number(cell.replace(',', '.')) : Number.NaN;
}
