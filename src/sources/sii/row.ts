import { ListFileError } from '../registry/list-file.ts';
import { regionCode } from './catalogues.ts';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const DASH = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** More cells than any table has columns: what is beyond is counted, not kept. */
const MAX_CELLS = 64;
const NONE = Buffer.from('SIN INFORMACI');
const TO_UPPER = ~0x20;

/** A cell that is blank, as a number or a date. */
export const EMPTY_CELL = -1;
/** A cell that is neither blank nor what it should be. */
export const UNREADABLE = -2;

/**
 * One line at a time of a block of bytes, its cells between tabs. There are millions of lines, so nothing of them becomes a
 * string that need not. Cells are read without the blanks around them.
 */
export class Row {
  bytes: Buffer = Buffer.alloc(0);
  /** Cells of the line; 0 for an empty one. */
  width = 0;
  /** False for the last line of a file that does not end with a line feed. */
  isEnded = true;
  private readonly starts = new Int32Array(MAX_CELLS + 1);

  /** Reads the line that begins at byte `start`. Returns where the next line begins. */
  load(bytes: Buffer, start: number): number {
    const { starts } = this;
    let cell = 1;
    let at = start;
    starts[0] = start;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === TAB) {
        if (cell < MAX_CELLS) starts[cell] = at + 1;
        cell += 1;
      } else if (byte === LINE_FEED) break;
    }
    const end = at > start && bytes[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
    starts[Math.min(cell, MAX_CELLS)] = end + 1;
    this.bytes = bytes;
    this.width = end === start ? 0 : cell;
    this.isEnded = at < bytes.length;
    return at + 1;
  }

  /** Where a cell begins. */
  start(cell: number): number {
    const { bytes } = this;
    const end = (this.starts[cell + 1] ?? 0) - 1;
    let start = this.starts[cell] ?? 0;
    while (start < end && bytes[start] === BLANK) start += 1;
    return start;
  }

  /** Where a cell ends. */
  end(cell: number): number {
    const { bytes } = this;
    const start = this.starts[cell] ?? 0;
    let end = (this.starts[cell + 1] ?? 0) - 1;
    while (end > start && bytes[end - 1] === BLANK) end -= 1;
    return end;
  }

  /** A short cell as text, for what is looked up. */
  text(cell: number): string {
    return this.bytes.toString('latin1', this.start(cell), this.end(cell));
  }

  /** True for an empty cell and for `Sin Información`. */
  isEmpty(cell: number): boolean {
    const start = this.start(cell);
    const length = this.end(cell) - start;
    if (length <= 0) return true;
    if (length < NONE.length || length > NONE.length + 3) return false;
    for (let i = 0; i < NONE.length; i += 1) {
      const byte = this.bytes[start + i] ?? 0;
      if ((byte === BLANK ? byte : byte & TO_UPPER) !== NONE[i]) return false;
    }
    return true;
  }

  /** Up to nine digits → the number; `EMPTY_CELL`, `UNREADABLE`. */
  whole(cell: number): number {
    if (this.isEmpty(cell)) return EMPTY_CELL;
    const start = this.start(cell);
    const end = this.end(cell);
    return end - start > 9 ? UNREADABLE : this.digits(start, end);
  }

  /** `aaaa-mm-dd` or `dd-mm-aaaa` → the number aaaammdd; `EMPTY_CELL`, `UNREADABLE`. */
  date(cell: number): number {
    const start = this.start(cell);
    const end = this.end(cell);
    if (end <= start) return EMPTY_CELL;
    if (end - start !== 10) return UNREADABLE;
    const iso = this.bytes[start + 4] === DASH;
    const [first, second] = iso ? [start + 4, start + 7] : [start + 2, start + 5];
    if (this.bytes[first] !== DASH || this.bytes[second] !== DASH) return UNREADABLE;
    const month = this.digits(first + 1, second);
    const [year, day] = iso
      ? [this.digits(start, first), this.digits(second + 1, end)]
      : [this.digits(second + 1, end), this.digits(start, first)];
    const known = year >= 1_000 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
    return known ? year * 10_000 + month * 100 + day : UNREADABLE;
  }

  /** Digits and nothing else → the number; `UNREADABLE`. */
  digits(start: number, end: number): number {
    let number = 0;
    for (let at = start; at < end; at += 1) {
      const byte = this.bytes[at] ?? 0;
      if (byte < ZERO || byte > NINE) return UNREADABLE;
      number = number * 10 + (byte - ZERO);
    }
    return end > start ? number : UNREADABLE;
  }

  /** Digits at the beginning of a text → the number. */
  leading(start: number): number {
    let at = start;
    while (isDigit(this.bytes[at])) at += 1;
    return this.digits(start, at);
  }

  /** `620200 - ACTIVIDADES …` → where the text after the code begins; the beginning of the cell where no code leads. */
  afterCode(cell: number): number {
    const start = this.start(cell);
    const end = this.end(cell);
    let at = start;
    while (at < end && isDigit(this.bytes[at])) at += 1;
    if (at - start !== 5 && at - start !== 6) return start;
    while (at < end && this.bytes[at] === BLANK) at += 1;
    if (this.bytes[at] !== DASH) return start;
    at += 1;
    while (at < end && this.bytes[at] === BLANK) at += 1;
    return at < end ? at : start;
  }

  /** ISO 3166-2 code of a region's label; null where it names none. */
  region(cell: number): string | null {
    const start = this.start(cell);
    const end = this.end(cell);
    let at = start;
    while (at < end && at - start < 5 && this.bytes[at] !== BLANK) at += 1;
    return regionCode(this.bytes.toString('latin1', start, at));
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const daysOf = (year: number, month: number): number =>
  month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : (DAYS[month - 1] ?? 0);

/** So many cells may always be illegible, in a file of any size; above that, a hundredth of them. */
const TOLERATED = 10;
const TOLERATED_SHARE = 0.01;
/** Of the cells that nothing can be without. */
const ESSENTIAL_SHARE = 0.0001;

/** Counts what cannot be read: single oddities are left out, but a column of them is another column. */
export class UnreadableCells {
  private readonly counts = new Map<string, number>();
  private readonly essential = new Set<string>();

  /** Passes a cell's number on. */
  checked(column: string, number: number): number {
    if (number === UNREADABLE) this.add(column);
    return number;
  }

  add(column: string): void {
    this.counts.set(column, (this.counts.get(column) ?? 0) + 1);
  }

  /** Notes a cell that decides which row counts: in a sound file hardly one is illegible. */
  addEssential(column: string): void {
    this.essential.add(column);
    this.add(column);
  }

  /** @throws ListFileError where more than a few were illegible, or most */
  assertFew(rows: number): void {
    for (const [column, unread] of this.counts) {
      const most = this.essential.has(column) ? rows * ESSENTIAL_SHARE : Math.max(TOLERATED, rows * TOLERATED_SHARE);
      if (unread > most || unread * 2 > rows) throw new ListFileError(`${unread} of ${rows} rows have no legible ${column}`);
    }
  }
}
