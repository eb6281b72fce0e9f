import { fromDayMonthYear } from '../../domain/time.ts';
import { ListFileError } from './list-file.ts';

/** Largest share of cells that have the form of a date and are none, such as `03/19/2024`: the column is written in another order. */
const MAX_IMPOSSIBLE = 0.01;
/** Largest share of cells of other texts. One such cell of either kind is a mistake, however short the file is. */
const MAX_UNREADABLE = 0.05;
/** Of so many different dates, one has a day over 12; that none has is less likely than one in a million. */
const ENOUGH_DATES = 15;

/** A date, perhaps of another order. */
const DATE_FORM = /^\s*\d{1,2}[/.-]\d{1,2}[/.-]\d{4}\s*$/;
/** A cell that some publishers print for "no date". */
const NO_DATE = /^[0/.-]+$/;

/**
 * The dates of one column of a list, written DD/MM/YYYY. Counts what is no date, and days that are over 12: in a file that is written in
 * another order, MM/DD/YYYY, many dates are other dates, and nothing in their cells says so.
 */
export class DateColumn {
  readonly #column: string;
  #cells = 0;
  #impossible = 0;
  #unreadable = 0;
  #hasLateDay = false;
  readonly #dates = new Set<string>();
  /** Year → cells. */
  readonly #years = new Map<number, number>();

  constructor(column: string) {
    this.#column = column;
  }

  /** Reads a cell that is not empty. Returns the ISO date; null for none. */
  read(cell: string): string | null {
    if (NO_DATE.test(cell)) return null;
    this.#cells += 1;
    const iso = fromDayMonthYear(cell);
    if (iso === null) {
      if (DATE_FORM.test(cell)) this.#impossible += 1;
      else this.#unreadable += 1;
      return null;
    }
    if (this.#dates.size < ENOUGH_DATES) this.#dates.add(iso);
    if (Number(iso.slice(8)) > 12) this.#hasLateDay = true;
    const year = Number(iso.slice(0, 4));
    this.#years.set(year, (this.#years.get(year) ?? 0) + 1);
    return iso;
  }

  /**
   * @param publishedOn ISO date of the file, where no date of the column can be later by more than a year; null where any can
   * @throws ListFileError for a column with more texts that are no dates than a published one has, or with no day over 12
   */
  assertDates(publishedOn: string | null = null): void {
    const of = `of ${this.#cells} cells of ${this.#column}`;
    const newest = publishedOn === null ? Number.POSITIVE_INFINITY : Number(publishedOn.slice(0, 4)) + 1;
    const later = [...this.#years].reduce((sum, [year, cells]) => (year > newest ? sum + cells : sum), 0);
    if (this.#impossible + later > Math.max(this.#cells * MAX_IMPOSSIBLE, 1))
      throw new ListFileError(`${this.#impossible + later} ${of} are impossible dates`);
    if (this.#unreadable > Math.max(this.#cells * MAX_UNREADABLE, 1)) throw new ListFileError(`${this.#unreadable} ${of} cannot be read`);
    if (this.#dates.size >= ENOUGH_DATES && !this.#hasLateDay) {
      throw new ListFileError(`no date of ${this.#column} has a day over 12: its days may be months`);
    }
  }
}
