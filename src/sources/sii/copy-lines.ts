import type { Row } from './row.ts';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const BLANK = 0x20;
const ZERO = 0x30;
const BACKSLASH = 0x5c;
const CAPITAL_N = 0x4e;

const BYTES = 256 * 1024;
/** What a line may take beside the texts of its row: numbers, dates, nulls. */
const MARGIN = 512;
/** Bytes of UTF-8 that one byte of Windows-1252, or an escaped one, may take. */
const MAX_GROWTH = 3;

/** UTF-8 of the bytes 0x80–0xFF of Windows-1252. */
const UPPER_HALF: readonly Buffer[] = Array.from({ length: 128 }, (_, i) =>
  Buffer.from(new TextDecoder('windows-1252').decode(Uint8Array.of(0x80 + i))),
);

/** Lines of COPY's text format, in UTF-8, as they are written. Every value is preceded by its tab but for the first of a line. */
export class CopyLines {
  private bytes = Buffer.allocUnsafe(BYTES);
  private at = 0;
  private readonly transcode: boolean;
  private readonly full: Buffer[] = [];

  constructor(charset: 'utf-8' | 'windows-1252') {
    this.transcode = charset === 'windows-1252';
  }

  /** Begins a line with its version and number. `rowBytes`: length of the row that it is made from. */
  begin(version: string, rut: number, rowBytes: number): void {
    const most = rowBytes * MAX_GROWTH + MARGIN;
    if (this.at + most > this.bytes.length) {
      this.full.push(this.bytes.subarray(0, this.at));
      this.bytes = Buffer.allocUnsafe(Math.max(BYTES, most));
      this.at = 0;
    }
    this.at += this.bytes.write(version, this.at);
    this.whole(rut);
  }

  end(): void {
    this.bytes[this.at++] = LINE_FEED;
  }

  nulls(count: number): void {
    for (let i = 0; i < count; i += 1) {
      this.bytes[this.at++] = TAB;
      this.bytes[this.at++] = BACKSLASH;
      this.bytes[this.at++] = CAPITAL_N;
    }
  }

  /** Up to nine digits; null below 0. `width`: left zeros up to so many digits. */
  whole(number: number, width = 1): void {
    this.number(number, width);
  }

  /** aaaammdd as a date; null below 0. */
  date(number: number): void {
    this.number(number, 8);
  }

  /** A word of ours, up to a hundred characters, none of them a backslash or a control character; null for null. */
  word(text: string | null): void {
    if (text === null) this.nulls(1);
    else this.at += this.bytes.write(`\t${text}`, this.at);
  }

  /** A cell's text, from `start` on where that is given; control characters become blanks. */
  text(row: Row, cell: number, start = row.start(cell)): void {
    const source = row.bytes;
    const end = row.end(cell);
    const { bytes: target, transcode } = this;
    let at = this.at;
    target[at++] = TAB;
    for (let place = start; place < end; place += 1) {
      const byte = source[place] ?? 0;
      if (byte >= 0x80 && transcode) {
        const character = UPPER_HALF[byte - 0x80];
        at += character?.copy(target, at) ?? 0;
      } else {
        if (byte === BACKSLASH) target[at++] = BACKSLASH;
        target[at++] = byte < BLANK ? BLANK : byte;
      }
    }
    this.at = at;
  }

  /** A cell's text, or null where it says nothing. */
  label(row: Row, cell: number): void {
    if (row.isNone(cell)) this.nulls(1);
    else this.text(row, cell);
  }

  /** What was written since the last time. */
  take(): readonly Buffer[] {
    const taken = [...this.full.splice(0), this.bytes.subarray(0, this.at)];
    this.bytes = this.bytes.subarray(this.at);
    this.at = 0;
    return taken.filter(({ length }) => length > 0);
  }

  private number(number: number, width: number): void {
    if (number < 0) {
      this.nulls(1);
      return;
    }
    this.bytes[this.at++] = TAB;
    let length = width;
    for (let limit = 10 ** width; number >= limit; limit *= 10) length += 1;
    let rest = number;
    for (let place = this.at + length - 1; place >= this.at; place -= 1) {
      const tenth = (rest / 10) | 0;
      this.bytes[place] = ZERO + (rest - tenth * 10);
      rest = tenth;
    }
    this.at += length;
  }
}
