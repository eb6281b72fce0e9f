import { rm } from 'node:fs/promises';
import type pg from 'pg';
import { deleteOlderDownloads, downloadMonth, findMonth, folderOf, type ListedMonth, type MonthDownload } from './download.ts';
import { besideImport, type ImportParts, type ImportResult, keepVersion, loadFolder, recorded, versionToKeep, withLock } from './import.ts';
import { isPassed, recordListing, recordPassed, versionOfListing } from './store/attempts.ts';
import { type CurrentVersion, readCurrent } from './store/switch.ts';

/** An import of a month of the share. */
export type MonthImport = ImportParts & Pick<MonthDownload, 'address' | 'sharePath' | 'month' | 'tempDir' | 'pauseMs'>;

/**
 * Downloads a month of the share and loads it. Nothing is downloaded if the same files were loaded before. The downloads are deleted when
 * the month is loaded; after a failure they stay, so that the next import continues them. One process at most downloads and loads. An error
 * after the load, when it is recorded and the downloads are deleted, is logged, and the next import repeats these steps.
 * @param options.force true if an operator has approved what the guard refuses
 * @param options.afterRollback true if a month from which an operator has rolled back, or an extract older than that of the version that
 *   answers, is loaded all the same
 * @throws ImportRefusal; the reason of the abort
 */
export const importMonth = (parts: MonthImport, { force = false, afterRollback = true } = {}): Promise<ImportResult> =>
  recorded(parts, () =>
    withLock(parts, async (client) => {
      const { signal = new AbortController().signal, origin } = parts;
      const given = { ...parts, signal };
      const listed = await findMonth(given);
      const version = await loadedVersion(client, origin, listed.listing, afterRollback);
      if (version) {
        const result = await keepVersion(client, version, parts);
        await deleteDownloads(parts, listed);
        return result;
      }
      await besideImport(parts, 'older downloads of a month could not be deleted; the next import tries again', () =>
        deleteOlderDownloads(parts.tempDir, listed),
      );
      const folder = await downloadMonth(given, listed);
      const kept = afterRollback ? null : await versionToKeep(client, folder, parts);
      const result = kept ? await keepVersion(client, kept, parts) : await loadFolder(client, folder, parts, force);
      const record = () => (kept ? recordPassed : recordListing)(client, origin, listed.listing);
      const failed = 'the files of a loaded month could not be recorded; the next import reads them again, without a download';
      if (await besideImport(parts, failed, record)) await deleteDownloads(parts, listed);
      return result;
    }),
  );

/** Deletes the downloads of a month that is not loaded again. */
const deleteDownloads = (parts: MonthImport, listed: ListedMonth): Promise<boolean> =>
  besideImport(parts, 'the downloads of a month could not be deleted; the next import tries again', () =>
    rm(folderOf(parts.tempDir, listed), { recursive: true, force: true }),
  );

/**
 * Returns the version that answers if the files with this digest were loaded or, unless a rollback is undone, were left out before; null if
 * they are to be downloaded.
 */
async function loadedVersion(client: pg.Client, origin: string, listing: string, afterRollback: boolean): Promise<CurrentVersion | null> {
  const loaded = await versionOfListing(client, origin, listing);
  const isKnown = loaded === 'current' || (!afterRollback && (loaded === 'previous' || (await isPassed(client, origin, listing))));
  return isKnown ? readCurrent(client, origin) : null;
}
