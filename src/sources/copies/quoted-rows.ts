/** Maximum length of a line in bytes. A longer one is not read. */
const MAX_LINE = 64 * 1024;
/** A field that may be the first one of a row, as the source of a regular expression, and what follows it. */
const FIRST_FIELD = String.raw`([^";\0\s]{1,20})\0?";"`;
/** Up to four bytes that are no printable ASCII, such as a byte order mark or NUL, may stand before it. */
const FIRST_OF_LINE = new RegExp(`^[^!-~]{0,4}("?)${FIRST_FIELD}`);
/** The quotation mark at the beginning of a row. One before `;"`, and the last one of a line, end the field of the line before. */
const BEGINNING_OF_ROW = /^[^!-~]{0,4}"(?!;"|;?$)/;
/** Characters between two fields. A line that ends with them has opened its last field, which begins with the line break. */
const BETWEEN_FIELDS = '";"';

const [QUOTE, SEMICOLON, BACKSLASH, NEWLINE, RETURN, BLANK, DELETE, NO_BREAK_SPACE] = [0x22, 0x3b, 0x5c, 0x0a, 0x0d, 0x20, 0x7f, 0xa0];
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/** Bits that state which bytes a field has. */
const [DIGIT, OTHER, HIGH, ODD] = [1, 2, 4, 8];
/** Class of each byte. Odd are control characters, quotation marks and the backslash. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (isDigit(byte)) return DIGIT;
  if (byte < BLANK || byte === DELETE || byte === QUOTE || byte === BACKSLASH) return ODD;
  return byte >= 0x80 ? HIGH : OTHER;
});

/** Bytes that `trim` removes at the ends of a text, apart from control characters. */
const isMargin = (byte: number | undefined): boolean => byte === BLANK || byte === NO_BREAK_SPACE;

/**
 * A line whose fields are all quoted, as bytes of Latin-1. It has the next line as soon as that is read. A month has gigabytes of such
 * lines, so a field becomes a string only where its reader needs one.
 */
export class QuotedLine {
  /** Number of the line, from 1. */
  number = 0;
  bytes: Buffer = Buffer.alloc(0);
  readonly columns: number;
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  private readonly classes: Uint8Array;
  private readonly digitCounts: Int32Array;

  constructor(columns: number) {
    this.columns = columns;
    this.starts = new Int32Array(columns);
    this.ends = new Int32Array(columns);
    this.classes = new Uint8Array(columns);
    this.digitCounts = new Int32Array(columns);
  }

  /** Number of bytes of all fields. */
  get bytesUsed(): number {
    return this.end(this.columns - 1) - this.start(0);
  }

  /** Position of the first byte of a field. */
  start(field: number): number {
    return this.starts[field] ?? 0;
  }

  /** Position after the last byte of a field. */
  end(field: number): number {
    return this.ends[field] ?? 0;
  }

  /** Number of bytes of a field. */
  size(field: number): number {
    return this.end(field) - this.start(field);
  }

  digits(field: number): number {
    return this.digitCounts[field] ?? 0;
  }

  /** True if the bytes of a field are its text: none is to be removed or resolved, and none has a meaning in the text format of COPY. */
  isPlain(field: number): boolean {
    return ((this.classes[field] ?? ODD) & ODD) === 0;
  }

  isAscii(field: number): boolean {
    return ((this.classes[field] ?? ODD) & (ODD | HIGH)) === 0;
  }

  /** True for digits alone, and for an empty field. */
  isDigits(field: number): boolean {
    return ((this.classes[field] ?? ODD) & ~DIGIT) === 0;
  }

  /** Returns a field without NUL characters and repeated blanks. */
  text(field: number): string {
    const text = latin1(this.bytes, this.start(field), this.end(field));
    return this.isPlain(field) ? text : cleaned(text);
  }

  /** Makes a field empty. */
  clear(field: number): void {
    this.ends[field] = this.start(field);
    this.classes[field] = 0;
    this.digitCounts[field] = 0;
  }

  /** Reads the line between two positions of `bytes`, without its end. Returns false if it is not a row of quoted fields. */
  read(bytes: Buffer, from: number, to: number): boolean {
    const [first, last] = [from + 1, to - 1];
    if (last < first || bytes[from] !== QUOTE || bytes[last] !== QUOTE) return false;
    this.bytes = bytes;
    let [field, seen, digits, before] = [0, 0, 0, 0];
    this.starts[0] = first;
    for (let at = first; at < last; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE && at + 2 < last && bytes[at + 1] === SEMICOLON && bytes[at + 2] === QUOTE) {
        if (field === this.columns - 1) return false;
        this.endField(field, at, seen, digits);
        field += 1;
        at += 2;
        this.starts[field] = at + 1;
        seen = digits = before = 0;
        continue;
      }
      const kind = CLASSES[byte] ?? ODD;
      seen |= byte === BLANK && before === BLANK ? ODD : kind;
      digits += kind & DIGIT;
      before = byte;
    }
    this.endField(field, last, seen, digits);
    return field === this.columns - 1;
  }

  private endField(field: number, end: number, seen: number, digits: number): void {
    const start = this.start(field);
    const hasMargin = end > start && (isMargin(this.bytes[start]) || isMargin(this.bytes[end - 1]));
    this.ends[field] = end;
    this.classes[field] = hasMargin ? seen | ODD : seen;
    this.digitCounts[field] = digits;
  }
}

/** Returns a text of Latin-1. Most are codes of up to two characters, for which a call of `toString` takes several times as long. */
function latin1(bytes: Buffer, start: number, end: number): string {
  if (end === start) return '';
  if (end === start + 1) return String.fromCharCode(bytes[start] ?? 0);
  if (end === start + 2) return String.fromCharCode(bytes[start] ?? 0, bytes[start + 1] ?? 0);
  return bytes.toString('latin1', start, end);
}

/** Removes NUL characters and repeated blanks, and resolves doubled quotation marks. */
function cleaned(cell: string): string {
  let text = cell;
  if (text.includes('\0')) text = text.replaceAll('\0', '');
  if (text.includes('""')) text = text.replaceAll('""', '"');
  if (text.includes('  ')) text = text.replace(/ {2,}/g, ' ');
  return text.trim();
}

/**
 * Returns the text that may be the first field of a line; empty if there is none. Without a quotation mark before it, it is the first one only
 * if all others follow it, because the line may have lost some.
 */
function firstOf(text: string, columns: number): string {
  const [, quote = '', first = ''] = FIRST_OF_LINE.exec(text) ?? [];
  return quote !== '' || text.split(BETWEEN_FIELDS).length === columns ? first : '';
}

/** Describes the keys of a file, which are the first fields of its rows. */
interface RowKeys {
  /** True for a text that can be the first field of a row. */
  readonly isKey: (text: string) => boolean;
  /**
   * Source of a regular expression for the text after a key and its `";"`. It must not match after other fields that can be keys, such as
   * dates. Everything follows a key unless given.
   */
  readonly next?: string;
}

/** Receivers of the lines of a file. */
interface LineSinks {
  /** @param line valid until the function returns */
  readonly onLine: (line: QuotedLine) => void;
  /**
   * @param keys keys of the rows that begin in the line. The key of the row that it continues was given with the line in which that row
   * began, so a receiver keeps the keys of all lines. Without keys the line only continues a row, or the key of its row is not known.
   * @param isWhole false if the line has, or may have, a row whose key is not known; true without keys if it continues a row of a known one
   */
  readonly onUnread: (keys: readonly string[], isWhole: boolean) => void;
}

/** The row of the line before, if that was not read: what tells whether the next line belongs to it. It does not grow with its lines. */
interface UnreadRow {
  /** False if its key is not known. */
  readonly isWhole: boolean;
  /** True if its last line ends with the quotation mark after a field, so that the row may have ended. */
  readonly isClosed: boolean;
}

/**
 * Creates a reader of lines of quoted fields that are separated by `;`, in Latin-1. Its argument is the next part of the file, or null at
 * the end. It keeps one part and one line in memory. A line with another number of fields is not read; a line that follows it and does not
 * begin with a key belongs to the same row, unless that row may have ended before, or the line may begin another row.
 * @param columns number of fields of a line
 */
export function quotedLineReader(
  columns: number,
  { isKey, next = '' }: RowKeys,
  { onLine, onUnread }: LineSinks,
): (part: Buffer | null) => void {
  const line = new QuotedLine(columns);
  const rowStarts = new RegExp(`${FIRST_FIELD}(?=${next})`, 'g'); // a line without its end contains the next row, too
  let rest: Buffer = Buffer.alloc(0);
  let unread: UnreadRow | null = null;

  function addUnread(text: string, hasAllFields: boolean): void {
    const first = firstOf(text, columns);
    const hasKey = isKey(first);
    const inside = [...text.matchAll(rowStarts)].map(([, key = '']) => key).filter(isKey);
    const continues = unread !== null && !unread.isClosed && !hasAllFields && !BEGINNING_OF_ROW.test(text);
    const isWhole = hasKey || (continues && unread?.isWhole === true);
    const end = text.trimEnd();
    unread = { isWhole, isClosed: end.endsWith('"') && !end.endsWith(BETWEEN_FIELDS) };
    onUnread([...new Set(hasKey ? [first, ...inside] : inside)], isWhole);
  }

  function read(bytes: Buffer, from: number, to: number): void {
    line.number += 1;
    const end = to > from && bytes[to - 1] === RETURN ? to - 1 : to;
    if (end === from) return;
    if (to - from > MAX_LINE) {
      unread = null;
      onUnread([], false); // its end may have been dropped
      return;
    }
    const hasAllFields = line.read(bytes, from, end);
    if (hasAllFields && isKey(line.text(0))) {
      unread = null;
      onLine(line);
    } else {
      addUnread(bytes.toString('latin1', from, end), hasAllFields);
    }
  }

  return (part) => {
    if (part === null) {
      read(rest, 0, rest.length);
      return;
    }
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      read(bytes, start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start, start + MAX_LINE + 1); // a line without end takes no more memory
  };
}
