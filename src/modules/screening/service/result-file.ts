import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { Knex } from 'knex';
import type { Page } from '../../../db/paging.ts';
import { chunksOf } from '../../../domain/chunks.ts';
import { type CsvDelimiter, csvFormat } from '../../../domain/csv.ts';
import { nextSlice } from '../../../scheduling/slices.ts';
import type { PortfolioResult, Screening, ScreeningResult } from '../domain/screening.ts';
import { pageResults, pageRows } from '../store/results.ts';

/** Number of rows that one statement reads. */
const PAGE = 500;

/** Number of rows that are written in one slice. A row may have 99 cells of the caller's own, and 100,000 characters in them. */
const ROWS_PER_SLICE = 5;

/** Content of the file of a screening. Pages are read as fast as the reader consumes the file. */
export interface FileContent extends Pick<Screening, 'ownColumns'> {
  /** Reads the results so far in the order of the portfolio. */
  results(): AsyncIterable<readonly ScreeningResult[]>;
  /** Reads every row of the portfolio in its order. */
  rows(): AsyncIterable<readonly PortfolioResult[]>;
}

/** Writes the file of a screening. */
export type ResultFormat = (content: FileContent) => Readable;

export const fileContent = (db: Knex, { id, keyId, ownColumns }: Screening): FileContent => {
  const page = { keyId, id, first: PAGE };
  const all = { riskLevel: null, completeness: null, answered: null };
  return {
    ownColumns,
    results: () => pagesOf(async (after) => (await pageResults(db, [{ ...page, ...all, after }]))[0]),
    rows: () => pagesOf((after) => pageRows(db, { ...page, after })),
  };
};

/** Reads a list page by page, and yields the rows of a slice at a time. */
async function* pagesOf<T extends { readonly row: number }>(
  read: (after: number | null) => Promise<Page<T> | undefined>,
): AsyncGenerator<readonly T[]> {
  for (let after: number | null = null, hasMore = true; hasMore; ) {
    const page: Page<T> | undefined = await read(after);
    for (const rows of chunksOf(page?.items ?? [], ROWS_PER_SLICE)) {
      await nextSlice();
      yield rows;
    }
    after = page?.items.at(-1)?.row ?? null;
    hasMore = page?.hasMore ?? false;
  }
}

/** Writes each result as a line of JSON. */
export const jsonLines =
  (toReply: (result: ScreeningResult) => unknown): ResultFormat =>
  ({ results }) =>
    textFile(results(), (page) => page.map((result) => `${JSON.stringify(toReply(result))}\n`).join(''));

/** A cell of a table; null for an empty one. */
export type Cell = string | number | null;

/** A table with a header. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: AsyncIterable<readonly (readonly Cell[])[]>;
}

interface CsvOptions {
  readonly delimiter: CsvDelimiter;
  /** True for the byte order mark, by which spreadsheets recognise UTF-8. */
  readonly hasMark: boolean;
}

/** Writes a table as csv. */
export function csvFile({ head, rows }: Table, { delimiter, hasMark }: CsvOptions): Readable {
  const options = csvFormat(delimiter);
  const lines = (cells: readonly (readonly Cell[])[]): string =>
    stringify(
      cells.map((row) => row.map((cell) => String(cell ?? ''))),
      options,
    );
  return textFile(rows, lines, `${hasMark ? '\uFEFF' : ''}${lines([head])}`);
}

function textFile<T>(pages: AsyncIterable<readonly T[]>, write: (page: readonly T[]) => string, head = ''): Readable {
  async function* texts() {
    if (head !== '') yield head;
    for await (const page of pages) yield write(page);
  }
  return Readable.from(texts(), { objectMode: false });
}
