import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { CopyReads } from '../../../db/read-replica.ts';
import { failureOfRead } from '../../../db/unavailable.ts';
import { legalPersonText } from '../../../domain/company.ts';
import { sourceUnavailable } from '../../../domain/errors.ts';
import type { Clock } from '../../../domain/time.ts';
import { type Covered, coverageMessages, covered } from '../../../messages/coverage.ts';
import { originOf } from '../../../sources/registry/copy-sync.ts';
import { ListFileError } from '../../../sources/registry/list-file.ts';
import type { Address, ListVersion, SyncResult } from '../../../sources/source.ts';
import { createTenderIndex, type IndexHits, type IndexRow, type IndexState } from '../store.ts';
import { type IndexPlan, inRanges, kindOf, monthAfter, monthOf, monthsBack } from './index-plan.ts';
import { describeSyncFailure, type IndexSync, importFiles, syncSlices } from './index-sync.ts';
import type { AwardingMarketplace, SupplierHits, SupplierPageRequest, TenderSyncOptions } from './marketplace.ts';

export interface IndexDeps {
  /** Address of the files or pages that the index is built from. */
  readonly address: Address;
  /** Value of `QUIPU_TENDERS_MONTHS`. */
  readonly months: string;
  readonly db: Knex;
  readonly copyReads?: CopyReads | undefined;
  readonly now: Clock;
  readonly log: Logger;
}

/** The operations of a marketplace that its index answers: all except the search. */
export type SupplierIndex = Omit<AwardingMarketplace, 'search' | 'close'>;

const NEVER = new AbortController().signal;

/** Creates the index of a marketplace: loads it into Postgres by `plan`, and answers from it. */
export function createSupplierIndex(plan: IndexPlan, { address, months, db, copyReads, now, log }: IndexDeps): SupplierIndex {
  const index = createTenderIndex(db, plan.name, originOf(address), copyReads);
  const facts = { origin: address.origin };
  let known: string | null = null;

  const newestMonth = (): string => plan.today(now()).slice(0, 7);
  const oldestMonth = (): string => monthAfter(newestMonth(), 1 - Number(months));

  const reading = (state: IndexState) => ({ plan, state, newestMonth: newestMonth() });

  async function ask<T>(kind: IndexRow['kind'], found: Promise<IndexHits<T>>): Promise<SupplierHits<T>> {
    const { state, pages } = await found.catch((error: Error) => {
      throw failureOfRead(plan.name, error);
    });
    const checkedAt = lastCheckedAt(reading(state), kind);
    if (checkedAt === null) throw sourceUnavailable(plan.name, 'the recent months of the index were never loaded');
    const goodUntil = checkedAt + plan.staleAfterMs;
    if (now() >= goodUntil) throw sourceUnavailable(plan.name, 'the index is overdue');
    const coverage = coverageOf(reading(state), oldestMonth(), kind);
    return { pages, ...coverage, publishedOn: publishedOn(state), checkedAt, goodUntil };
  }

  async function syncIndex(options: IndexSync, { from, to, files }: TenderSyncOptions): Promise<SyncResult> {
    const slices = monthsBack(to ?? newestMonth(), from ?? oldestMonth()).flatMap((month) => plan.slicesOf(month));
    const loaded = files ? await importFiles(options, files) : await syncSlices(options, slices);
    const version = versionOf(reading(await options.index.state()));
    known = version?.id ?? null;
    if (!version) return { outcome: 'refused', reason: 'empty' };
    return { outcome: loaded > 0 ? 'loaded' : 'unchanged', version };
  }

  async function refused(error: unknown): Promise<SyncResult> {
    const { reason, why, retryAfterMs } = describeSyncFailure(error);
    log.warn({ ...facts, reason, why }, 'index not wholly read; what was loaded before keeps answering');
    await index
      .recordFailure(now(), reason)
      .catch((failure: Error) => log.error({ ...facts, why: failure.message }, 'a failed load could not be recorded'));
    return { outcome: 'refused', reason, ...(error instanceof ListFileError && { why }), retryAfterMs };
  }

  return {
    name: plan.name,
    everyMs: plan.everyMs,
    orders: (requests) => ask('order', index.orders(requests.map(toPageQuery), known)),
    awards: (requests) => ask('award', index.awards(requests.map(toPageQuery), known)),
    version: () => known,

    async refresh() {
      known = versionOf(reading(await index.state()))?.id ?? null;
    },

    async sync(options = {}) {
      const { signal = NEVER } = options;
      try {
        signal.throwIfAborted();
        const result = await index.withSyncLock(
          (replace, own) => syncIndex({ ...options, plan, index: own, replace, now, log, signal }, options),
          signal,
        );
        if (!result) return { outcome: 'busy' };
        log.info({ ...facts, ...result }, 'index visited');
        return result;
      } catch (error) {
        return signal.aborted ? { outcome: 'refused', reason: 'stopped' } : refused(error);
      }
    },

    async status() {
      const state = await index.state();
      const list = versionOf(reading(state));
      const seen = plan.kinds.map((kind) => lastCheckedAt(reading(state), kind));
      const usable = seen.every((at) => at !== null && now() < at + plan.staleAfterMs);
      return {
        name: plan.name,
        kind: 'list',
        origin: address.origin,
        lastSuccessAt: list?.checkedAt ?? null,
        lastErrorAt: state.failedAt,
        lastError: state.lastError,
        circuit: 'closed',
        list: list && { ...list, goodUntil: list.checkedAt + plan.staleAfterMs },
        usable,
      };
    },
  };
}

const toPageQuery = ({ key, first, after }: SupplierPageRequest) => ({ supplier: legalPersonText(key), first, after });

type Kind = IndexRow['kind'];

/** State of an index with its plan, as of a month (`YYYY-MM`). */
export interface IndexSnapshot {
  readonly plan: IndexPlan;
  readonly state: IndexState;
  readonly newestMonth: string;
}

/**
 * Returns when the newest slice of a kind was last checked at the publisher, epoch ms: this is the age of the index. Returns null without
 * a slice of this month or the last one, because a publisher may be days late with a new month.
 */
export function lastCheckedAt({ plan, state, newestMonth }: IndexSnapshot, kind: Kind): number | null {
  const checkedAtBySlice = new Map(state.slices.map(({ name, checkedAt }) => [name, checkedAt]));
  const recent = [newestMonth, monthAfter(newestMonth, -1)].flatMap((month) => plan.slicesOf(month));
  const newest = recent.find((slice) => kindOf(slice) === kind && checkedAtBySlice.has(slice));
  return newest === undefined ? null : (checkedAtBySlice.get(newest) ?? null);
}

/** Returns the version of the index; null before the first slice. Its `checkedAt` is the oldest check of any kind. */
export function versionOf(reading: IndexSnapshot): ListVersion | null {
  const { slices, version: id, checksum } = reading.state;
  if (slices.length === 0) return null;
  const entries = slices.reduce((sum, { rows }) => sum + rows, 0);
  const loadedAt = Math.max(...slices.map((slice) => slice.loadedAt));
  const seen = reading.plan.kinds.flatMap((kind) => lastCheckedAt(reading, kind) ?? []);
  const checkedAt = seen.length > 0 ? Math.min(...seen) : loadedAt;
  return { id, checksum, entries, rowsUnmatched: 0, publishedOn: publishedOn(reading.state), loadedAt, checkedAt };
}

/** Returns the ISO day that the newest slice reaches; null if the publisher states none. */
export const publishedOn = ({ slices }: IndexState): string | null =>
  slices.reduce<string | null>((newest, { publishedOn: day }) => (newest === null || (day !== null && day > newest) ? day : newest), null);

/** Describes which months are indexed completely and which are missing; sentences for the caller. */
export function coverageOf(reading: IndexSnapshot, oldestMonth: string, kind: Kind): Covered & { readonly incomplete: boolean } {
  const { plan, newestMonth } = reading;
  const { there, missing } = monthsOf(reading, oldestMonth, kind);
  const [indexed, none] =
    kind === 'order'
      ? [coverageMessages.ordersIndexed, coverageMessages.noOrders]
      : [coverageMessages.awardsIndexed, coverageMessages.noAwards];
  const sentences =
    there.length > 0
      ? [indexed({ months: inRanges(there) }), missing.length > 0 && coverageMessages.notIndexed({ months: inRanges(missing) })]
      : [none()];
  return {
    ...covered([...sentences, plan.note]),
    incomplete: missing.some((month) => month !== newestMonth), // a publisher may be days late with a new month
  };
}

function monthsOf({ plan, state, newestMonth }: IndexSnapshot, oldestMonth: string, kind: Kind) {
  const slices = state.slices.map(({ name }) => name).filter((name) => kindOf(name) === kind);
  const loaded = new Set(slices);
  const isWhole = (month: string) => plan.slicesOf(month).every((slice) => kindOf(slice) !== kind || loaded.has(slice));
  const there = [...new Set(slices.map(monthOf))].filter(isWhole);
  return { there, missing: monthsBack(newestMonth, oldestMonth).filter((month) => !there.includes(month)) };
}
