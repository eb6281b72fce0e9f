import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { repaired } from '../../domain/encoding.ts';
import { storable } from '../../domain/text.ts';
import { ListFileError, MAX_RECORD_CHARACTERS, type RowsOptions } from './list-file.ts';
import { withDoubledQuotes } from './quoted-records.ts';

/** Maximum number of columns. The widest published file has about a hundred. */
const MAX_COLUMNS = 1_000;

/**
 * Yields the text of a csv. The limit of the parser counts the characters of cells only, so that a row of empty cells has no end for it.
 * @param finished returns the number of rows that the parser has finished
 * @throws ListFileError for more than `MAX_RECORD_CHARACTERS` characters in which no row ends, quoted line breaks included
 */
async function* withShortRows(text: AsyncIterable<string>, finished: () => number): AsyncGenerator<string, void, void> {
  let rows = 0;
  let open = 0;
  for await (const piece of text) {
    if (finished() !== rows) open = 0;
    rows = finished();
    open += piece.length;
    if (open > MAX_RECORD_CHARACTERS) throw new ListFileError(`row ${rows + 1} is malformed: ${TOO_LONG}`);
    yield piece;
  }
}

/** Code of the parser for a row that is too long. */
const TOO_LONG = 'CSV_MAX_RECORD_SIZE';

/**
 * Yields the rows of a csv as trimmed, storable cells, whose encoding is repaired.
 * @throws ListFileError for what `ListFile.rows` refuses
 */
export async function* csvRows(text: AsyncIterable<string>, form: RowsOptions): AsyncGenerator<readonly string[], void, void> {
  let left = 0;
  const parser = parse({
    delimiter: form.delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: form.relaxColumns ?? false,
    skip_empty_lines: true,
    trim: true,
    max_record_size: MAX_RECORD_CHARACTERS,
    skip_records_with_error: form.tolerated !== undefined,
    on_skip(error) {
      left += 1;
      if (error?.code === 'CSV_QUOTE_NOT_CLOSED') parser.destroy(error);
    },
  });
  /** Number of rows that the parser has finished, of any kind. */
  const finished = (): number => parser.info.records + parser.info.empty_lines + left;
  const source = Readable.from(withShortRows(form.recovery ? withDoubledQuotes(text, form.recovery) : text, finished));
  pipeline(source, parser, () => undefined); // a failure of the pipeline also ends the loop below, which reports it
  try {
    for await (const row of parser as AsyncIterable<string[]>) {
      if (row.length > MAX_COLUMNS) throw new ListFileError(`a row has more than ${MAX_COLUMNS} columns`);
      yield row.map((cell) => repaired(storable(cell)).trim());
    }
    if (left > parser.info.records * (form.tolerated ?? 0)) throw new ListFileError(`${left} rows are malformed`);
  } catch (cause) {
    // The message of the package quotes the row, which may be about a person.
    if (cause instanceof CsvError) throw new ListFileError(`row ${parser.info.records + 1} is malformed: ${cause.code}`);
    throw cause;
  } finally {
    source.destroy();
  }
}
