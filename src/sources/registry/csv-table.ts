import { createHash } from 'node:crypto';
import { type ListFile, ListFileError, type RowsOptions } from './list-file.ts';

/** Normalises a column name: no accents, capitals, single blanks, plain dashes. Publishers change these between versions of a file. */
export const columnName = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036F\uFEFF]/g, '')
    .replace(/[\u2010-\u2015]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .toUpperCase();

export const isBlankRow = (row: readonly string[]): boolean => row.every((cell) => cell === '');

/** Form of a table. */
interface TableForm extends Pick<RowsOptions, 'delimiter'> {
  /** True if the names of columns are only the beginnings of the publisher's names. */
  readonly byPrefix?: boolean;
}

/**
 * Yields the rows of a csv that is one table: its first row is the header. A first line `sep=|`, which spreadsheets read, is skipped; so is
 * a separator at the end of the header or of a row.
 * @throws ListFileError for a file without a header, and as `readColumns`
 */
export async function* tableRows<Row extends Readonly<Record<string, string>>>(
  file: ListFile,
  needed: Row,
  { delimiter, byPrefix = false }: TableForm,
): AsyncGenerator<{ readonly row: readonly string[]; readonly cell: Row }, void, void> {
  let width = 0;
  let cells: ((row: readonly string[]) => Row) | null = null;
  for await (const row of file.rows({ delimiter, relaxColumns: true })) {
    if (isBlankRow(row)) continue;
    if (cells) {
      const inTable = row.length === width + 1 && row.at(-1) === '' ? row.slice(0, width) : row;
      yield { row: inTable, cell: cells(inTable) };
    } else if (!/^\uFEFF?sep=/i.test(row[0] ?? '')) {
      const header = row.at(-1) === '' ? row.slice(0, -1) : row;
      width = header.length;
      cells = readColumns(header, needed, { byPrefix });
    }
  }
  if (!cells) throw new ListFileError('the file has no header');
}

/**
 * Returns a function that reads the needed columns of a row. `needed`: our name → the publisher's column name, or its beginning.
 * @throws ListFileError for a needed column that is missing or occurs twice; the returned function throws it for a row whose number of
 * cells differs from the header's (a cut file)
 */
export function readColumns<Row extends Readonly<Record<string, string>>>(
  header: readonly string[],
  needed: Row,
  { byPrefix = false }: Pick<TableForm, 'byPrefix'> = {},
): (row: readonly string[]) => Row {
  const names = header.map(columnName);
  const indexes = Object.entries(needed).map(([ours, theirs]) => {
    const wanted = columnName(theirs);
    const isWanted = (name: string) => (byPrefix ? name.startsWith(wanted) : name === wanted);
    const index = names.findIndex(isWanted);
    if (index < 0 || index !== names.findLastIndex(isWanted)) throw new ListFileError(`column ${theirs} is missing or doubled`);
    return [ours, index] as const;
  });
  return (row) => {
    if (row.length !== header.length) throw new ListFileError(`a row has ${row.length} cells where the header has ${header.length}`);
    return Object.fromEntries(indexes.map(([ours, index]) => [ours, row[index]])) as Row;
  };
}

/** Returns the text of a cell; null for an empty one, which these registries also write as `Sem informação`. */
export const cellText = (text: string): string | null => (text === '' || columnName(text) === 'SEM INFORMACAO' ? null : text);

/** Counts unreadable cells of a column. A few are tolerated; many mean that the column has changed and the file must be refused. */
export class ColumnErrors {
  private cells = 0;
  private unreadable = 0;
  private readonly column: string;
  private readonly tolerated: number;

  /** @param tolerated share of cells (0–1) that may be unreadable */
  constructor(column: string, tolerated: number) {
    this.column = column;
    this.tolerated = tolerated;
  }

  add(readable: boolean): void {
    this.cells += 1;
    if (!readable) this.unreadable += 1;
  }

  /** @throws ListFileError when more than the tolerated share could not be read */
  assertFew(): void {
    if (this.unreadable > this.cells * this.tolerated)
      throw new ListFileError(`${this.unreadable} of ${this.cells} cells of ${this.column} cannot be read`);
  }
}

/**
 * Returns a function that gives each row an id unique within the file: the list's own number of the row, followed by `-2`, `-3` for
 * further rows with the same number. It returns null for a row that equals an earlier one in every cell.
 */
export function rowIds(): (number: string, row: readonly string[]) => string | null {
  const seen = new Map<string, Set<string>>();
  return (number, row) => {
    const digest = createHash('sha1').update(JSON.stringify(row)).digest('base64');
    const digests = seen.get(number) ?? new Set();
    if (digests.has(digest)) return null;
    seen.set(number, digests.add(digest));
    return digests.size === 1 ? number : `${number}-${digests.size}`;
  };
}
