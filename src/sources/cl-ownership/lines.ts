import { ListFileError } from '../registry/list-file.ts';

const MAX_LINE_CHARACTERS = 64 * 1024;
/** Number of cells after which the rest of a line is one cell, because each quote that is not closed is searched for to the end of the line. */
const MAX_CELLS = 32;

/**
 * Yields the lines of each piece of a text, without their ends. A row is one line, because no cell of the file has a line break.
 * @throws ListFileError for a line without an end
 */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<readonly string[], void, void> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARACTERS || lines.some(({ length }) => length > MAX_LINE_CHARACTERS))
      throw new ListFileError('a line has no end');
    yield lines;
  }
  if (rest !== '') yield [rest];
}

/**
 * Splits a line into trimmed cells. Whether the publisher quotes cells is not known: quotes round a whole cell are removed, and every other
 * quote is a character.
 */
export function cellsOf(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(';').map((cell) => cell.trim());
  const cells: string[] = [];
  for (let at = 0; at <= line.length; ) {
    const quoted = quotedCell(line, at);
    const end = quoted?.end ?? (cells.length < MAX_CELLS ? endOfCell(line, at) : line.length);
    cells.push((quoted?.text ?? line.slice(at, end)).trim());
    at = end + 1;
  }
  return cells;
}

const endOfCell = (line: string, from: number): number => {
  const end = line.indexOf(';', from);
  return end < 0 ? line.length : end;
};

/** Returns the text of a quoted cell and its end; null for a cell that no pair of quotes encloses. */
function quotedCell(line: string, start: number): { readonly text: string; readonly end: number } | null {
  if (line[start] !== '"') return null;
  for (let at = line.indexOf('"', start + 1); at >= 0; at = line.indexOf('"', at + 1)) {
    if (line[at + 1] === '"') {
      at += 1;
      continue;
    }
    const isEnd = at + 1 === line.length || line[at + 1] === ';' || line.slice(at + 1).trim() === '';
    return isEnd
      ? { text: line.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 === line.length ? at + 1 : endOfCell(line, at) }
      : null;
  }
  return null;
}
