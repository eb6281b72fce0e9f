import { rm } from 'node:fs/promises';
import { downloadMonth, findMonth, type MonthDownload } from './download.ts';
import { type ImportParts, type ImportResult, loadFolder, recorded, withLock } from './import.ts';
import { recordListing, versionOfListing } from './store/attempts.ts';
import { readCurrent } from './store/switch.ts';

/** An import of a month of the share. */
export type MonthImport = ImportParts & Pick<MonthDownload, 'address' | 'sharePath' | 'month' | 'tempDir' | 'pauseMs'>;

/**
 * Downloads a month of the share and loads it. Nothing is downloaded if the same files were loaded before. The downloads are deleted when
 * the month is loaded; after a failure they stay, so that the next import continues them. One process at most downloads and loads.
 * @param options.force true if an operator has approved what the guard refuses
 * @param options.afterRollback true if a month from which an operator has rolled back is loaded again
 * @throws ImportRefusal; the reason of the abort
 */
export const importMonth = (parts: MonthImport, { force = false, afterRollback = true } = {}): Promise<ImportResult> =>
  recorded(parts, () =>
    withLock(parts, async (client) => {
      const { signal = new AbortController().signal, origin } = parts;
      const given = { ...parts, signal };
      const listed = await findMonth(given);
      const loaded = await versionOfListing(client, origin, listed.listing);
      const current = loaded === 'current' || (loaded === 'previous' && !afterRollback) ? await readCurrent(client, origin) : null;
      if (current) return { outcome: 'unchanged', extractedOn: current.extractedOn, facts: current.facts };
      const folder = await downloadMonth(given, listed);
      const result = await loadFolder(client, folder, parts, force);
      await recordListing(client, origin, listed.listing);
      await rm(folder, { recursive: true, force: true });
      return result;
    }),
  );
