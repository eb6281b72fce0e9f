import type pg from 'pg';
import { type CopyTarget, copyStream } from './copy-stream.ts';

/**
 * Value of a column as the text that Postgres reads: a number, a date `YYYY-MM-DD`, JSON, any text; `text[]` for an array; NULL for null.
 * NUL characters of a text are removed, because Postgres cannot store them.
 */
export type CopyValue = string | number | null | readonly string[];

/** Values of one row, in the order of the columns. */
export type CopyRow = readonly CopyValue[];

export interface Copied<T> {
  /** Number of rows that were copied. */
  readonly rows: number;
  /** Value that the reader returned at its end. */
  readonly result: T;
}

/** Size from which encoded rows are sent, in UTF-16 units. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Loads rows into a table by `COPY … FROM STDIN` in the text format. It keeps one batch of `reader` and its text in memory, and
 * asks for no more rows until Postgres has taken the full chunks. The event loop is free while it waits for Postgres or for `reader`, so a
 * batch should take a few milliseconds to read: one row to about a thousand. Whatever happens, `reader` is closed at the end.
 * @param client connection that runs no other statement meanwhile; a transaction of its caller fails with the COPY
 * @param reader yields batches of rows, and returns a value when there are no more
 * @param signal cancels the COPY
 * @throws whatever `reader` throws, the reason of the abort, or the error of the database, for example for a text that is no number
 */
export function copyRows<T>(
  client: pg.Client,
  target: CopyTarget,
  reader: AsyncGenerator<readonly CopyRow[], T, void>,
  signal?: AbortSignal,
): Promise<Copied<T>> {
  return copyStream(client, target, 'text', encodeRows(reader), signal);
}

/**
 * Encodes rows in the text format of COPY. Rows that wait for Postgres take less memory as bytes, and none of it in the heap, so that no
 * garbage collection copies them.
 */
export class CopyLines {
  #text = '';
  #chunks: Buffer[] = [];

  add(row: CopyRow): void {
    this.#text += lineOf(row);
    if (this.#text.length > CHUNK_CHARACTERS) this.#endChunk();
  }

  /** Returns the full chunks since the last call. */
  takeFull(): readonly Buffer[] {
    return this.#chunks.splice(0);
  }

  /** Returns all rows since the last call. */
  drain(): readonly Buffer[] {
    if (this.#text !== '') this.#endChunk();
    return this.takeFull();
  }

  #endChunk(): void {
    this.#chunks.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

/** Loads rows that are encoded, as `copyRows` does. */
export const copyLines = (client: pg.Client, target: CopyTarget, lines: readonly Buffer[]): Promise<void> =>
  copyStream(client, target, 'text', each(lines));

async function* each(lines: readonly Buffer[]): AsyncGenerator<Buffer, void, void> {
  yield* lines;
}

async function* encodeRows<T>(reader: AsyncGenerator<readonly CopyRow[], T, void>): AsyncGenerator<Buffer, Copied<T>, void> {
  const lines = new CopyLines();
  let rows = 0;
  try {
    let step = await reader.next();
    while (!step.done) {
      for (const row of step.value) lines.add(row);
      yield* lines.takeFull();
      rows += step.value.length;
      step = await reader.next();
    }
    yield* lines.drain();
    return { rows, result: step.value };
  } finally {
    await reader.return(undefined as never); // closes its files if the COPY has failed
  }
}

function lineOf(row: CopyRow): string {
  let line = '';
  for (let i = 0; i < row.length; i += 1) line += (i === 0 ? '' : '\t') + copyText(row[i] ?? null);
  return `${line}\n`;
}

/** Returns a value in the text format of COPY. */
export function copyText(value: CopyValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  return escaped(typeof value === 'string' ? value : textArray(value));
}

/** Returns texts as a literal of Postgres' `text[]`. */
export const textArray = (texts: readonly string[]): string => `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '' };

const SPECIAL = /[\\\t\n\r\0]/;
const EACH_SPECIAL = new RegExp(SPECIAL, 'g');

/** Few texts have a special character, and a test takes less time than a replacement that finds none. */
const escaped = (text: string): string =>
  SPECIAL.test(text) ? text.replace(EACH_SPECIAL, (character) => ESCAPES[character] ?? character) : text;
