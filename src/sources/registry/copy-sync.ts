import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { sourceUnavailable } from '../../domain/errors.ts';
import type { SourceName } from '../../domain/source-names.ts';
import type { Clock } from '../../domain/time.ts';
import type { SyncResult } from '../copy.ts';
import type { Address, SourceStatus } from '../source.ts';
import { describeFailure } from './sync.ts';
import type { RegistryState, StoredVersion, VersionStore } from './version-store.ts';

/** A copy of which one edition answers as a whole. */
export interface CopyOptions {
  readonly name: SourceName;
  readonly origin: Address['origin'];
  /** Version of the reader: what another one has read does not answer. */
  readonly schemaVersion: number;
  /** After this long without a successful visit it is a failed source. */
  readonly staleAfterMs: number;
  readonly store: Pick<VersionStore, 'state' | 'recordFailure'>;
  readonly now: Clock;
  readonly log: Logger;
}

/** Epoch ms until which an edition may be relied on. */
export const goodUntil = ({ staleAfterMs }: CopyOptions, { checkedAt }: StoredVersion): number => checkedAt + staleAfterMs;

/** @throws AppError SOURCE_UNAVAILABLE for an edition that is missing, overdue, or read by another version of the reader */
export function requireUsable(copy: CopyOptions, version: StoredVersion | null): asserts version is StoredVersion {
  if (!version) throw sourceUnavailable(copy.name, 'it was never loaded');
  if (!isUsable(copy, version)) throw sourceUnavailable(copy.name, 'the copy is overdue, or was read by another version of the reader');
}

const isUsable = (copy: CopyOptions, version: StoredVersion): boolean =>
  version.schemaVersion === copy.schemaVersion && copy.now() < goodUntil(copy, version);

/** Runs a visit to the publisher, writes down how it ended, and never throws. `visit` gives null while another process is at it. */
export async function syncCopy(copy: CopyOptions, visit: () => Promise<SyncResult | null>, signal: AbortSignal): Promise<SyncResult> {
  const { log, name, origin } = copy;
  try {
    signal.throwIfAborted();
    const result = await visit();
    if (!result) return { outcome: 'busy' };
    log.info({ list: name, origin, ...result }, 'list visited');
    return result;
  } catch (error) {
    return signal.aborted ? { outcome: 'refused', reason: 'stopped' } : refused(copy, error);
  }
}

async function refused({ name, origin, store, now, log }: CopyOptions, error: unknown): Promise<SyncResult> {
  const { reason, why, retryAfterMs } = describeFailure(error);
  log.warn({ list: name, origin, reason, why }, 'list not loaded; the edition before keeps answering');
  await store
    .recordFailure(now(), reason)
    .catch((failure: Error) => log.error({ list: name, origin, why: failure.message }, 'a failed load could not be recorded'));
  return { outcome: 'refused', reason, retryAfterMs };
}

/** A copy as operators see it. */
export function statusOfCopy(copy: CopyOptions, { version, failedAt, lastError }: RegistryState): SourceStatus {
  return {
    name: copy.name,
    kind: 'list',
    origin: copy.origin,
    lastSuccessAt: version?.checkedAt ?? null,
    lastErrorAt: failedAt,
    lastError,
    circuit: 'closed',
    list: version,
    usable: version !== null && isUsable(copy, version),
  };
}

/**
 * The origin that a copy belongs to: `sandbox`, or the address template without what may be secret: credentials are left out, a
 * query stands as its fingerprint.
 */
export function originOf({ origin, url }: Address): string {
  if (origin === 'sandbox') return 'sandbox';
  const { protocol, host, pathname, search } = new URL(url);
  const place = `${protocol}//${host}${pathname}`.replace(/%7Bdate%7D/gi, '{date}');
  return search ? `${place}?${fingerprint(search)}` : place;
}

/** Twelve hex digits of a text. */
export const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
