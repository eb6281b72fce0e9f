import { delimiterOf, isCountryHeader, isTaxIdHeader, SEPARATOR_LINE } from '../../src/domain/portfolio-columns.ts';

/** A cell with a tax id, the line of the file at which its row ends, and the country of the row. */
export interface CsvCell {
  readonly line: number;
  readonly text: string;
  /** Country as written; null for none. */
  readonly country: string | null;
}

/**
 * Headers of the column with the tax ids, of files that name it in other words than a screening accepts, the clearest first. Other words have
 * their letters, too: `Valor bruto`, `Preço unitário`.
 */
const OTHER_HEADERS = [
  /(?<!\p{L})(?:cnpj|rut|nit)(?!\p{L})|tax.?id/iu,
  /cnpj|identif/i,
  /^\s*(?:rut|nit)(?=\p{Lu})|\p{Ll}(?:Rut|Nit)\s*$/u,
];
/** Minimum content of every tax id, also with punctuation between digits. */
const DIGITS = /(\d[^\d]{0,2}){7}/;

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
  const parsed = parse(text, {
    bom: true,
    delimiter: delimiterOf(text),
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  }) as unknown as readonly Row[]; // the package's types lack `info`
  const rows = parsed[0]?.record[0] === SEPARATOR_LINE ? parsed.slice(1) : parsed;
  const header = rows[0]?.record ?? [];
  const named = namedColumn(header);
  const country = named === -1 ? -1 : header.findIndex(isCountryHeader);
  const column = named === -1 ? fullest(rows) : named;
  return rows
    .slice(named === -1 ? 0 : 1)
    .map(({ record, info }) => ({ line: info.lines, text: record[column]?.trim() ?? '', country: record[country]?.trim() || null }))
    .filter((cell) => cell.text !== '');
}

/** Returns the column whose header names a tax id; -1 for none. */
function namedColumn(header: readonly string[]): number {
  const others = OTHER_HEADERS.map((named) => header.findIndex((cell) => named.test(cell) && !DIGITS.test(cell)));
  return [header.findIndex(isTaxIdHeader), ...others].find((at) => at !== -1) ?? -1;
}

function fullest(rows: readonly Row[]): number {
  const counts = new Map<number, number>();
  for (const { record } of rows)
    for (const [column, cell] of record.entries()) if (DIGITS.test(cell)) counts.set(column, (counts.get(column) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}
