import { companiesOfCutRut, FIRST_LEGAL_PERSON, FIRST_PERSON, numberOfRut } from '../../domain/tax-id.ts';
import { END_OF_RUTS, type Row } from './row.ts';

/** Maximum number of numbers that are kept, above those of a file that is accepted. */
const MAX_NUMBERS = 400_000;

/** Instead of the year of a row of the list of names, which is newer than any commercial year, and of a year that cannot be read. */
export const NEWEST = 9_999;
/** Instead of the year of a row that states no end: another row of its company loses nothing by it. */
export const NO_END = -1;

/**
 * The rows of a table that cannot be read, in whole or about the end, by what they may hide: companies that no other row names, and ends of
 * companies that another row names.
 */
export class LostRows {
  /** Number of rows that may be about any company. */
  unknown = 0;
  /** True if one of them may state an end. */
  hasUnknownEnd = false;
  /** Numbers with a right check digit, each with the newest year of its rows; `NO_END` if no row may state an end. */
  readonly certain = new Map<number, number>();
  /** Numbers without a right check digit, which may be those of another company, with such years. */
  readonly possible = new Map<number, number>();

  /** Adds a row of a company. `year`: year of a row that may state an end, else `NO_END`. */
  add(number: number, year: number): void {
    this.#add(this.certain, number, year);
  }

  /**
   * Adds a row whose RUT cannot be read.
   * @param number number of the RUT without a right check digit; below 1 for none
   * @param digit the wrong check digit; empty for none. Beside it, the number of a person may be that of a company without one digit
   */
  addPossible(row: Row, number: number, digit: string, year: number): void {
    if (row.isBlank) return;
    const isPersons = number >= FIRST_PERSON && number < FIRST_LEGAL_PERSON;
    const possible = isPersons ? companiesOfCutRut(`${number}${digit}`).map(numberOfRut) : [number];
    for (const one of possible) this.#add(this.possible, one, year);
  }

  #add(numbers: Map<number, number>, number: number, year: number): void {
    if (number >= FIRST_LEGAL_PERSON && number < END_OF_RUTS && numbers.size < MAX_NUMBERS) {
      numbers.set(number, Math.max(year, numbers.get(number) ?? NO_END));
      return;
    }
    this.unknown += 1;
    this.hasUnknownEnd ||= year !== NO_END;
  }
}
