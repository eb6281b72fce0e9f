/** One line of a file whose fields are all quoted. */
export interface QuotedRow {
  /** Its fields without NUL characters and repeated blanks; null for a line that cannot be read. */
  readonly cells: readonly string[] | null;
  /** Number of the line, from 1. */
  readonly line: number;
  /** Keys that occur in a line that cannot be read, or that of the row that it continues; empty if none is known, and for other lines. */
  readonly keys: readonly string[];
}

/** Maximum length of a line in bytes. A longer one is not read. */
const MAX_LINE = 64 * 1024;
/** A field that may be the first one of a row. A line without its end contains the next row, too. */
const FIRST_FIELDS = /([^";\0\s]{1,20})\0?";"/g;

/**
 * Reads lines of quoted fields that are separated by `;`, in Latin-1, and yields those of one chunk at a time. It keeps one chunk and one
 * line in memory. A line with another number of fields is not read; a line that follows it and has no key belongs to the same row.
 * @param columns number of fields of a line
 * @param isKey true for a text that can be the first field of a row
 */
export async function* readQuotedRows(
  chunks: AsyncIterable<Buffer>,
  columns: number,
  isKey: (text: string) => boolean,
): AsyncGenerator<readonly QuotedRow[], void, void> {
  let rest = '';
  let line = 0;
  let unread: readonly string[] = [];

  const read = (text: string): QuotedRow | null => {
    line += 1;
    if (text === '' || text === '\r') return null;
    if (text.length > MAX_LINE) return { cells: null, line, keys: [] }; // its end may have been dropped
    const cells = cellsOf(text, columns);
    if (cells && isKey(cells[0] ?? '')) {
      unread = [];
      return { cells, line, keys: [] };
    }
    const keys = [...text.matchAll(FIRST_FIELDS)].map(([, key = '']) => key).filter(isKey);
    unread = keys.length > 0 ? keys : unread;
    return { cells: null, line, keys: unread };
  };

  for await (const chunk of chunks) {
    const text = rest + chunk.toString('latin1');
    const rows: QuotedRow[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const row = read(text.slice(start, end));
      if (row) rows.push(row);
      start = end + 1;
    }
    rest = text.slice(start, start + MAX_LINE + 1); // a line without end takes no more memory
    yield rows;
  }
  const last = read(rest);
  if (last) yield [last];
}

/** Returns the fields of a line; null if it is not a row of `columns` quoted fields. */
function cellsOf(line: string, columns: number): readonly string[] | null {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return null;
  const cells = text.slice(1, -1).split('";"');
  return cells.length === columns ? cells.map(cleaned) : null;
}

/** Removes NUL characters and repeated blanks, and resolves doubled quotation marks. */
function cleaned(cell: string): string {
  if (cell === '') return cell;
  let text = cell;
  if (text.includes('\0')) text = text.replaceAll('\0', '');
  if (text.includes('""')) text = text.replaceAll('""', '"');
  if (text.includes('  ')) text = text.replace(/ {2,}/g, ' ');
  return text.trim();
}
