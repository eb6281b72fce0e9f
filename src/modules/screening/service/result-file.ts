import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { Knex } from 'knex';
import type { Owned } from '../../../db/paging.ts';
import type { ScreeningResult } from '../domain/screening.ts';
import { pageResults } from '../store/results.ts';

/** Number of results that one statement reads. */
const PAGE = 500;

/** Reads all results of a screening, page by page. */
async function* pagesOf(db: Knex, owned: Owned): AsyncGenerator<readonly ScreeningResult[]> {
  for (let after: number | null = null, hasMore = true; hasMore; ) {
    const [page] = await pageResults(db, [{ ...owned, first: PAGE, after, riskLevel: null, completeness: null, answered: null }]);
    if (page) yield page.items;
    after = page?.items.at(-1)?.row ?? null;
    hasMore = page?.hasMore ?? false;
  }
}

/** Writes results as text. */
export interface ResultFormat {
  /** Text at the beginning of the file. */
  readonly head: string;
  readonly write: (results: readonly ScreeningResult[]) => string;
}

/** Converts a result to members of a JSON object, or to the cells of a row by column. */
type ToReply = (result: ScreeningResult) => Readonly<Record<string, unknown>>;

/** Writes each result as a line of JSON. */
export const jsonLines = (toReply: ToReply): ResultFormat => ({
  head: '',
  write: (results) => results.map((result) => `${JSON.stringify(toReply(result))}\n`).join(''),
});

/**
 * Writes a csv file with a header and a row for each result. Lists are separated by `; `, and null is an empty cell. A cell that a
 * spreadsheet would take for a formula begins with an apostrophe.
 */
export const csv = (columns: readonly string[], toReply: ToReply): ResultFormat => ({
  head: stringify([[...columns]], CSV),
  write(results) {
    const replies = results.map(toReply);
    const rows = replies.map((reply) => columns.map((column) => cellOf(reply[column])));
    return stringify(rows, CSV);
  },
});

const CSV = { record_delimiter: '\r\n', quote_record_delimiter: true, escape_formulas: true };

const cellOf = (value: unknown): string => (Array.isArray(value) ? value.join('; ') : String(value ?? ''));

/** Streams all results of a screening as a file. The database is read as fast as the reader consumes the file. */
export function resultFile(db: Knex, owned: Owned, { head, write }: ResultFormat): Readable {
  async function* texts() {
    if (head !== '') yield head;
    for await (const page of pagesOf(db, owned)) if (page.length > 0) yield write(page);
  }
  return Readable.from(texts(), { objectMode: false });
}
