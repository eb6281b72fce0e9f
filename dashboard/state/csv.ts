/** A cell with a tax id, the line of the file at which its row ends, and the country of the row. */
export interface CsvCell {
  readonly line: number;
  readonly text: string;
  /** Country as written; null for none. */
  readonly country: string | null;
}

const TAX_ID_HEADER = /cnpj|rut|nit|tax.?id|identif/i;
const COUNTRY_HEADER = /^\s*(country|pa[ií]s)\s*$/i;
/** Minimum content of every tax id, also with punctuation between digits. */
const DIGITS = /(\d[^\d]{0,2}){7}/;
const DELIMITERS = [',', ';', '\t'];

/** A row as csv-parse returns it with `info`. */
interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * The tax ids of a CSV file (comma, semicolon or tab), read by the parser of the server and with its options: the column whose header
 * names one, or the column with most tax ids. Empty cells are skipped; rows have the same numbers as in a screening.
 * @throws Error for a file that is not CSV
 */
export async function readCsv(text: string): Promise<readonly CsvCell[]> {
  const { parse } = await import('csv-parse/browser/esm/sync'); // the parser is large, and needed for files only
  const rows = parse(text, {
    bom: true,
    delimiter: delimiterOf(text),
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  }) as unknown as readonly Row[]; // the package's types lack `info`
  const header = rows[0]?.record ?? [];
  const named = header.findIndex((cell) => TAX_ID_HEADER.test(cell) && !DIGITS.test(cell));
  const country = named === -1 ? -1 : header.findIndex((cell) => COUNTRY_HEADER.test(cell));
  const column = named === -1 ? fullest(rows) : named;
  return rows
    .slice(named === -1 ? 0 : 1)
    .map(({ record, info }) => ({ line: info.lines, text: record[column]?.trim() ?? '', country: record[country]?.trim() || null }))
    .filter((cell) => cell.text !== '');
}

/** Returns the delimiter that occurs most often in the first line. */
function delimiterOf(text: string): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function fullest(rows: readonly Row[]): number {
  const counts = new Map<number, number>();
  for (const { record } of rows)
    for (const [column, cell] of record.entries()) if (DIGITS.test(cell)) counts.set(column, (counts.get(column) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}
