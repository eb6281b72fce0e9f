import { readColumns } from '../registry/csv-table.ts';
import { type ListFile, ListFileError } from '../registry/list-file.ts';
import { cellsOf, linesOf } from './lines.ts';
import { COLUMNS, type CompositionRow, companyNumber, toRow } from './row.ts';
import { type CompositionSummary, RowCounts } from './row-counts.ts';
import { readShare } from './share.ts';

/** The rows of a line: one, or for a line of another width what may have been one or more. */
type ReadLine = (line: string) => readonly CompositionRow[];

/**
 * Reads the file of the composition of companies: yields batches of rows, and returns the summary.
 * @throws ListFileError for a missing column, a cut last row, no company that is a partner, and for more than 0.1 % of rows that cannot be
 * read, or 0.01 % without a readable society
 */
export async function* readCompositions(file: ListFile): AsyncGenerator<readonly CompositionRow[], CompositionSummary, void> {
  const counts = new RowCounts();
  let read: ReadLine | null = null;
  let last: readonly CompositionRow[] = [];
  for await (const lines of linesOf(file.text())) {
    const batch: CompositionRow[] = [];
    for (const line of lines) {
      if (line.trim() === '') continue;
      if (read === null) {
        read = lineReader(cellsOf(line));
        continue;
      }
      last = read(line);
      counts.add(last);
      batch.push(...last);
    }
    if (batch.length > 0) yield batch;
  }
  if (read === null) throw new ListFileError('the file has no header');
  if (!file.isEnded || last.some(({ kind }) => kind === 'lost')) throw new ListFileError('the last row is not whole');
  counts.assertReadable();
  return { publishedOn: file.lastModified ?? file.nameDate ?? file.writtenOn, ...counts.summary() };
}

/** @throws ListFileError for a header without the eight columns */
function lineReader(header: readonly string[]): ReadLine {
  const cells = readColumns(header, COLUMNS);
  return (line) => {
    const row = cellsOf(line);
    if (row.length === header.length) return [toRow(cells(row))];
    // The line may be a part of a row or several rows, so it may also be about another company than the one at its start.
    const society = companyNumber(row[0] ?? '', row[1] ?? '');
    return society === null ? [{ kind: 'lost' }] : [{ kind: 'lost' }, { kind: 'unread', society, share: readShare('') }];
  };
}

/**
 * Reads a local file, which has no date of a server. Without another date, it would be dated by the day of its load, and the owners of last
 * year would be those of today.
 * @throws ListFileError as `readCompositions`, and for a file without a date
 */
export async function* readLocal(file: ListFile): ReturnType<typeof readCompositions> {
  const publishedOn = file.nameDate ?? file.writtenOn;
  if (publishedOn === null) throw new ListFileError(UNDATED);
  return { ...(yield* readCompositions(file)), publishedOn };
}

const UNDATED = 'the name of the file has no date';

/**
 * Reads the file of an earlier year like any other, but dates it by its name first: its server may state the day of the upload, by which it
 * would be later than the publisher's file.
 * @throws ListFileError as `readCompositions`, and for a file without a date
 */
export async function* readEarlier(file: ListFile): ReturnType<typeof readCompositions> {
  const publishedOn = file.nameDate ?? file.lastModified ?? file.writtenOn;
  if (publishedOn === null) throw new ListFileError(UNDATED);
  return { ...(yield* readCompositions(file)), publishedOn };
}
