import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { failureOfRead } from '../../db/unavailable.ts';
import type { SourceName } from '../../domain/catalogue.ts';
import { sourceUnavailable } from '../../domain/errors.ts';
import type { Clock } from '../../domain/time.ts';
import type { Address, SourceStatus, SyncResult } from '../source.ts';
import { ListFileError } from './list-file.ts';
import { describeFailure, ImplausibleContent } from './sync.ts';
import type { RegistryState, StoredVersion, VersionStore } from './version-store.ts';

/** A local copy that is replaced as a whole by each new version. */
export interface CopyOptions {
  readonly name: SourceName;
  readonly origin: Address['origin'];
  /** Version of the stored records: a copy stored under another version is not used. */
  readonly schemaVersion: number;
  /** Maximum time in ms without a successful sync. After it the copy counts as a failed source. */
  readonly staleAfterMs: number;
  /** Maximum age of a version by its publication date, ms; undefined for no limit. */
  readonly maxAgeMs?: number | undefined;
  readonly store: Pick<VersionStore, 'state' | 'recordFailure'>;
  readonly now: Clock;
  readonly log: Logger;
}

/** Returns the epoch ms until which a version may be served. */
export const goodUntil = ({ staleAfterMs, maxAgeMs }: CopyOptions, { checkedAt, publishedOn }: StoredVersion): number =>
  Math.min(
    checkedAt + staleAfterMs,
    maxAgeMs === undefined || publishedOn === null ? Number.POSITIVE_INFINITY : Date.parse(publishedOn) + maxAgeMs,
  );

/** @throws AppError SOURCE_UNAVAILABLE for a version that is missing, overdue, or of another schema version */
export function requireUsable(copy: CopyOptions, version: StoredVersion | null): asserts version is StoredVersion {
  if (!version) throw sourceUnavailable(copy.name, 'it was never loaded');
  if (!isUsable(copy, version)) throw sourceUnavailable(copy.name, 'the copy is overdue, or was read by another version of the reader');
}

/**
 * Adds to an answer of the store the time until which it may be served.
 * @throws AppError SOURCE_UNAVAILABLE when the copy cannot be read, was never loaded, or is overdue
 */
export async function readUsable<T extends { readonly version: StoredVersion | null }>(copy: CopyOptions, reading: Promise<T>) {
  const answer = await reading.catch((error: Error) => {
    throw failureOfRead(copy.name, error);
  });
  requireUsable(copy, answer.version);
  return { ...answer, version: answer.version, goodUntil: goodUntil(copy, answer.version) };
}

const isUsable = (copy: CopyOptions, version: StoredVersion): boolean =>
  version.schemaVersion === copy.schemaVersion && copy.now() < goodUntil(copy, version);

/** Runs one sync, records its result and never throws. `work` returns null when another process holds the lock. */
export async function syncCopy(copy: CopyOptions, work: () => Promise<SyncResult | null>, signal: AbortSignal): Promise<SyncResult> {
  const { log, name, origin } = copy;
  try {
    signal.throwIfAborted();
    const result = await work();
    if (!result) return { outcome: 'busy' };
    log.info({ list: name, origin, ...result }, 'list synced');
    return result;
  } catch (error) {
    return signal.aborted ? { outcome: 'refused', reason: 'stopped' } : refused(copy, error);
  }
}

async function refused({ name, origin, store, now, log }: CopyOptions, error: unknown): Promise<SyncResult> {
  const { reason, why, retryAfterMs } = describeFailure(error);
  const hasVersion = await store.state().then(
    ({ version }) => version !== null,
    () => true, // the database does not respond, which is logged below
  );
  const facts = { list: name, origin, reason, why };
  if (hasVersion) log.warn(facts, 'list not loaded; the previous version stays in use');
  else log.warn(facts, 'list not loaded; it has no version yet, and its checks fail');
  await store
    .recordFailure(now(), reason)
    .catch((failure: Error) => log.error({ list: name, origin, why: failure.message }, 'a failed load could not be recorded'));
  const isAboutFile = error instanceof ListFileError || error instanceof ImplausibleContent;
  return { outcome: 'refused', reason, ...(isAboutFile && { why }), retryAfterMs };
}

/** Returns the health of a copy. */
export function statusOfCopy(copy: CopyOptions, { version, failedAt, lastError }: RegistryState): SourceStatus {
  return {
    name: copy.name,
    kind: 'list',
    origin: copy.origin,
    lastSuccessAt: version?.checkedAt ?? null,
    lastErrorAt: failedAt,
    lastError,
    circuit: 'closed',
    list: version && { ...version, goodUntil: goodUntil(copy, version) },
    usable: version !== null && isUsable(copy, version),
  };
}

/**
 * Returns the origin that a copy belongs to: `sandbox`, or the URL template without secrets: it has no credentials, and a fingerprint
 * instead of the query.
 */
export function originOf({ origin, url }: Address): string {
  if (origin === 'sandbox') return 'sandbox';
  const { protocol, host, pathname, search } = new URL(url);
  const place = `${protocol}//${host}${pathname}`.replace(/%7Bdate%7D/gi, '{date}');
  return search ? `${place}?${fingerprint(search)}` : place;
}

/** Returns the first twelve hex digits of a text's SHA-256. */
export const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
