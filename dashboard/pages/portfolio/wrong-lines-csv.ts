import type { CsvDelimiter } from '../../../src/domain/csv.ts';
import type { Texts } from '../../texts/texts.ts';
import { toCsv } from './to-csv.ts';

/** A row of a paste or of a file that is not the tax id of a company. */
export interface WrongLine {
  readonly given: string;
  /** Line of the file; null for a pasted text. */
  readonly line: number | null;
  /** Country of the row, as written; null for none. */
  readonly country: string | null;
  /** Error message of the API; null if there is none. */
  readonly message: string | null;
}

/** Returns the reason for which a row is wrong: the sentence of the API, or that the service does not support its country. */
export const reasonOf = ({ message, country }: WrongLine, texts: Texts): string =>
  message ?? (country === null ? texts('record.WRONG') : texts('portfolio.noCountry', { country }));

/** Writes the wrong rows as CSV with their lines and reasons, in the language of the page, so that they can be corrected. */
export const wrongLinesCsv = (wrong: readonly WrongLine[], texts: Texts, delimiter: CsvDelimiter): string =>
  toCsv(
    [
      [texts('import.line'), texts('portfolio.given'), texts('csv.country'), texts('import.reason')],
      ...wrong.map((row) => [row.line ?? '', row.given, row.country ?? '', reasonOf(row, texts)]),
    ],
    delimiter,
  );
