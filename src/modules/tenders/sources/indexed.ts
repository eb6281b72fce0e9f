import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { legalPersonText } from '../../../domain/company.ts';
import { sourceUnavailable } from '../../../domain/errors.ts';
import type { Clock } from '../../../domain/time.ts';
import type { SyncResult } from '../../../sources/copy.ts';
import { originOf } from '../../../sources/registry/origin.ts';
import type { Address } from '../../../sources/source.ts';
import { createTenderIndex, type IndexHits, type IndexRow, type IndexState } from '../store.ts';
import { coverageOf, publishedOn, seenAt, versionOf } from './index-reading.ts';
import { describe, type IndexVisit, visitFiles, visitSlices } from './index-visit.ts';
import type { AwardingMarketplace, SupplierHits, SupplierQuestion, TenderSyncOptions } from './marketplace.ts';
import { monthAfter, monthsBack } from './months.ts';
import type { IndexPlan } from './plan.ts';

export interface IndexDeps {
  /** Of the files or pages that the index is built from. */
  readonly address: Address;
  /** Value of `QUIPU_TENDERS_MONTHS`. */
  readonly months: string;
  readonly db: Knex;
  readonly now: Clock;
  readonly log: Logger;
}

/** The half of a marketplace that an index answers: all but the search. */
export type IndexedHalf = Omit<AwardingMarketplace, 'search' | 'close'>;

const NEVER = new AbortController().signal;

/** Keeps a marketplace's index in Postgres and answers from it. */
export function indexed(plan: IndexPlan, { address, months, db, now, log }: IndexDeps): IndexedHalf {
  const index = createTenderIndex(db, plan.name, originOf(address));
  const facts = { source: plan.name, origin: address.origin };
  let known: string | null = null;

  const newestMonth = (): string => plan.today(now()).slice(0, 7);
  const oldestMonth = (): string => monthAfter(newestMonth(), 1 - Number(months));

  const reading = (state: IndexState) => ({ plan, state, newestMonth: newestMonth() });

  async function ask<T>(kind: IndexRow['kind'], found: Promise<IndexHits<T>>): Promise<SupplierHits<T>> {
    const { state, pages } = await found.catch((error: Error) => {
      throw sourceUnavailable(plan.name, error);
    });
    const checkedAt = seenAt(reading(state), kind);
    if (checkedAt === null) throw sourceUnavailable(plan.name, 'the recent months of the index were never loaded');
    const goodUntil = checkedAt + plan.staleAfterMs;
    if (now() >= goodUntil) throw sourceUnavailable(plan.name, 'the index is overdue');
    const { sentence, lacking } = coverageOf(reading(state), oldestMonth(), kind);
    return { pages, coverage: sentence, lacking, publishedOn: publishedOn(state), checkedAt, goodUntil };
  }

  async function visit(options: IndexVisit, { from, to, files }: TenderSyncOptions): Promise<SyncResult> {
    const slices = monthsBack(to ?? newestMonth(), from ?? oldestMonth()).flatMap((month) => plan.slicesOf(month));
    const loaded = files ? await visitFiles(options, files) : await visitSlices(options, slices);
    const version = versionOf(reading(await index.state()));
    known = version?.id ?? null;
    if (!version) return { outcome: 'refused', reason: 'empty' };
    return { outcome: loaded > 0 ? 'loaded' : 'unchanged', version };
  }

  async function refused(error: unknown): Promise<SyncResult> {
    const { reason, why, retryAfterMs } = describe(error);
    log.warn({ ...facts, reason, why }, 'index not wholly read; what was loaded before keeps answering');
    await index
      .recordFailure(now(), reason)
      .catch((failure: Error) => log.error({ ...facts, why: failure.message }, 'a failed load could not be recorded'));
    return { outcome: 'refused', reason, retryAfterMs };
  }

  return {
    name: plan.name,
    everyMs: plan.everyMs,
    orders: (questions) => ask('order', index.orders(questions.map(toStretch))),
    awards: (questions) => ask('award', index.awards(questions.map(toStretch))),
    edition: () => known,

    async refresh() {
      known = versionOf(reading(await index.state()))?.id ?? null;
    },

    async sync(options = {}) {
      const { signal = NEVER } = options;
      try {
        signal.throwIfAborted();
        const result = await index.exclusively((replace) => visit({ ...options, plan, index, replace, now, log, signal }, options));
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
      const seen = plan.kinds.map((kind) => seenAt(reading(state), kind));
      const usable = seen.every((at) => at !== null && now() < at + plan.staleAfterMs);
      return {
        name: plan.name,
        kind: 'list',
        origin: address.origin,
        lastSuccessAt: list?.checkedAt ?? null,
        lastErrorAt: state.failedAt,
        lastError: state.lastError,
        circuit: 'closed',
        list,
        usable,
      };
    },
  };
}

const toStretch = ({ key, first, after }: SupplierQuestion) => ({ supplier: legalPersonText(key), first, after });
