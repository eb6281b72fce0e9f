import { setImmediate } from 'node:timers/promises';
import { FIRST_LEGAL_PERSON } from '../../domain/tax-id.ts';
import { END_OF_RUTS, type Row, UNREADABLE } from './row.ts';

/** Years outside this range count as unreadable, so that a year fits in six bits. */
const FIRST_YEAR = 1_990;
const LAST_YEAR = FIRST_YEAR + 61;
const YEAR_BITS = 0x3f;
/** Value of the six bits for a row without a year. */
const NO_YEAR = YEAR_BITS;

/** Bits for the facts that a company's row lacks. */
export const MISSING = { activity: 0x40, domicile: 0x80 } as const;

/** Number of numbers that are looked at before other work goes on, about 5 ms. */
const BETWEEN_PAUSES = 2_500_000;

/** Returns the commercial year of a row; `UNREADABLE` for another cell. */
export function yearIn(row: Row, cell: number): number {
  const year = row.whole(cell);
  return year < FIRST_YEAR || year > LAST_YEAR ? UNREADABLE : year;
}

/**
 * Records the companies that were read so far, in one byte and one bit for every possible RUT of a company (56 MB of address space, of which
 * the operating system allocates only touched pages). The lookup of a company's earlier row is O(1) in any order of rows, and memory is
 * bounded.
 */
export class SeenCompanies {
  private readonly bytes = new Uint8Array(END_OF_RUTS - FIRST_LEGAL_PERSON);
  private readonly listed = new Uint8Array((END_OF_RUTS - FIRST_LEGAL_PERSON) / 8);

  /** Returns the year of a company's row; 0 for a row without a year; undefined if the company has no row yet. */
  year(rut: number): number | undefined {
    const year = this.byte(rut) & YEAR_BITS;
    if (year === 0) return undefined;
    return year === NO_YEAR ? 0 : year - 1 + FIRST_YEAR;
  }

  /** Records a company's row and replaces an earlier record. `year`: 0 for none. `missing`: bits of `MISSING`. */
  record(rut: number, year: number, missing: number): void {
    this.bytes[rut - FIRST_LEGAL_PERSON] = (year === 0 ? NO_YEAR : year - FIRST_YEAR + 1) | missing;
  }

  lacks(rut: number, fact: number): boolean {
    return (this.byte(rut) & fact) !== 0;
  }

  /** Records that a missing fact was found. `fact`: a bit of `MISSING`. */
  fill(rut: number, fact: number): void {
    this.bytes[rut - FIRST_LEGAL_PERSON] = this.byte(rut) & ~fact;
  }

  /** Records that the list of names has a company. */
  list(rut: number): void {
    const index = rut - FIRST_LEGAL_PERSON;
    this.listed[index >> 3] = (this.listed[index >> 3] ?? 0) | (1 << (index & 7));
  }

  isListed(rut: number): boolean {
    const index = rut - FIRST_LEGAL_PERSON;
    return ((this.listed[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }

  /** Returns the companies that have a row and are not in the list of names; none if they are more than `max`. */
  async unlisted(max: number): Promise<readonly number[]> {
    const found: number[] = [];
    for (let rut = FIRST_LEGAL_PERSON; rut < END_OF_RUTS; rut += 1) {
      if (rut % BETWEEN_PAUSES === 0) await setImmediate();
      if (this.byte(rut) === 0 || this.isListed(rut)) continue;
      if (found.length >= max) return [];
      found.push(rut);
    }
    return found;
  }

  private byte(rut: number): number {
    return this.bytes[rut - FIRST_LEGAL_PERSON] ?? 0;
  }
}
