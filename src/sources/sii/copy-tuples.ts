import type { Row } from './row.ts';
import type { Charset } from './tab-file.ts';

const BLANK = 0x20;
const ZERO = 0x30;
const NULL = -1;

const BYTES = 256 * 1024;
/** Bytes that a tuple may take in addition to the texts of its row: numbers, dates, lengths and one constant text. */
const MARGIN = 1_024;
/** Maximum number of bytes in UTF-8 of one byte of Windows-1252. */
const MAX_GROWTH = 3;

/** UTF-8 encodings of the bytes 0x80–0xFF of Windows-1252. */
const UPPER_HALF: readonly Buffer[] = Array.from({ length: 128 }, (_, i) =>
  Buffer.from(new TextDecoder('windows-1252').decode(Uint8Array.of(0x80 + i))),
);

/** Header of a COPY stream, before the first tuple: signature, no flags, no extension. */
export const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** Trailer of a COPY stream, after the last tuple. */
export const COPY_TRAILER = Buffer.from([0xff, 0xff]);

/**
 * Writes tuples in the binary format of Postgres `COPY`, in UTF-8. The database need not parse the text of binary tuples. The caller
 * writes one value for every column, in column order and of the column's type.
 */
export class CopyTuples {
  private bytes = Buffer.allocUnsafe(BYTES);
  private at = 0;
  private readonly transcode: boolean;
  private readonly full: Buffer[] = [];

  /** @param charset charset of the rows that texts are copied from */
  constructor(charset: Charset) {
    this.transcode = charset === 'windows-1252';
  }

  /** Begins a tuple of `columns` columns. `rowBytes`: length of the row that its texts are copied from. */
  begin(columns: number, rowBytes: number): void {
    const maxBytes = rowBytes * MAX_GROWTH + MARGIN;
    if (this.at + maxBytes > this.bytes.length) {
      this.full.push(this.bytes.subarray(0, this.at));
      this.bytes = Buffer.allocUnsafe(Math.max(BYTES, maxBytes));
      this.at = 0;
    }
    this.int16(columns);
  }

  nulls(count: number): void {
    for (let i = 0; i < count; i += 1) this.int32(NULL);
  }

  /** Writes an integer of at most 32 bits as a bigint. */
  bigint(number: number): void {
    this.int32(8);
    this.int32(number < 0 ? -1 : 0);
    this.int32(number);
  }

  /** Writes an integer of 32 bits; null below 0. */
  integer(number: number): void {
    if (number < 0) this.int32(NULL);
    else {
      this.int32(4);
      this.int32(number);
    }
  }

  /** Writes an integer of 16 bits; null below 0. */
  smallint(number: number): void {
    if (number < 0) this.int32(NULL);
    else {
      this.int32(2);
      this.int16(number);
    }
  }

  /** Writes the number yyyymmdd as a date; null below 0. */
  date(number: number): void {
    if (number < 0) this.int32(NULL);
    else {
      this.int32(4);
      this.int32(daysSince2000(number));
    }
  }

  /** Writes a number as text of `width` digits with left zeros; null below 0. */
  digits(number: number, width: number): void {
    if (number < 0) {
      this.int32(NULL);
      return;
    }
    this.int32(width);
    let rest = number;
    for (let index = this.at + width - 1; index >= this.at; index -= 1) {
      const tenth = (rest / 10) | 0;
      this.bytes[index] = ZERO + (rest - tenth * 10);
      rest = tenth;
    }
    this.at += width;
  }

  /** Writes a string of up to 100 characters; null for null. */
  string(text: string | null): void {
    if (text === null) this.int32(NULL);
    else {
      const length = this.bytes.write(text, this.at + 4);
      this.int32(length);
      this.at += length;
    }
  }

  /** Writes a cell's text from byte `start` on (default: its beginning). Control characters become blanks. */
  text(row: Row, cell: number, start = row.start(cell)): void {
    const source = row.bytes;
    const end = row.end(cell);
    const { bytes: target, transcode } = this;
    const first = this.at + 4;
    let at = first;
    for (let index = start; index < end; index += 1) {
      const byte = source[index] ?? 0;
      if (byte >= 0x80 && transcode) at += UPPER_HALF[byte - 0x80]?.copy(target, at) ?? 0;
      else target[at++] = byte < BLANK ? BLANK : byte;
    }
    this.int32(at - first);
    this.at = at;
  }

  /** Writes the text of a cell; null for an empty cell. */
  label(row: Row, cell: number): void {
    if (row.isEmpty(cell)) this.int32(NULL);
    else this.text(row, cell);
  }

  /** Returns the bytes written since the last call. */
  drain(): readonly Buffer[] {
    const written = [...this.full.splice(0), this.bytes.subarray(0, this.at)];
    this.bytes = this.bytes.subarray(this.at);
    this.at = 0;
    return written.filter(({ length }) => length > 0);
  }

  private int16(number: number): void {
    const { bytes, at } = this;
    bytes[at] = number >> 8;
    bytes[at + 1] = number;
    this.at = at + 2;
  }

  private int32(number: number): void {
    const { bytes, at } = this;
    bytes[at] = number >> 24;
    bytes[at + 1] = number >> 16;
    bytes[at + 2] = number >> 8;
    bytes[at + 3] = number;
    this.at = at + 4;
  }
}

const DAYS_UNTIL_2000 = 730_425;

/**
 * Converts the number yyyymmdd to days since 1 January 2000, as Postgres counts. The sum starts years in March, so that leap days are
 * last.
 */
function daysSince2000(number: number): number {
  const month = ((number / 100) | 0) % 100;
  const isEarly = month < 3;
  const year = ((number / 10_000) | 0) - (isEarly ? 1 : 0);
  const days = ((153 * (month + (isEarly ? 9 : -3)) + 2) / 5) | 0;
  const leaps = ((year / 4) | 0) - ((year / 100) | 0) + ((year / 400) | 0);
  return year * 365 + leaps + days + (number % 100) - 1 - DAYS_UNTIL_2000;
}
