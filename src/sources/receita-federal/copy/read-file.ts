import { CopyLines } from '../../../db/copy-rows.ts';
import { storable } from '../../../domain/text.ts';
import { readQuotedRows } from '../../copies/quoted-rows.ts';
import type { SyncProgress } from '../../source.ts';
import type { MonthFile } from './folder.ts';
import type { HashContacts } from './links.ts';
import { ImportRefusal } from './refusal.ts';
import { DATA_FILES, isRoot, LOOKUP_FILES, type TableName } from './rows.ts';
import type { FileSummary, LookupRow, TableLines } from './store/import-store.ts';
import type { Suppress } from './suppression.ts';
import { Notes } from './values.ts';

/** Rows that are sent to Postgres by one COPY. */
const ROWS_PER_COPY = 20_000;
/** Maximum number of companies with unread rows in one file. A file with more is damaged. */
const MAX_UNREAD_ROOTS = 100_000;

/**
 * Reads a file with data of companies, and yields its rows by table, encoded for COPY. A line that cannot be read makes its company unread.
 * @param options.suppress removes people and companies that an operator has erased
 * @throws ImportRefusal `damaged` for a file without a readable line or with too many unread ones; ArchiveError; the reason of the abort
 */
export async function* readDataFile(
  { name, kind, archive, entry }: MonthFile & { readonly kind: keyof typeof DATA_FILES },
  hashes: HashContacts,
  onProgress: (progress: SyncProgress) => void,
  { signal, suppress }: { readonly signal?: AbortSignal | undefined; readonly suppress?: Suppress | undefined } = {},
): AsyncGenerator<TableLines, FileSummary, void> {
  const notes = new Notes();
  const read = DATA_FILES[kind].reader(notes, hashes);
  const unreadRoots = new Set<string>();
  const suppressedRoots = new Set<string>();
  let [rows, unread, unattributed, bytes, pending] = [0, 0, 0, 0, 0];
  const tables = new Map<TableName, CopyLines>();

  async function* counted(): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of archive.read(entry)) {
      signal?.throwIfAborted();
      bytes += chunk.length;
      yield chunk;
    }
  }

  for await (const lines of readQuotedRows(counted(), DATA_FILES[kind].columns, isRoot)) {
    for (const { cells, line, keys } of lines) {
      const kept = cells && suppress ? suppress(kind, cells) : cells;
      if (cells && !kept) {
        suppressedRoots.add(cells[0] ?? '');
        continue;
      }
      const found = kept && read(kept, line);
      if (found) {
        rows += 1;
        for (const [table, row] of found) linesOf(tables, table).add(row);
        continue;
      }
      unread += 1;
      const unreadOnes = cells ? cells.slice(0, 1) : keys;
      for (const root of unreadOnes) unreadRoots.add(root);
      if (unreadOnes.length === 0) unattributed += 1;
      if (unreadRoots.size > MAX_UNREAD_ROOTS) throw new ImportRefusal('damaged', `${name} has too many lines that cannot be read.`);
    }
    pending += lines.length;
    if (pending < ROWS_PER_COPY) continue;
    yield drained(tables);
    pending = 0;
    onProgress({ step: name, rows, share: entry.bytes === 0 ? null : bytes / entry.bytes });
  }
  if (rows === 0 && unread > 0) throw new ImportRefusal('damaged', `${name} has no line that can be read.`);
  yield drained(tables);
  onProgress({ step: name, rows, share: 1 });
  return { rows, unread, unattributed, notes: notes.counts, unreadRoots, suppressedRoots };
}

function linesOf(tables: Map<TableName, CopyLines>, table: TableName): CopyLines {
  const known = tables.get(table);
  if (known) return known;
  const lines = new CopyLines();
  tables.set(table, lines);
  return lines;
}

const drained = (tables: ReadonlyMap<TableName, CopyLines>): TableLines =>
  new Map([...tables].map(([table, lines]) => [table, lines.drain()]));

const MAX_LOOKUP_BYTES = 16 * 1024 ** 2;

/** Reads a table of codes. @throws ImportRefusal `damaged` for a line that is no code with a name, or for an empty table; ArchiveError */
export async function readLookups({ name, kind, archive, entry }: MonthFile & { readonly kind: keyof typeof LOOKUP_FILES }) {
  archive.requireWithin([entry], { bytes: MAX_LOOKUP_BYTES });
  const lookups: LookupRow[] = [];
  for await (const rows of readQuotedRows(archive.read(entry), 2, (text) => /^\d{1,7}$/.test(text))) {
    for (const { cells } of rows) {
      if (!cells) throw new ImportRefusal('damaged', `${name} has a line that cannot be read.`);
      lookups.push({ kind: LOOKUP_FILES[kind], code: Number(cells[0]), name: storable(cells[1] ?? '', 300), source: null });
    }
  }
  if (lookups.length === 0) throw new ImportRefusal('damaged', `${name} is empty.`);
  return lookups;
}
