import { DAY_MS } from '../../../domain/time.ts';
import type { ListStatus, SourceStatus } from '../../source.ts';
import type { CopyHealth, LoadedCopy } from './store/attempts.ts';

/** Age of an extract from which the copy counts as a failed source. Extracts are published monthly, about a month after their date. */
const STALE_AFTER_MS = 75 * DAY_MS;

/** Returns the epoch ms until which a version answers. */
export const goodUntil = ({ extractedOn }: Pick<LoadedCopy, 'extractedOn'>): number => Date.parse(extractedOn) + STALE_AFTER_MS;

/**
 * Adds the copy to the health of the mirrors. The entries of its list are establishments.
 * @param mode `copy`: the health is that of the copy alone. `copy-then-live`: the source is usable while either answers, and the last
 *   success and failure are the latest of both. `live`: the copy only appears, because it does not answer.
 * @param origin where the files of the registry are read from
 */
export function statusWithCopy(
  mirrors: SourceStatus,
  {
    mode,
    origin,
    now,
  }: { readonly mode: 'live' | 'copy' | 'copy-then-live'; readonly origin: SourceStatus['origin']; readonly now: number },
  { version, checkedAt, failedAt, lastError }: CopyHealth,
): SourceStatus {
  const list = version && listOf(version, checkedAt);
  if (mode === 'live') return { ...mirrors, list };
  const isUsable = list !== null && now < list.goodUntil;
  const copy = { lastSuccessAt: list?.checkedAt ?? null, lastErrorAt: failedAt, lastError };
  if (mode === 'copy')
    return { name: mirrors.name, kind: 'list', origin, ...copy, circuit: 'closed', recentCalls: null, list, usable: isUsable };
  const failure = (copy.lastErrorAt ?? 0) > (mirrors.lastErrorAt ?? 0) ? { ...copy, lastError: `copy_${lastError}` } : mirrors;
  return {
    ...mirrors,
    lastSuccessAt: latest(copy.lastSuccessAt, mirrors.lastSuccessAt),
    lastErrorAt: failure.lastErrorAt,
    lastError: failure.lastError,
    list,
    usable: isUsable || mirrors.usable,
  };
}

const latest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);

/** Returns a version in the form of the version of a list. @param checkedAt last success, epoch ms; null for none */
export function listOf(version: LoadedCopy, checkedAt: number | null): ListStatus {
  const { id, extractedOn, loadedAt, establishments, unread, checksum } = version;
  return {
    id,
    publishedOn: extractedOn,
    loadedAt,
    checkedAt: Math.max(loadedAt, checkedAt ?? 0),
    entries: establishments,
    rowsUnmatched: unread,
    checksum,
    goodUntil: goodUntil(version),
  };
}
