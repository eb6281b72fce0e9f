/** Writes rows as CSV, with the sign by which spreadsheets recognise UTF-8. */
export const toCsv = (rows: readonly (readonly (string | number)[])[]): string =>
  `\uFEFF${rows.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')}`;

/** Quotes a cell. A text that a spreadsheet would take for a formula begins with an apostrophe. */
function cellText(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
