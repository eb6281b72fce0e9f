import { ListFileError } from '../registry/list-file.ts';
import { ILLEGIBLE } from './row.ts';

/** So many cells may always be illegible, in a file of any size; above that, a hundredth of them. */
const TOLERATED = 10;
const TOLERATED_SHARE = 0.01;
/** Of the cells that nothing can be without. */
const VITAL_SHARE = 0.0001;

/** Counts what cannot be read: single oddities are left out, but a column of them is another column. */
export class Legible {
  private readonly unread = new Map<string, number>();
  private readonly vital = new Set<string>();

  /** Passes a cell's number on. */
  number(column: string, number: number): number {
    if (number === ILLEGIBLE) this.note(column);
    return number;
  }

  note(column: string): void {
    this.unread.set(column, (this.unread.get(column) ?? 0) + 1);
  }

  /** Notes a cell that decides which row counts: in a sound file hardly one is illegible. */
  noteVital(column: string): void {
    this.vital.add(column);
    this.note(column);
  }

  /** @throws ListFileError where more than a few were illegible, or most */
  settle(rows: number): void {
    for (const [column, unread] of this.unread) {
      const most = this.vital.has(column) ? rows * VITAL_SHARE : Math.max(TOLERATED, rows * TOLERATED_SHARE);
      if (unread > most || unread * 2 > rows) throw new ListFileError(`${unread} of ${rows} rows have no legible ${column}`);
    }
  }
}
