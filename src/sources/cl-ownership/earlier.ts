import { isoDate } from '../../domain/time.ts';
import type { LoadGuard } from '../registry/registry.ts';
import { ImplausibleLoad, type ListCounts, refusalOf } from '../registry/sync.ts';
import type { RegistryState, StoredVersion, VersionState } from '../registry/version-store.ts';
import type { LoadCompositions } from './store/load.ts';

/*
 * The file of an earlier year, which an operator has kept, is put before the first file of the publisher once that one is loaded, so that the
 * history begins with it. It is tried at each sync until then, or until the next file is loaded: the differences between an earlier file and
 * one that was replaced cannot be computed.
 */

const NONE: RegistryState = { version: null, failedAt: null, lastError: null, passedChecksum: null, etag: null };

/** The state for the sync of an earlier file, which is not compared with the version that answers as a newer file is. */
export const STATE_BEFORE: VersionState = { state: async () => NONE, touch: async () => undefined };

/**
 * Wraps the load of an earlier file, which must be earlier than the version that answers, and differ from it as two files of consecutive
 * years do.
 * @param force true if an operator has approved the file: it must only be earlier
 */
export const guarded =
  (load: LoadCompositions, next: StoredVersion, guard: LoadGuard, force: boolean): LoadCompositions =>
  (reading, approve, signal) =>
    load(
      reading,
      (summary, named) => {
        requireBefore({ ...summary, named }, next, guard, force);
        return approve(summary, named);
      },
      signal,
    );

/** @throws ImplausibleLoad `not_earlier`, or the reason for which the version that answers could not follow the file */
function requireBefore(earlier: ListCounts, next: StoredVersion, guard: LoadGuard, force: boolean): void {
  const { publishedOn, rowsRead, named } = earlier;
  const date = next.publishedOn ?? isoDate(next.loadedAt);
  const why = `${rowsRead} rows naming ${named}, of ${publishedOn}; the file that answers: ${next.rowsRead} rows naming ${next.named}, of ${date}`;
  if (publishedOn === null || publishedOn >= date) throw new ImplausibleLoad('not_earlier', why);
  const reason = refusalOf(next, guard, { previous: earlier, isDefaultAddress: false, force });
  if (reason) throw new ImplausibleLoad(reason, why);
}
