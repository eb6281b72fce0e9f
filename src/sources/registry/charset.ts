import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { ListFileError } from './list-file.ts';

/** Facts about a text file, from one pass over its bytes. */
export interface TextFacts {
  /** First bytes of the file. */
  readonly head: Buffer;
  /** Result of the UTF-8 validation. `ascii`: only ASCII characters. `cut`: valid, but the file ends inside a character. */
  readonly utf8: 'ascii' | 'valid' | 'cut' | 'invalid';
  readonly size: number;
  /** Length in bytes without trailing blanks, NULs and Ctrl-Zs. Meaningless for UTF-16. */
  readonly end: number;
  /** True when there is a NUL byte before `end`, which no 8-bit text has. */
  readonly binary: boolean;
}

const HEAD_BYTES = 4096;
/** Tab, line feed, carriage return, blank, NUL (padding) and Ctrl-Z (the end of a DOS text). */
const TRAILING: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0x00, 0x1a]);
/**
 * Maximum number of these bytes in a row that count as padding. Without the limit, a decompressed bomb of NULs would be read to its end,
 * one byte at a time.
 */
const MAX_PADDING_BYTES = 1024 ** 2;

/**
 * Reads a file once, in constant memory, and returns facts from which its charset follows.
 * @throws ListFileError for more than 1 MiB of blanks or NULs in a row; the rest of the file is then not read
 */
export async function inspectText(path: string): Promise<TextFacts> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let head = Buffer.alloc(0);
  let size = 0;
  let characters = 0;
  let valid = true;
  let end = 0;
  let firstNul = Number.POSITIVE_INFINITY;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
    if (valid) {
      const text = decodeOr(() => decoder.decode(chunk, { stream: true }));
      valid = text !== null;
      characters += text?.length ?? 0;
    }
    const last = chunk.findLastIndex((byte) => !TRAILING.has(byte));
    if (last >= 0) end = size + last + 1;
    const nul = chunk.indexOf(0);
    if (nul >= 0) firstNul = Math.min(firstNul, size + nul);
    size += chunk.length;
    if (size - end > MAX_PADDING_BYTES) throw new ListFileError('more than 1 MiB of blanks or NULs in a row');
  }
  const cut = valid && decodeOr(() => decoder.decode()) === null;
  return { head, utf8: utf8State(valid, cut, characters, size), size, end, binary: firstNul < end };
}

function utf8State(valid: boolean, cut: boolean, characters: number, size: number): TextFacts['utf8'] {
  if (!valid) return 'invalid';
  // The decoder holds back up to three bytes of an unfinished character. If no other byte is outside ASCII, the file is not UTF-8.
  if (cut) return size - characters > 3 ? 'cut' : 'invalid';
  return characters === size ? 'ascii' : 'valid';
}

const decodeOr = (decode: () => string): string | null => {
  try {
    return decode();
  } catch {
    return null;
  }
};

/**
 * Returns the charset of a csv, from its bytes alone because labels are often wrong: UTF-8 if the bytes are valid UTF-8, else
 * Windows-1252.
 */
export function csvCharset({ head, utf8 }: TextFacts): string {
  return byteOrderMark(head) ?? (utf8 === 'invalid' ? 'windows-1252' : 'utf-8');
}

/** Returns the charset of an xml: UTF-8 if the bytes are valid UTF-8, else the one that it declares. */
export function xmlCharset({ head, utf8 }: TextFacts): string {
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head.toString('latin1'))?.[1];
  return byteOrderMark(head) ?? (utf8 === 'invalid' ? (declared ?? 'utf-8') : 'utf-8');
}

/** Returns the UTF-16 charset of a byte order mark in the first two bytes; null for anything else, the mark of UTF-8 included. */
export function byteOrderMark(head: Buffer): string | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return null;
}

/**
 * Yields the text of the first `end` bytes of a file, without its byte order mark.
 * @throws ListFileError for bytes that are invalid in the charset, or an unknown charset
 */
export async function* readText(path: string, charset: string, end: number): AsyncGenerator<string, void, void> {
  if (end === 0) return;
  const decoder = decoderOf(charset);
  try {
    for await (const chunk of createReadStream(path, { end: end - 1 }) as AsyncIterable<Buffer>)
      yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new ListFileError(`the text is not valid ${charset}`, { cause });
  }
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch (cause) {
    throw new ListFileError(`unknown charset ${charset}`, { cause });
  }
}
