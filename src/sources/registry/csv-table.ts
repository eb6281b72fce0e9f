import { createHash } from 'node:crypto';
import { ListFileError } from './list-file.ts';

/** What the csv tables of the Brazilian registries have in common. */

/** A column name, blind to accents, case, blanks and kinds of dash: publishers change these between editions. */
export const columnName = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036F\uFEFF]/g, '')
    .replace(/[\u2010-\u2015]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .toUpperCase();

export const isBlankRow = (row: readonly string[]): boolean => row.every((cell) => cell === '');

/**
 * Header row and the columns needed (our name → theirs) → reader of the rows below it.
 * @throws ListFileError for a needed column that is missing or doubled; its reader for a row of another width (a cut file)
 */
export function readColumns<Row extends Readonly<Record<string, string>>>(
  header: readonly string[],
  needed: Row,
): (row: readonly string[]) => Row {
  const names = header.map(columnName);
  const indexes = Object.entries(needed).map(([ours, theirs]) => {
    const index = names.indexOf(columnName(theirs));
    if (index < 0 || index !== names.lastIndexOf(columnName(theirs))) throw new ListFileError(`column ${theirs} is missing or doubled`);
    return [ours, index] as const;
  });
  return (row) => {
    if (row.length !== header.length) throw new ListFileError(`a row has ${row.length} cells where the header has ${header.length}`);
    return Object.fromEntries(indexes.map(([ours, index]) => [ours, row[index]])) as Row;
  };
}

/** `Sem informação` is how these registries write an empty cell. */
export const cellText = (text: string): string | null => (text === '' || columnName(text) === 'SEM INFORMACAO' ? null : text);

/** Counts the cells of a column that could be read: single oddities happen, but a column of them is another column. */
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
 * The list's own number of a row and the row → an id unique within the file: the number, with `-2`, `-3` where another row
 * bears it too; null for a row that repeats an earlier one cell by cell.
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
