import type pg from 'pg';
import type { SyncProgress } from '../../source.ts';
import { asRefusal, type MonthFile } from './folder.ts';
import { contactHashes } from './links.ts';
import { type DataMonthFile, readDataFile, readLookups } from './read-file.ts';
import { createReadingThread, type ReadingThread } from './reading-thread.ts';
import { type DATA_FILES, LOOKUP_FILES } from './rows.ts';
import { loadFile, loadLookups } from './store/import-store.ts';
import { SUPPLEMENT } from './supplement.ts';
import { suppressing, suppressionHash } from './suppression.ts';
import type { FilterOfLines } from './thread-messages.ts';

/** The version that files are loaded into, and the parts of its import. */
export interface LoadParts extends FilterOfLines {
  /** Id of the version. */
  readonly id: string;
  readonly onProgress: (progress: SyncProgress) => void;
  readonly signal?: AbortSignal;
}

/** Bytes of an unpacked file from which on the thread reads it. A smaller one is read before a thread would have started. */
const THREAD_BYTES = 4 * 1024 ** 2;

/** Loads files into the tables of a version. @throws ImportRefusal; the reason of the abort */
export async function loadFiles(client: pg.Client, files: readonly MonthFile[], parts: LoadParts): Promise<void> {
  const thread = createReadingThread({ secret: parts.secret, suppressed: parts.suppressed }, parts.signal);
  if (files.some(({ entry }) => entry.bytes >= THREAD_BYTES)) thread.start();
  try {
    await loadEach(files, parts.signal, (file) => loadOne(client, file, thread, parts));
  } finally {
    await thread.close();
  }
}

/**
 * Loads files one after the other, each after its checksum was verified: no row is loaded from a zip with a wrong one. While a file is
 * loaded, the next one is verified.
 * @throws ImportRefusal, ArchiveError; the reason of the abort
 */
async function loadEach(
  files: readonly MonthFile[],
  signal: AbortSignal | undefined,
  load: (file: MonthFile) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const verifySignal = AbortSignal.any([failed.signal, ...(signal ? [signal] : [])]);
  const verify = async (file: MonthFile | undefined): Promise<void> => file?.archive.verify(file.entry.bytes, verifySignal);
  let verified = verify(files[0]);
  try {
    for (const [i, file] of files.entries()) {
      await verified;
      verified = verify(files[i + 1]);
      verified.catch(() => undefined); // it is thrown when its file is next
      await load(file);
    }
  } catch (error) {
    throw asRefusal(error);
  } finally {
    failed.abort();
    await verified.catch(() => undefined);
  }
}

async function loadOne(client: pg.Client, file: MonthFile, thread: ReadingThread, parts: LoadParts): Promise<void> {
  const { name, kind } = file;
  parts.onProgress({ step: name, rows: 0, share: 0 });
  if (isLookup(kind)) {
    const supplement = SUPPLEMENT.filter((row) => row.kind === LOOKUP_FILES[kind]);
    await loadLookups(client, parts.id, file, [...(await readLookups({ ...file, kind })), ...supplement]);
  } else {
    await loadFile(client, parts.id, file, readRows({ ...file, kind }, thread, parts));
  }
}

function readRows(file: DataMonthFile, thread: ReadingThread, { secret, suppressed, onProgress, signal }: LoadParts) {
  if (file.entry.bytes >= THREAD_BYTES) return thread.read(file, onProgress);
  const suppress = suppressing(suppressed, suppressionHash(secret));
  return readDataFile(file, contactHashes(secret), onProgress, { signal, suppress });
}

const isLookup = (kind: keyof typeof DATA_FILES | keyof typeof LOOKUP_FILES): kind is keyof typeof LOOKUP_FILES => kind in LOOKUP_FILES;
