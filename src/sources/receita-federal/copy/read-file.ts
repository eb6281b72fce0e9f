import { CopyText } from '../../../db/copy-text.ts';
import { storable } from '../../../domain/text.ts';
import { nextSlice } from '../../../scheduling/slices.ts';
import { type QuotedLine, quotedLineReader } from '../../copies/quoted-rows.ts';
import type { SyncProgress } from '../../source.ts';
import type { MonthFile } from './folder.ts';
import type { HashContacts } from './links.ts';
import { ImportRefusal } from './refusal.ts';
import { DATA_FILES, isRoot, LOOKUP_FILES, type TableName } from './rows.ts';
import type { FileSummary, LookupRow, TableLines } from './store/import-store.ts';
import type { Suppress } from './suppression.ts';
import { Notes } from './values.ts';

/** Rows that are sent to Postgres by one COPY. */
const ROWS_PER_COPY = 5_000;
/** Maximum number of companies with unread rows in one file. A file with more is damaged. */
const MAX_UNREAD_ROOTS = 100_000;

/** Bytes that are read at a time. If each line of them has one character and cannot be read, that takes some 25 ms. */
const PIECE_BYTES = 32 * 1024;

/** A file with data of companies. */
export type DataMonthFile = MonthFile & { readonly kind: keyof typeof DATA_FILES };

/**
 * Reads a file with data of companies, and yields its rows by table, encoded for COPY. A line that cannot be read makes its company unread.
 * @param options.suppress removes people and companies that an operator has erased
 * @throws ImportRefusal `damaged` for a file without a readable line or with too many unread ones; ArchiveError; the reason of the abort
 */
export async function* readDataFile(
  { name, kind, archive, entry }: DataMonthFile,
  hashes: HashContacts,
  onProgress: (progress: SyncProgress) => void,
  { signal, suppress }: { readonly signal?: AbortSignal | undefined; readonly suppress?: Suppress | undefined } = {},
): AsyncGenerator<TableLines, FileSummary, void> {
  const notes = new Notes();
  const unreadRoots = new Set<string>();
  const suppressedRoots = new Set<string>();
  let [rows, unread, unattributed, bytes, sent] = [0, 0, 0, 0, 0];
  const tables = new Map<TableName, CopyText>();
  const write = DATA_FILES[kind].writer(notes, hashes, (table) => rowsOf(tables, table));

  function addUnread(roots: readonly string[], isWhole = true): void {
    unread += 1;
    for (const root of roots) unreadRoots.add(root);
    if (!isWhole) unattributed += 1;
    if (unreadRoots.size > MAX_UNREAD_ROOTS) throw new ImportRefusal('damaged', `${name} has too many lines that cannot be read.`);
  }

  function addLine(line: QuotedLine): void {
    if (suppress && !suppress(kind, line)) suppressedRoots.add(line.text(0));
    else if (write(line)) rows += 1;
    else addUnread([line.text(0)]);
  }

  const { columns, next = '' } = DATA_FILES[kind];
  const read = quotedLineReader(columns, { isKey: isRoot, next }, { onLine: addLine, onUnread: addUnread });
  for await (const piece of piecesOf(archive, entry)) {
    signal?.throwIfAborted();
    bytes += piece.length;
    read(piece);
    if (rows + unread - sent < ROWS_PER_COPY) continue;
    yield drained(tables);
    sent = rows + unread;
    onProgress({ step: name, rows, share: entry.bytes === 0 ? null : bytes / entry.bytes });
  }
  read(null);
  if (rows === 0 && unread > 0) throw new ImportRefusal('damaged', `${name} has no line that can be read.`);
  yield drained(tables);
  onProgress({ step: name, rows, share: 1 });
  return { rows, unread, unattributed, notes: notes.counts, unreadRoots, suppressedRoots };
}

/** Yields the bytes of a file in pieces, between which the event loop serves others: the service reads small files on its own thread. */
async function* piecesOf(archive: MonthFile['archive'], entry: MonthFile['entry']): AsyncGenerator<Buffer, void, void> {
  for await (const part of archive.read(entry)) {
    for (let start = 0; start < part.length; start += PIECE_BYTES) {
      await nextSlice();
      yield part.subarray(start, start + PIECE_BYTES);
    }
  }
}

function rowsOf(tables: Map<TableName, CopyText>, table: TableName): CopyText {
  const known = tables.get(table);
  if (known) return known;
  const rows = new CopyText();
  tables.set(table, rows);
  return rows;
}

const drained = (tables: ReadonlyMap<TableName, CopyText>): TableLines =>
  new Map([...tables].map(([table, rows]) => [table, rows.drain()]));

const MAX_LOOKUP_BYTES = 16 * 1024 ** 2;

/** Reads a table of codes. @throws ImportRefusal `damaged` for a line that is no code with a name, or for an empty table; ArchiveError */
export async function readLookups({ name, kind, archive, entry }: MonthFile & { readonly kind: keyof typeof LOOKUP_FILES }) {
  archive.requireWithin([entry], { bytes: MAX_LOOKUP_BYTES });
  const lookups: LookupRow[] = [];
  const read = quotedLineReader(
    2,
    { isKey: (text) => /^\d{1,7}$/.test(text) },
    {
      onLine: (line) =>
        lookups.push({ kind: LOOKUP_FILES[kind], code: Number(line.text(0)), name: storable(line.text(1), 300), source: null }),
      onUnread() {
        throw new ImportRefusal('damaged', `${name} has a line that cannot be read.`);
      },
    },
  );
  for await (const piece of piecesOf(archive, entry)) read(piece);
  read(null);
  if (lookups.length === 0) throw new ImportRefusal('damaged', `${name} is empty.`);
  return lookups;
}
