import { companiesOfCutRut, FIRST_LEGAL_PERSON, FIRST_PERSON, numberOfRut } from '../../domain/tax-id.ts';
import { END_OF_RUTS, type Row } from './row.ts';

/** Maximum number of numbers that are kept, above those of a file that is accepted. */
const MAX_NUMBERS = 100_000;

/** The rows of a table whose RUT cannot be read, by what they may hide: companies that no other row names. */
export class LostRows {
  /** Number of rows that may be about any company. */
  unknown = 0;
  /** Numbers of companies of the other rows. */
  readonly numbers = new Set<number>();

  /**
   * @param number number of the RUT, without a right check digit or in a row with other cells in the wrong columns; below 1 for none
   * @param digit the wrong check digit; empty for none. Beside it, the number of a person may be that of a company without one digit
   */
  add(row: Row, number: number, digit: string): void {
    if (row.isBlank) return;
    const isPersons = number >= FIRST_PERSON && number < FIRST_LEGAL_PERSON;
    const possible = isPersons ? companiesOfCutRut(`${number}${digit}`).map(numberOfRut) : [number];
    for (const one of possible) this.#add(one);
  }

  #add(number: number): void {
    if (number >= FIRST_LEGAL_PERSON && number < END_OF_RUTS && this.numbers.size < MAX_NUMBERS) this.numbers.add(number);
    else this.unknown += 1;
  }
}
