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
  const places = Object.entries(needed).map(([ours, theirs]) => {
    const place = names.indexOf(columnName(theirs));
    if (place < 0 || place !== names.lastIndexOf(columnName(theirs))) throw new ListFileError(`column ${theirs} is missing or doubled`);
    return [ours, place] as const;
  });
  return (row) => {
    if (row.length !== header.length) throw new ListFileError(`a row has ${row.length} cells where the header has ${header.length}`);
    return Object.fromEntries(places.map(([ours, place]) => [ours, row[place]])) as Row;
  };
}

/** `Sem informação` is how these registries write an empty cell. */
export const cellText = (text: string): string | null => (text === '' || columnName(text) === 'SEM INFORMACAO' ? null : text);

/** Counts the cells of a column that could be read: single oddities happen, but a column of them is another column. */
export class Legibility {
  private cells = 0;
  private unread = 0;
  private readonly column: string;
  private readonly tolerated: number;

  /** @param tolerated share of cells (0–1) that may be unreadable */
  constructor(column: string, tolerated: number) {
    this.column = column;
    this.tolerated = tolerated;
  }

  note(legible: boolean): void {
    this.cells += 1;
    if (!legible) this.unread += 1;
  }

  /** @throws ListFileError when more than the tolerated share could not be read */
  settle(): void {
    if (this.unread > this.cells * this.tolerated)
      throw new ListFileError(`${this.unread} of ${this.cells} cells of ${this.column} cannot be read`);
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
    const known = seen.get(number) ?? new Set();
    if (known.has(digest)) return null;
    seen.set(number, known.add(digest));
    return known.size === 1 ? number : `${number}-${known.size}`;
  };
}
