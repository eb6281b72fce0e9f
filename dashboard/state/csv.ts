/** A cell with a tax id, and the line of the file that it begins on. */
export interface CsvCell {
  readonly line: number;
  readonly text: string;
}

const NAMED = /cnpj|rut|nit|tax.?id|identif/i;
/** What every tax id has at least, also with punctuation between. */
const DIGITS = /(\d[^\d]{0,2}){7}/;

/**
 * The tax ids of a CSV file (RFC 4180; comma, semicolon or tab): those of the column whose header names one, else of the column with the
 * most of them. Empty cells are left out.
 */
export function readCsv(text: string): readonly CsvCell[] {
  const rows = rowsOf(text.replace(/^\uFEFF/, ''));
  const header = rows[0]?.cells ?? [];
  const named = header.findIndex((cell) => NAMED.test(cell) && !DIGITS.test(cell));
  const column = named === -1 ? fullest(rows) : named;
  return rows
    .slice(named === -1 ? 0 : 1)
    .map(({ line, cells }) => ({ line, text: cells[column]?.trim() ?? '' }))
    .filter((cell) => cell.text !== '');
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

function rowsOf(text: string): readonly Row[] {
  const separator = [';', '\t', ','].find((one) => text.slice(0, text.search(/[\r\n]|$/)).includes(one)) ?? ',';
  const rows: Row[] = [];
  let [cells, cell, isQuoted, line, begun]: [string[], string, boolean, number, number] = [[], '', false, 1, 1];
  const endRow = (): void => {
    rows.push({ line: begun, cells: [...cells, cell] });
    [cells, cell, begun] = [[], '', line];
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\n') line += 1;
    if (char === '"' && isQuoted && text[at + 1] === '"') {
      cell += char;
      at += 1;
    } else if (char === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted;
    else if (isQuoted) cell += char;
    else if (char === separator) {
      cells.push(cell);
      cell = '';
    } else if (char === '\n') endRow();
    else if (char !== '\r') cell += char;
  }
  if (cell !== '' || cells.length > 0) endRow();
  return rows;
}

function fullest(rows: readonly Row[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows)
    for (const [column, cell] of cells.entries()) if (DIGITS.test(cell)) counts.set(column, (counts.get(column) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}
