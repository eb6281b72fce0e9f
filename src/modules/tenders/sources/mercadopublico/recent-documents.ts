import type { Logger } from 'pino';
import { type Clock, chileanDate, SECOND_MS } from '../../../../domain/time.ts';
import type { IndexRow, TenderIndex } from '../../store.ts';
import type { MercadoPublicoApi } from './api.ts';
import { dayAfter, tenderState } from './values.ts';

/** Maximum number of documents per kind and sync. At 1 s each, a sync ends within minutes. The daily quota is 10,000. */
const MAX_DOCUMENTS = 100;
/** Number of failed documents that ends a sync. */
const MAX_FAILURES = 3;
/** Maximum lookback in days, today included. */
const MAX_DAYS = 3;
/** Deadline per request, in ms. It is long, because the sync runs in the background. */
const ANSWER_MS = 30 * SECOND_MS;
const AWARDED = tenderState(8);

/** Requests that list and read one kind of document. */
interface Kind {
  readonly name: 'orders' | 'awards';
  codes(api: MercadoPublicoApi, day: string): Promise<readonly string[]>;
  rows(api: MercadoPublicoApi, code: string): Promise<readonly IndexRow[]>;
}

const latest = (): number => performance.now() + ANSWER_MS;

const KINDS: readonly Kind[] = [
  {
    name: 'awards',
    async codes(api, day) {
      const tenders = await api.tenders(day, null, latest());
      return tenders.filter(({ status }) => status === AWARDED).map(({ code }) => code);
    },
    async rows(api, code) {
      const tender = await api.tender(code, latest());
      return (tender?.awards ?? []).map((award) => ({ kind: 'award', ...award }));
    },
  },
  {
    name: 'orders',
    codes: (api, day) => api.orderCodes(day, null, latest()),
    async rows(api, code) {
      const found = await api.order(code, latest());
      return found && found.supplier !== null ? [{ kind: 'order', supplier: found.supplier, order: found.order }] : [];
    },
  },
];

export interface RecentDocumentsDeps {
  readonly api: MercadoPublicoApi;
  readonly index: TenderIndex;
  readonly now: Clock;
  readonly log: Logger;
}

/**
 * Adds documents to the index that are newer than the monthly files: those of the last days, one request each, a bounded number per
 * sync. They form a separate slice until the files contain them. Failures are logged; they only reduce freshness.
 */
export type IndexRecentDocuments = (filesMadeOn: string | null, signal: AbortSignal) => Promise<void>;

export function createRecentDocuments({ api, index, now, log }: RecentDocumentsDeps): IndexRecentDocuments {
  /** Rows by document code. They are kept so that each document is requested once. */
  const known: Readonly<Record<Kind['name'], Map<string, readonly IndexRow[]>>> = { orders: new Map(), awards: new Map() };

  /** @returns the number of new documents, whether more remain, and the failures */
  async function read(kind: Kind, days: readonly string[], signal: AbortSignal) {
    const documents = known[kind.name];
    const codes = new Set<string>();
    for (const day of days) for (const code of await kind.codes(api, day)) codes.add(code);
    for (const code of documents.keys()) if (!codes.has(code)) documents.delete(code);
    const missing = [...codes].filter((code) => !documents.has(code));
    const failures: unknown[] = [];
    for (const code of missing.slice(0, MAX_DOCUMENTS)) {
      signal.throwIfAborted();
      try {
        documents.set(code, await kind.rows(api, code));
      } catch (error) {
        failures.push(error);
        if (failures.length === MAX_FAILURES) break;
      }
    }
    const count = missing.filter((code) => documents.has(code)).length;
    return { count, more: count < missing.length, failures };
  }

  /** Writes the slice. A partial read, as after a restart, does not replace a more complete one. */
  async function write({ name }: Kind, today: string, more: boolean, signal: AbortSignal): Promise<void> {
    async function* rows() {
      for (const document of known[name].values()) yield* document;
    }
    const slice = { name: `${name}/${today.slice(0, 7)}/newer`, tag: null, publishedOn: null, loadedAt: now() };
    const approve = (count: number, before: number | null) => {
      if (more && count < (before ?? 0)) throw new Error('less was read than before');
    };
    await index.replace(slice, rows(), { signal, approve, skipRowsOfOtherSlices: true });
  }

  return async (filesMadeOn, signal) => {
    const today = chileanDate(now());
    const earliest = dayAfter(today, 1 - MAX_DAYS);
    // A file contains data up to the evening before its publication.
    const last = filesMadeOn && dayAfter(filesMadeOn, -1);
    const from = last !== null && last > earliest ? last : earliest;
    const days: string[] = [];
    for (let day = today; day >= from; day = dayAfter(day, -1)) days.push(day);
    for (const kind of KINDS) {
      try {
        const { count, more, failures } = await read(kind, days, signal);
        if (count > 0) await write(kind, today, more, signal);
        if (failures.length > 0) throw failures[0];
      } catch (error) {
        if (signal.aborted) throw error;
        log.warn({ kind: kind.name, why: String(error) }, 'what is newer than the files was not read whole');
      }
    }
  };
}
