import type { Knex } from 'knex';
import type pg from 'pg';
import type { Logger } from 'pino';
import { withConnection } from '../../../db/knex.ts';
import type { Clock } from '../../../domain/time.ts';
import { beside, type StepOptions } from '../../copies/after-load.ts';
import type { ComparedVersion, KeptComparisons } from '../../copies/store/comparisons.ts';
import type { SyncProgress } from '../../source.ts';
import { type Month, openMonth } from './folder.ts';
import { objectionsTo, objectionsToChanges } from './guard.ts';
import { loadFiles } from './load-files.ts';
import { ImportRefusal } from './refusal.ts';
import { TABLES } from './rows.ts';
import { requireSpace, VERSION_SHARE } from './space.ts';
import { type LoadedCopy, recordFailure, recordSuccess } from './store/attempts.ts';
import { type ChangeCounts, compareVersions, pruneComparisons } from './store/comparisons.ts';
import { deleteLeftVersions, deleteOthers, findVersion, lockImport, startVersion } from './store/import-store.ts';
import { hasNames, indexNames } from './store/name-table.ts';
import { countNamesakes } from './store/namesakes.ts';
import { suppressedHashes } from './store/suppressions.ts';
import { type CurrentVersion, countVanished, readCurrent, readFacts, rollBack, switchVersion, type VersionFacts } from './store/switch.ts';
import { analyzeShared, indexTable } from './store/tables.ts';

/** Dependencies of an import. */
export interface ImportParts {
  readonly db: Knex;
  /** `sandbox`, or `publisher` for the files of Receita Federal. */
  readonly origin: string;
  /** Secret of the installation, from which the key of the hashes of contacts is derived. */
  readonly secret: string;
  readonly now: Clock;
  /** Folder on the disk of the database, whose free space is checked; null if the database is on another host. */
  readonly diskFolder: string | null;
  /** Number of months for which the differences between extracts are kept. */
  readonly historyMonths: number;
  readonly log: Pick<Logger, 'error'>;
  readonly onProgress: (progress: SyncProgress) => void;
  /** Stops the import. The files that were loaded completely stay for the next one. */
  readonly signal?: AbortSignal;
}

/** Result of an import. */
export interface ImportResult {
  readonly outcome: 'loaded' | 'unchanged' | 'rolled_back';
  /** ISO date of the extract that answers now. */
  readonly extractedOn: string;
  readonly facts: VersionFacts | null;
  /** The version that was loaded; null if none was. */
  readonly loaded: LoadedCopy | null;
}

/**
 * Loads the files of a folder as a new version and makes it the current one. A killed import continues with the files that it had not
 * loaded. Until the switch the current version answers; after it that version stays for a rollback, until the next import begins. An old
 * version that cannot be deleted delays an import and does not fail it: the room for the new version is checked afterwards.
 * @param options.force true if an operator has approved what the guard refuses
 * @throws ImportRefusal
 */
export const importFolder = (folder: string, parts: ImportParts, { force = false } = {}): Promise<ImportResult> =>
  recorded(parts, () => withLock(parts, (client) => loadFolder(client, folder, parts, force)));

/** Runs an import, and records its outcome for the health of the source. */
export async function recorded(parts: ImportParts, work: () => Promise<ImportResult>): Promise<ImportResult> {
  const { db, origin, now, signal } = parts;
  try {
    const result = await work();
    await besideImport(parts, 'the success of an import could not be recorded; the next one tries again', () =>
      recordSuccess(db, origin, now()),
    );
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof ImportRefusal ? error.reason : 'load_failed';
    // The database may be the cause. Another process that imports is no failure.
    if (reason !== 'busy') await recordFailure(db, origin, now(), reason).catch(() => undefined);
    throw error;
  }
}

/** Runs a step that an import does not depend on: an error is logged, unless the process stops. Returns true if the step succeeded. */
export const besideImport = (
  { log, origin, signal }: Pick<ImportParts, 'log' | 'origin' | 'signal'>,
  failed: string,
  step: () => Promise<unknown>,
  isExpected: StepOptions['isExpected'] = () => false,
): Promise<boolean> =>
  beside(step, {
    log,
    failed,
    copy: { copy: 'receita_federal', origin },
    isExpected: (error) => signal?.aborted === true || isExpected(error),
  });

/** Loads the files of a folder on a connection that has the lock of the imports. @throws ImportRefusal */
export async function loadFolder(client: pg.Client, folder: string, parts: ImportParts, force: boolean): Promise<ImportResult> {
  const { origin, now, onProgress, historyMonths: months } = parts;
  const month = await openMonth(folder, now());
  const current = await readCurrent(client, origin);
  const known = await findVersion(client, origin, month.extractedOn);
  const isSame = known !== null && hasFiles(known, month);
  if (isSame && known.isLoaded && known.id === current?.id) return keepVersion(client, current, parts);
  const resumed = isSame && !known.isLoaded ? known : null;
  const kept = [current?.id, resumed?.id].filter((one) => one !== undefined);
  await besideImport(parts, NOT_DELETED.version, () => deleteOthers(client, origin, resumed?.id ?? null));
  await deleteComparisons(client, parts, { kept, months });
  if (!resumed && parts.diskFolder !== null)
    await requireSpace(parts.diskFolder, month.bytes * VERSION_SHARE, 'The new version, beside the current one,');
  const id = resumed?.id ?? (await startVersion(client, origin, month.extractedOn, now()));
  const suppressed = await suppressedHashes(client);
  const missing = month.files.filter(({ name }) => !resumed?.files.has(name));
  await loadFiles(client, missing, { ...parts, id, suppressed });
  const facts = await index(client, id, onProgress);
  const vanished = current ? await countVanished(client, current.id, id) : 0;
  if (!force) requirePlausible(objectionsTo(facts, current?.facts ?? null, vanished));
  parts.onProgress({ step: 'differences', rows: 0, share: null });
  const counts = current ? await compare(client, origin, current, { id, extractedOn: month.extractedOn, facts }) : {};
  if (!force) requirePlausible(objectionsToChanges(counts, facts));
  const loaded = await switchVersion(client, origin, id, facts, now());
  await besideImport(parts, NOT_DELETED.version, () => deleteLeftVersions(client, origin));
  await deleteComparisons(client, parts, { kept: current ? [id, current.id] : [id], months });
  return { outcome: 'loaded', extractedOn: month.extractedOn, facts, loaded };
}

/**
 * Returns the result of an import that loads nothing. A version of an earlier release gets the index of names that it lacks, and an old
 * version that could not be deleted before is deleted.
 */
export async function keepVersion(
  client: pg.Client,
  { id, extractedOn, facts }: CurrentVersion,
  parts: ImportParts,
): Promise<ImportResult> {
  if (!(await hasNames(client, id))) {
    parts.onProgress({ step: 'index of names', rows: 0, share: null });
    await indexNames(client, id);
  }
  await besideImport(parts, NOT_DELETED.version, () => deleteLeftVersions(client, parts.origin));
  return { outcome: 'unchanged', extractedOn, facts, loaded: null };
}

/**
 * Returns the version that answers if files that no operator has chosen must not replace it: files of an earlier extract, or of the version
 * before it, from which an operator has rolled back. Otherwise null.
 * @throws ImportRefusal
 */
export async function versionToKeep(
  client: pg.Client,
  folder: string,
  { origin, now }: Pick<ImportParts, 'origin' | 'now'>,
): Promise<CurrentVersion | null> {
  const current = await readCurrent(client, origin);
  const month = await openMonth(folder, now());
  const known = await findVersion(client, origin, month.extractedOn);
  const isPrevious = known !== null && known.id === current?.previousId && hasFiles(known, month);
  return current && (month.extractedOn < current.extractedOn || isPrevious) ? current : null;
}

/** True if no file of a month differs from that of a version. */
const hasFiles = (known: { readonly files: ReadonlyMap<string, string> }, { files }: Month): boolean =>
  files.every(({ name, checksum }) => (known.files.get(name) ?? checksum) === checksum);

const NOT_DELETED = {
  version: 'an old version could not be deleted; the next import tries again',
  comparisons: 'old comparisons could not be deleted; the next load tries again',
};

/** Deletes old comparisons. It never throws. The next import deletes one that a statement reads for minutes. */
async function deleteComparisons(client: pg.Client, parts: ImportParts, kept: KeptComparisons): Promise<void> {
  const isBusy = (error: Error): boolean => error instanceof ImportRefusal && error.reason === 'busy';
  await besideImport(parts, NOT_DELETED.comparisons, () => pruneComparisons(client, parts.origin, kept), isBusy);
}

/** @throws ImportRefusal `implausible` */
function requirePlausible(objections: readonly string[]): void {
  if (objections.length > 0) throw new ImportRefusal('implausible', objections.join(' '));
}

/** Version and its facts. */
type FactualVersion = Pick<CurrentVersion, 'id' | 'extractedOn' | 'facts'>;

/** Writes the differences of two versions. An extract that is older than the current one begins a new history. */
async function compare(client: pg.Client, origin: string, current: FactualVersion, next: FactualVersion): Promise<ChangeCounts> {
  return next.extractedOn < current.extractedOn ? {} : compareVersions(client, origin, toCompared(current), toCompared(next));
}

const toCompared = ({ id, extractedOn, facts }: FactualVersion): ComparedVersion => ({
  id,
  extractedOn,
  hasUnattributed: facts.unattributed > 0,
});

/** Makes the version before the current one answer again. @throws ImportRefusal `no_previous`, `busy` */
export const rollBackImport = (parts: Pick<ImportParts, 'db' | 'origin' | 'now'>): Promise<ImportResult> =>
  withLock(parts, async (client) => {
    const extractedOn = await rollBack(client, parts.origin, parts.now());
    if (extractedOn === null) throw new ImportRefusal('no_previous', 'There is no previous version to return to.');
    return { outcome: 'rolled_back', extractedOn, facts: null, loaded: null };
  });

/** Runs `work` with the lock of the imports, which one process at most has. @throws ImportRefusal `busy`; the reason of the abort */
export const withLock = <T>(
  { db, origin, signal }: Pick<ImportParts, 'db' | 'origin' | 'signal'>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> =>
  withConnection(
    db,
    async (client) => {
      if (!(await lockImport(client, origin))) throw new ImportRefusal('busy', 'Another process imports the registry.');
      return work(client);
    },
    { statementTimeoutMs: 0, ...(signal && { signal }) },
  );

async function index(client: pg.Client, id: string, onProgress: ImportParts['onProgress']): Promise<VersionFacts> {
  for (const [done, table] of TABLES.entries()) {
    onProgress({ step: `index of ${table}`, rows: 0, share: done / TABLES.length });
    await indexTable(client, table, id);
  }
  onProgress({ step: 'namesakes', rows: 0, share: null });
  await countNamesakes(client, id);
  onProgress({ step: 'index of names', rows: 0, share: null });
  await indexNames(client, id);
  await analyzeShared(client);
  onProgress({ step: 'comparison', rows: 0, share: null });
  return readFacts(client, id);
}
