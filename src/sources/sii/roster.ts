import { FIRST_LEGAL_PERSON } from '../../domain/rut.ts';

const END = 100_000_000;

/** Years before the registry, or well after this was written, are no years: six bits are enough. */
export const FIRST_YEAR = 1_990;
export const LAST_YEAR = FIRST_YEAR + 61;
const YEAR_BITS = 0x3f;
/** Stands for the year of a row that has none. */
const NO_YEAR = YEAR_BITS;

/** What a company's row leaves open. */
export const NEEDS = { activity: 0x40, place: 0x80 } as const;

/**
 * Who was read so far: a byte for every number that a company can have, of which the system keeps only the pages that are used.
 * So it is known at once which row of a company counts, however the rows are ordered, and memory has a limit.
 */
export class Roster {
  private readonly bytes = new Uint8Array(END - FIRST_LEGAL_PERSON);

  /** Year of the row that a company has, 0 for a row that has none; undefined where there is no row yet. */
  year(rut: number): number | undefined {
    const year = this.byte(rut) & YEAR_BITS;
    if (year === 0) return undefined;
    return year === NO_YEAR ? 0 : year - 1 + FIRST_YEAR;
  }

  /** Notes a company's row in place of any other. `year`: 0 for none. `needs`: what it leaves open, of `NEEDS`, added up. */
  note(rut: number, year: number, needs: number): void {
    this.bytes[rut - FIRST_LEGAL_PERSON] = (year === 0 ? NO_YEAR : year - FIRST_YEAR + 1) | needs;
  }

  needs(rut: number, need: number): boolean {
    return (this.byte(rut) & need) !== 0;
  }

  /** Notes that a need is met. */
  meet(rut: number, need: number): void {
    this.bytes[rut - FIRST_LEGAL_PERSON] = this.byte(rut) & ~need;
  }

  private byte(rut: number): number {
    return this.bytes[rut - FIRST_LEGAL_PERSON] ?? 0;
  }
}
