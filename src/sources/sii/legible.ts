import { ListFileError } from '../registry/list-file.ts';
import { ILLEGIBLE } from './row.ts';

/** So many cells may always be illegible, in a file of any size; above that, a hundredth of them. */
const TOLERATED = 10;
const TOLERATED_SHARE = 0.01;

/** Counts what cannot be read: single oddities are left out, but a column of them is another column. */
export class Legible {
  private readonly unread = new Map<string, number>();

  /** Passes a cell's number on. */
  number(column: string, number: number): number {
    if (number === ILLEGIBLE) this.note(column);
    return number;
  }

  note(column: string): void {
    this.unread.set(column, (this.unread.get(column) ?? 0) + 1);
  }

  /** @throws ListFileError where more than a few were illegible, or most */
  settle(rows: number): void {
    for (const [column, unread] of this.unread) {
      if (unread > Math.max(TOLERATED, rows * TOLERATED_SHARE) || unread * 2 > rows)
        throw new ListFileError(`${unread} of ${rows} rows have no legible ${column}`);
    }
  }
}
