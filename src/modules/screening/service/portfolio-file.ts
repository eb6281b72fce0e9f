import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { invalidInput } from '../../../domain/errors.ts';
import type { PortfolioRow } from '../domain/portfolio.ts';
import { MAX_ROWS } from '../domain/screening.ts';

/** Headers of the column with the tax ids, and of the one with the countries, in lower case. */
const TAX_ID_HEADERS = ['identifier', 'tax_id', 'taxid', 'cnpj', 'rut', 'nit'];
const COUNTRY_HEADERS = ['country', 'pais', 'país'];

/** Characters of one row. */
const MAX_ROW = 100_000;

interface Parsed {
  readonly record: readonly string[];
  /** `lines`: line of the file at which the record ends, counted from 1. */
  readonly info: { readonly lines: number };
}

/**
 * Reads a portfolio from the text of a csv file: the columns `identifier` and, optionally, `country`, or a first column of tax ids without a
 * header. The delimiter is a comma, semicolon or tab. Empty lines are no rows. The rows are read in turns of the event loop.
 * @throws AppError INVALID_INPUT on `csv` for a file that is no csv, and for more than 100,000 rows
 */
export async function readPortfolioFile(text: string): Promise<readonly PortfolioRow[]> {
  const rows: PortfolioRow[] = [];
  let columns: Columns | null = null;
  try {
    for await (const { record, info } of records(text)) {
      const header: Columns | null = columns ? null : columnsOf(record);
      columns ??= header ?? { identifier: 0, country: -1 };
      if (header) continue;
      if (rows.length === MAX_ROWS) throw invalidInput('csv', `Give at most ${MAX_ROWS} rows.`);
      rows.push({ row: info.lines, identifier: record[columns.identifier] ?? '', country: record[columns.country]?.trim() || null });
    }
  } catch (error) {
    if (error instanceof CsvError) throw invalidInput('csv', 'This is no csv file: a quote is not closed, or a row is too long.');
    throw error;
  }
  return rows;
}

/** Positions of columns; -1 for none. */
interface Columns {
  readonly identifier: number;
  readonly country: number;
}

/** Returns null for a row that is no header. */
function columnsOf(row: readonly string[]): Columns | null {
  const names = row.map((cell) => cell.trim().toLowerCase());
  const identifier = names.findIndex((name) => TAX_ID_HEADERS.includes(name));
  return identifier === -1 ? null : { identifier, country: names.findIndex((name) => COUNTRY_HEADERS.includes(name)) };
}

const records = (text: string): AsyncIterable<Parsed> =>
  Readable.from([text]).pipe(
    parse({
      bom: true,
      delimiter: delimiterOf(text),
      info: true,
      max_record_size: MAX_ROW,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }),
  );

const DELIMITERS = [',', ';', '\t'];

/** The delimiter that the first line has most of. */
function delimiterOf(text: string): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
