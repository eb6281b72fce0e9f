import { ListFileError, MAX_RECORD_CHARACTERS, type QuoteRecovery } from './list-file.ts';

/** Matches the start of a record, which is the number of its party. Other lines continue the previous record. */
const RECORD_START = /^\d+\s*,/;
const CELL = String.raw`(?:\s*"(?:[^"]|"")*"\s*|[^",]*)`;
const SOUND = new RegExp(`^${CELL}(?:,${CELL})*$`);
/** Matches the separator before a cell in quotes, an empty cell and a number. */
const BOUNDARY = /,(?=\s*(?:"|-0-\s*(?:,|$)|\d+\s*(?:,|$)))/;

/**
 * Yields the text of a csv whose records begin with a number at the start of a line, and doubles the quotes within quoted cells that the
 * publisher has not doubled. A record that then has another width is skipped. Valid records stay unchanged.
 * @throws ListFileError for a last record whose quote is not closed, which is a truncated one, and for a very long record
 */
export async function* withDoubledQuotes(text: AsyncIterable<string>, recovery: QuoteRecovery): AsyncGenerator<string, void, void> {
  let record: string | null = null;
  for await (const lines of linesOf(text)) {
    let out = '';
    for (const line of lines) {
      if (record === null || RECORD_START.test(line)) {
        if (record !== null) out += repaired(record, recovery);
        record = line;
      } else {
        record += `\n${line}`;
      }
      if (record.length > MAX_RECORD_CHARACTERS) throw new ListFileError('a row is too long');
    }
    if (out !== '') yield out;
  }
  if (record === null) return;
  if (!SOUND.test(record) && !/"\s*$|-0-\s*$/.test(record)) throw new ListFileError('the quote of the last row is not closed');
  yield repaired(record, recovery);
}

/** Yields the lines of each piece of the text, without their ends. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<readonly string[], void, void> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_RECORD_CHARACTERS) throw new ListFileError('a row is too long');
    yield lines;
  }
  yield [rest];
}

function repaired(record: string, { width, onLost }: QuoteRecovery): string {
  if (SOUND.test(record)) return `${record}\n`;
  const cells = cellsOf(record.trim(), width);
  if (cells) return `${cells.map(quoted).join(',')}\n`;
  onLost();
  return '';
}

/**
 * Returns the texts of the cells; null for a record of another width. If there are two cells, the second one is everything after the
 * number.
 */
function cellsOf(record: string, width: number): readonly string[] | null {
  const parts = record.split(BOUNDARY);
  const cells: string[] = [];
  /** Parts of a cell whose quote is not closed yet. They are joined once, because a cell may have hundreds of thousands of them. */
  let open: string[] = [];
  for (const part of width === 2 ? [parts[0] ?? '', parts.slice(1).join(',')] : parts) {
    const text = part.trim();
    const isOpen = open.length > 0 ? !text.endsWith('"') : text.startsWith('"') && (text.length === 1 || !text.endsWith('"'));
    open.push(open.length > 0 ? part.trimEnd() : text);
    if (isOpen && width !== 2) continue;
    const cell = open.join(',');
    open = [];
    cells.push(cell.startsWith('"') ? cell.slice(1, isOpen ? undefined : -1).replaceAll('""', '"') : cell);
  }
  return open.length === 0 && cells.length === width ? cells : null;
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
