import { pipeline, Readable } from 'node:stream';
import { type CastingContext, CsvError, parse } from 'csv-parse';
import { readAnyCompanyKey } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { delimiterOf, isCountryHeader, isTaxIdHeader, SEPARATOR_LINE } from '../../../domain/portfolio-columns.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import { screeningMessages } from '../../../messages/screenings.ts';
import { nextSliceAfterRest } from '../../../scheduling/slices.ts';
import type { PortfolioRow } from '../domain/portfolio.ts';
import { MAX_ROWS } from '../domain/screening.ts';
import { type OwnColumns, ownColumnsOf } from './own-columns.ts';

/** Words of other headers of the column with the tax ids: `CPF/CNPJ`, `RUT proveedor`. The second expression counts where no header has the others. */
const TAX_ID_WORDS = [/(?<![a-z])(?:cnpj|rut|nit)(?![a-z])/, /(?<![a-z])(?:tax ?id|identificador)(?![a-z])/];
/** Maximum length of a header. The name of a company with such a word is longer, or its row has a number. */
const MAX_HEADER = 40;
/** Matches a number that may be a tax id, also a wrong one. No header is one. */
const NUMBER = /^[\d./\s-]{6,30}k?$/;

/** Maximum size of a row, in bytes. */
const MAX_ROW = 100_000;
const MAX_COLUMNS = 100;
/** Number of bytes that are parsed in one slice. In the worst case, cells of a delimiter each, this takes some milliseconds. */
const BYTES_PER_SLICE = 4 * 1024;

interface Parsed {
  readonly record: readonly string[];
  /** `lines`: number of the line at which the record ends, from 1. */
  readonly info: { readonly lines: number };
}

/** Number of tax ids of a list that are read in one slice. */
const LISTED_PER_SLICE = 250;

/**
 * Reads the rows of a portfolio in slices with rests, about two seconds for 100,000 rows, so that other requests run in between. Each row is
 * passed on when it is read, because rows that are kept until the last one is read make the garbage collector stop the process for up to
 * 20 ms.
 */
export type ReadRows = (add: (row: PortfolioRow) => void, keepColumns: KeepColumns) => Promise<void>;

/** Receives the names of the caller's own columns, before the first row that has cells of them. */
export type KeepColumns = (names: readonly string[]) => void;

/** Returns a reader of a list of tax ids. It throws AppError INVALID_INPUT on `identifiers` for more than 100,000. */
export const rowsOfList =
  (identifiers: readonly string[], country: string | null): ReadRows =>
  async (add) => {
    if (identifiers.length > MAX_ROWS) throw invalidInput('identifiers', fieldMessages.manyTaxIds({ max: MAX_ROWS }));
    for (const [i, identifier] of identifiers.entries()) {
      if (i % LISTED_PER_SLICE === 0) await nextSliceAfterRest();
      add({ row: i + 1, identifier, country, ownCells: null });
    }
  };

interface FileOptions {
  /** Settles when the next piece of the file may be parsed. A command that serves nobody else needs no rests. */
  readonly nextPiece?: () => Promise<void>;
  /** Makes the rows have the cells of the caller's own columns. */
  readonly keepColumns?: KeepColumns | undefined;
}

/**
 * Reads a portfolio from the text of a csv file: the columns `identifier` (or another name of a tax id) and, optionally, `country`, or a
 * first column of tax ids without a header. The delimiter is a comma, semicolon or tab. Empty lines are skipped.
 * @throws AppError INVALID_INPUT on `csv` for a file that is not csv, a row of more than 100 columns, and more than 100,000 rows
 */
export async function readPortfolioFile(
  text: string,
  add: (row: PortfolioRow) => void,
  { nextPiece = nextSliceAfterRest, keepColumns }: FileOptions = {},
): Promise<void> {
  let rows = 0;
  let columns: Columns | null = null;
  let own: OwnColumns | null = null;
  try {
    for await (const { record, info } of records(text, nextPiece)) {
      if (!columns && record[0] === SEPARATOR_LINE) continue;
      const header: Columns | null = columns ? null : columnsOf(record);
      if (!columns) {
        columns = header ?? { identifier: 0, country: -1 };
        own = keepColumns ? ownColumnsOf(record, [columns.identifier, columns.country], header !== null) : null;
        if (own) keepColumns?.(own.names);
      }
      if (header) continue;
      if (rows === MAX_ROWS) throw invalidInput('csv', screeningMessages.manyRows({ max: MAX_ROWS }));
      rows += 1;
      const country = record[columns.country]?.trim() || null;
      add({ row: info.lines, identifier: record[columns.identifier] ?? '', country, ownCells: own?.cellsOf(record) ?? null });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidInput('csv', screeningMessages.notCsv());
  }
}

/** Positions of columns; -1 for a column that is missing. */
interface Columns {
  readonly identifier: number;
  readonly country: number;
}

/** Returns null for a row that is not a header. */
function columnsOf(row: readonly string[]): Columns | null {
  const exact = row.findIndex(isTaxIdHeader);
  const names = row.map((cell) => cell.trim().toLowerCase());
  const isHeader = exact !== -1 || !names.some((name) => NUMBER.test(name) || isTaxId(name));
  const alike = isHeader ? TAX_ID_WORDS.map((words) => names.findIndex((name) => mentionsTaxId(name, words))) : [];
  const identifier = [exact, ...alike].find((position) => position !== -1) ?? -1;
  return identifier === -1 ? null : { identifier, country: row.findIndex(isCountryHeader) };
}

const isTaxId = (cell: string): boolean => !('problem' in readAnyCompanyKey(cell));

const mentionsTaxId = (name: string, words: RegExp): boolean =>
  name.length <= MAX_HEADER && words.test(name.replaceAll('_', ' ')) && !/\d{4}/.test(name);

function records(text: string, nextPiece: () => Promise<void>): AsyncIterable<Parsed> {
  const parser = parse({
    bom: true,
    cast: withinColumns,
    delimiter: delimiterOf(text),
    info: true,
    max_record_size: MAX_ROW,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  // A failure of the pipeline also ends the loop over the parser.
  pipeline(Readable.from(piecesOf(Buffer.from(text), nextPiece)), parser, () => undefined);
  return parser;
}

/**
 * Returns a cell as it is. The parser calls it for each cell, because it would keep millions of cells of one row, whose size is 0 if they are
 * empty, until the row ends. Where a row ends is known to the parser only: quotes and line breaks may be parts of a cell.
 * @throws AppError INVALID_INPUT on `csv` for a row of too many columns
 */
function withinColumns(cell: string, { index, lines }: CastingContext): string {
  if (index >= MAX_COLUMNS) throw invalidInput('csv', screeningMessages.manyColumns({ line: lines, max: MAX_COLUMNS }));
  return cell;
}

/** Yields the bytes in pieces, each after `nextPiece`. */
async function* piecesOf(bytes: Buffer, nextPiece: () => Promise<void>): AsyncGenerator<Buffer, void, void> {
  for (let from = 0; from < bytes.length; from += BYTES_PER_SLICE) {
    await nextPiece();
    yield bytes.subarray(from, from + BYTES_PER_SLICE);
  }
}
