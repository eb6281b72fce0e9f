import { ListFileError } from '../registry/list-file.ts';
import { regionCode } from './catalogues.ts';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const DASH = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Maximum number of cells whose positions are stored, above the number of columns of any table. Further cells are only counted. */
const MAX_CELLS = 64;
const NONE = Buffer.from('SIN INFORMACI');
const TO_UPPER = ~0x20;

/** Year of an end date that means "no end". */
const NO_YEAR = 9_999;

/** The numbers of RUTs, without check digits, are below it. */
export const END_OF_RUTS = 100_000_000;

/** Result of reading a number or date from an empty cell. */
export const EMPTY_CELL = -1;
/** Result of reading a cell that is not empty and not of the expected form. */
export const UNREADABLE = -2;

/**
 * Reads one line at a time from a block of bytes; cells are separated by tabs. Files have millions of lines, so cells stay bytes and are
 * converted to strings only on demand. Blanks around a cell are ignored.
 */
export class Row {
  bytes: Buffer = Buffer.alloc(0);
  /** Number of cells of the line; 0 for an empty one. */
  width = 0;
  /** False for the last line of a file that does not end with a line feed. */
  isEnded = true;
  private readonly starts = new Int32Array(MAX_CELLS + 1);

  /** Reads the line that begins at byte `start`. Returns the start of the next line. */
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

  /** True for a line of tabs and blanks only. */
  get isBlank(): boolean {
    const end = (this.starts[Math.min(this.width, MAX_CELLS)] ?? 0) - 1;
    for (let at = this.starts[0] ?? 0; at < end; at += 1) if ((this.bytes[at] ?? 0) > BLANK) return false;
    return true;
  }

  /** Returns the byte offset of the beginning of a cell. */
  start(cell: number): number {
    const { bytes } = this;
    const end = (this.starts[cell + 1] ?? 0) - 1;
    let start = this.starts[cell] ?? 0;
    while (start < end && bytes[start] === BLANK) start += 1;
    return start;
  }

  /** Returns the byte offset after the end of a cell. */
  end(cell: number): number {
    const { bytes } = this;
    const start = this.starts[cell] ?? 0;
    let end = (this.starts[cell + 1] ?? 0) - 1;
    while (end > start && bytes[end - 1] === BLANK) end -= 1;
    return end;
  }

  /** Returns a cell as a string, for short cells that are compared or looked up. */
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

  /** Reads a number of up to nine digits; may return `EMPTY_CELL` or `UNREADABLE`. */
  whole(cell: number): number {
    if (this.isEmpty(cell)) return EMPTY_CELL;
    const start = this.start(cell);
    const end = this.end(cell);
    return end - start > 9 ? UNREADABLE : this.digits(start, end);
  }

  /**
   * Reads `yyyy-mm-dd` or `dd-mm-yyyy` as the number yyyymmdd; may return `EMPTY_CELL` or `UNREADABLE`. A day of the year 9999 means "no
   * date".
   */
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
    if (known && year === NO_YEAR) return EMPTY_CELL;
    return known ? year * 10_000 + month * 100 + day : UNREADABLE;
  }

  /** Reads bytes that are all digits as a number; `UNREADABLE` for other bytes. */
  digits(start: number, end: number): number {
    let number = 0;
    for (let at = start; at < end; at += 1) {
      const byte = this.bytes[at] ?? 0;
      if (byte < ZERO || byte > NINE) return UNREADABLE;
      number = number * 10 + (byte - ZERO);
    }
    return end > start ? number : UNREADABLE;
  }

  /** Reads the digits at the beginning of a text as a number. */
  leading(start: number): number {
    let at = start;
    while (isDigit(this.bytes[at])) at += 1;
    return this.digits(start, at);
  }

  /** Returns the offset of the text after a leading code (`620200 - ACTIVIDADES …`); the beginning of the cell without a code. */
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

  /** Returns the ISO 3166-2 code for a region's label; null if the label names no region. */
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

/** Maximum number of unreadable cells per column: 10 in a file of any size, or 1 % of the rows if that is more. */
const TOLERATED = 10;
const TOLERATED_SHARE = 0.01;
/** Maximum share of unreadable cells in an essential column. */
const ESSENTIAL_SHARE = 0.0001;

/**
 * Counts unreadable cells by column. A few are tolerated and their values omitted; many mean that the column has changed and the file must
 * be refused.
 */
export class UnreadableCells {
  private readonly counts = new Map<string, number>();
  private readonly essential = new Set<string>();

  /** Returns the number unchanged, and counts it if it is `UNREADABLE`. */
  checked(column: string, number: number): number {
    if (number === UNREADABLE) this.add(column);
    return number;
  }

  add(column: string): void {
    this.counts.set(column, (this.counts.get(column) ?? 0) + 1);
  }

  /** Does the same as `checked` for an essential column, of which a missing value would be a wrong answer. */
  checkedEssential(column: string, number: number): number {
    if (number === UNREADABLE) this.addEssential(column);
    return number;
  }

  /** Counts an unreadable cell of an essential column, such as the year that decides which row is the newest. */
  addEssential(column: string): void {
    this.essential.add(column);
    this.add(column);
  }

  /** @throws ListFileError when a column has more unreadable cells than tolerated, or more than half of its rows */
  assertFew(rows: number): void {
    for (const [column, unread] of this.counts) {
      const max = this.essential.has(column) ? rows * ESSENTIAL_SHARE : Math.max(TOLERATED, rows * TOLERATED_SHARE);
      if (unread > max || unread * 2 > rows) throw new ListFileError(`${unread} of ${rows} rows have no legible ${column}`);
    }
  }
}
