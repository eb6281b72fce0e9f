import { fromDayMonthYear } from '../../domain/time.ts';
import { ListFileError } from './list-file.ts';

/** Maximum share of cells that have the form of a date but are none, such as `03/19/2024`, which show that the column has another order. */
const MAX_IMPOSSIBLE = 0.01;
/** Maximum share of cells with other texts. One such cell of either kind is a mistake, however short the file is. */
const MAX_UNREADABLE = 0.05;
/** Number of different dates of which one must have a day over 12. The probability that none has is below one in a million. */
const ENOUGH_DATES = 15;

/** Matches a date, perhaps in another order. */
const DATE_FORM = /^\s*\d{1,2}[/.-]\d{1,2}[/.-]\d{4}\s*$/;
/** Matches a cell that some publishers print for "no date". */
const NO_DATE = /^[0/.-]+$/;

/**
 * Reads the dates of one column of a list, written DD/MM/YYYY. It counts cells that are not a date, and days over 12, because in a file
 * with the order MM/DD/YYYY many cells are valid but other dates.
 */
export class DateColumn {
  readonly #column: string;
  #cells = 0;
  #impossible = 0;
  #unreadable = 0;
  #hasLateDay = false;
  readonly #dates = new Set<string>();
  /** Year → number of cells. */
  readonly #years = new Map<number, number>();

  constructor(column: string) {
    this.#column = column;
  }

  /** Reads a cell that is not empty. Returns the ISO date; null if it is not a date. */
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
   * @param publishedOn ISO date of the file, if no date of the column can be more than a year later; null if any date can
   * @throws ListFileError for a column with more texts that are not dates than a published one has, or with no day over 12
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
