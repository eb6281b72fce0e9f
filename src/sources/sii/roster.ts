/** Numbers from here on belong to legal persons; below are people, whose rows are left out. */
export const FIRST_LEGAL_PERSON = 50_000_000;
const END = 100_000_000;

const YEAR_ZERO = 1_900;
/** Stands for a company that has no commercial year. */
const NO_YEAR = 255;

/** What a company's rows so far left open, or have settled. */
export const MARK = { needsActivity: 1, needsPlace: 2, named: 4 } as const;

/**
 * Who was read so far: a byte or two for every number that a company can have, of which the system keeps only the pages that
 * are used. So it is known at once which row of a company counts, however the rows are ordered, and memory has a limit.
 */
export class Roster {
  readonly #years = new Uint8Array(END - FIRST_LEGAL_PERSON);
  readonly #marks = new Uint8Array(END - FIRST_LEGAL_PERSON);

  has(rut: number): boolean {
    return this.#years[rut - FIRST_LEGAL_PERSON] !== 0;
  }

  /** Commercial year of the row kept; null for a company that has none, listed or not. */
  year(rut: number): number | null {
    const year = this.#years[rut - FIRST_LEGAL_PERSON] ?? 0;
    return year === 0 || year === NO_YEAR ? null : year + YEAR_ZERO;
  }

  /** Keeps a company's row of this year, 1901 to 2154, in place of any other. */
  keep(rut: number, year: number | null): void {
    this.#years[rut - FIRST_LEGAL_PERSON] = year === null ? NO_YEAR : year - YEAR_ZERO;
  }

  is(rut: number, mark: number): boolean {
    return ((this.#marks[rut - FIRST_LEGAL_PERSON] ?? 0) & mark) !== 0;
  }

  mark(rut: number, mark: number, on: boolean): void {
    const marks = this.#marks[rut - FIRST_LEGAL_PERSON] ?? 0;
    this.#marks[rut - FIRST_LEGAL_PERSON] = on ? marks | mark : marks & ~mark;
  }
}
