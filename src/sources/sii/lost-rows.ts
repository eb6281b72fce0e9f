import { FIRST_LEGAL_PERSON } from '../../domain/tax-id.ts';
import { END_OF_RUTS, type Row } from './row.ts';

/** Maximum number of numbers that are kept, above those of a file that is accepted. */
const MAX_NUMBERS = 100_000;

/** Lowest number that is a person's without its check digit. A lower one may be the rest of any number. */
const FIRST_PERSON = 1_000_000;

/** The rows of a table whose RUT cannot be read, by what they may hide: companies that no other row names. */
export class LostRows {
  /** Number of rows that may be about any company. */
  unknown = 0;
  /** Numbers of companies of the other rows. */
  readonly numbers = new Set<number>();

  /** @param number number of the RUT, without a right check digit or in a row with other cells in the wrong columns; below 1 for none */
  add(row: Row, number: number): void {
    if (row.isBlank || (number >= FIRST_PERSON && number < FIRST_LEGAL_PERSON)) return;
    if (number >= FIRST_LEGAL_PERSON && number < END_OF_RUTS && this.numbers.size < MAX_NUMBERS) this.numbers.add(number);
    else this.unknown += 1;
  }
}
