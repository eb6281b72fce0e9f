/** Columns are separated by a comma, or by the semicolon that spreadsheets with a decimal comma expect. */
export const CSV_DELIMITERS = { comma: ',', semicolon: ';' } as const;
export type CsvDelimiter = keyof typeof CSV_DELIMITERS;

/** Returns the options of csv-stringify for files that people open: RFC 4180; what a spreadsheet would take for a formula begins with an apostrophe. */
export const csvFormat = (delimiter: CsvDelimiter) => ({
  delimiter: CSV_DELIMITERS[delimiter],
  record_delimiter: '\r\n',
  quote_record_delimiter: true,
  escape_formulas: true,
});
