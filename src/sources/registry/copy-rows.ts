import type { Edition, ListEntry } from './registry.ts';

/** A reading that is over. */
export interface Copied {
  readonly edition: Edition;
  readonly entries: number;
  /** Legal persons named, counted once an entry: what the list can be asked about. */
  readonly named: number;
}

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Entries as they are read → chunks of COPY's text format, columns version_id, entry_id, keys, record. Returns the edition and
 * its counts. Holds one chunk at a time.
 */
export async function* copyRows<R>(
  version: string,
  reading: AsyncGenerator<ListEntry<R>, Edition, void>,
): AsyncGenerator<string, Copied, void> {
  let chunk = '';
  let entries = 0;
  let named = 0;
  try {
    let step = await reading.next();
    while (!step.done) {
      chunk += copyRow(version, step.value);
      entries += 1;
      named += step.value.keys.length;
      if (chunk.length > CHUNK_CHARACTERS) {
        yield chunk;
        chunk = '';
      }
      step = await reading.next();
    }
    if (chunk) yield chunk;
    return { edition: step.value, entries, named };
  } finally {
    await reading.return(undefined as never); // where the copy was cut off, the file must be let go
  }
}

const copyRow = <R>(version: string, { id, keys, record }: ListEntry<R>): string =>
  `${version}\t${escaped(id)}\t${escaped(textArray(keys))}\t${escaped(JSON.stringify(record))}\n`;

const textArray = (texts: readonly string[]): string => `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A text as COPY's text format has it. */
export const escaped = (text: string): string => text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
