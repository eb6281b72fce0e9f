import { CSV_DELIMITERS, type CsvDelimiter } from '../../../src/domain/csv.ts';

/** Writes rows as CSV, with the sign by which spreadsheets recognise UTF-8. */
export const toCsv = (rows: readonly (readonly (string | number)[])[], delimiter: CsvDelimiter): string =>
  `\uFEFF${rows.map((cells) => `${cells.map(cellText).join(CSV_DELIMITERS[delimiter])}\r\n`).join('')}`;

/** Quotes a cell. A text that a spreadsheet would take for a formula, also by a full-width sign, begins with an apostrophe. */
function cellText(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(value) ? `'${value}` : String(value);
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
