import { recent } from '../../../../cache/recent.ts';
import { sourceUnavailable } from '../../../../domain/errors.ts';
import { formatRut } from '../../../../domain/tax-id.ts';
import { withoutTrailing } from '../../../../domain/text.ts';
import { type Clock, chileanDate, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../domain/time.ts';
import type { HttpClient, HttpHealth } from '../../../../sources/http/client.ts';
import { type HttpAnswer, HttpFailure } from '../../../../sources/http/failure.ts';
import { createCallSlots } from '../../../../sources/http/policy.ts';
import type { Throttle } from '../../../../sources/http/throttle.ts';
import {
  readOrder,
  readOrderCodes,
  readSupplierNumbers,
  readTender,
  readTenderStubs,
  type SupplierOrder,
  type Tender,
  type TenderStub,
} from './documents.ts';
import { createErrorClassifier } from './envelope.ts';

/**
 * Client of Mercado Público's API v1, with one ticket. Requests run one at a time. `latest` is the deadline of the answer, in
 * `performance.now` time. Days are ISO days in Chile. Every method throws AppError SOURCE_UNAVAILABLE.
 */
export interface MercadoPublicoApi {
  /** Returns every open tender. */
  openTenders(latest: number): Promise<readonly TenderStub[]>;
  /** Returns the tenders of a day: of the whole country, or those of a supplier. */
  tenders(day: string, supplierNumber: string | null, latest: number): Promise<readonly TenderStub[]>;
  /** Returns a tender; null for an unknown code. */
  tender(code: string, latest: number): Promise<Tender | null>;
  /** Returns the codes of a day's orders: of the whole country, or those of a supplier. */
  orderCodes(day: string, supplierNumber: string | null, latest: number): Promise<readonly string[]>;
  /** Returns an order; null for an unknown code. */
  order(code: string, latest: number): Promise<SupplierOrder | null>;
  /** Returns the marketplace's numbers of companies that may have this bare RUT. Not reliable: for an unknown RUT the API returns other companies. */
  supplierNumbers(rut: string, latest: number): Promise<readonly (string | null)[]>;
  health(): HttpHealth;
  close(): Promise<void>;
}

export interface ApiOptions {
  /** Base URL that ends in `…/publico`. */
  readonly base: string;
  /** Empty for no ticket. It is part of every URL, so URLs must not be logged. */
  readonly ticket: string;
  /** Throttle of the requests with the ticket; without one there are no pauses. */
  readonly throttle?: Throttle | undefined;
  readonly http: HttpClient;
  readonly now: Clock;
}

/** Minimum time left to start a request, ms. A request aborted sooner would count as the provider's failure and keep the ticket busy. */
const MIN_REMAINING_MS = SECOND_MS / 2;

/**
 * Maximum number of documents of one supplier on one day. More of them show that the API ignored the filter and returned the whole
 * country.
 */
const MAX_PER_SUPPLIER = 1_000;

export function createApi({ base, ticket, throttle, http, now }: ApiOptions): MercadoPublicoApi {
  const runSerially = createSerialQueue();
  const cache = createAnswerCache(now);
  const errors = createErrorClassifier();
  const root = withoutTrailing(base, '/');

  /**
   * Sends one request, unless its answer is in the cache by the time it can start. It caches answers for `ttlMs`, empty ones for 1 h at
   * most.
   */
  async function ask<T>(address: string, query: Query, latest: number, { read, ttlMs }: Reading<T>): Promise<T> {
    const url = new URL(address);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const name = url.href;
    if (ticket) url.searchParams.set('ticket', ticket);
    const known = cache.get<T>(name);
    if (known) return known.answer;
    return runSerially(latest, async () => {
      const meanwhile = cache.get<T>(name);
      if (meanwhile) return meanwhile.answer;
      const deadlineMs = latest - performance.now();
      if (deadlineMs < MIN_REMAINING_MS) throw sourceUnavailable('mercadopublico', 'no time left after the calls before this one');
      const reading = { read: rejectErrors(read), explain: errors.classify, maxValues: MAX_VALUES };
      const answer = await http.get(url, { deadlineMs, throttle, ...reading });
      return cache.set(name, answer, isEmpty(answer) ? Math.min(ttlMs, HOUR_MS) : ttlMs);
    });
  }

  const rejectErrors =
    <T>(read: Reader<T>): Reader<T> =>
    (answer) => {
      const complaint = errors.classify(answer);
      if (complaint) throw complaint;
      return read(answer);
    };

  /** Returns the TTL of a day's lists. Past days rarely change, the current day changes all the time. */
  const dayTtlMs = (day: string): number => (day < chileanDate(now()) ? 24 * HOUR_MS : 15 * MINUTE_MS);

  function ofDay<T>(resource: string, day: string, supplierNumber: string | null, latest: number, read: Reader<readonly T[]>) {
    const query = { fecha: day.split('-').reverse().join(''), ...(supplierNumber !== null && { CodigoProveedor: supplierNumber }) };
    return ask(`${root}/${resource}.json`, query, latest, {
      read: supplierNumber === null ? read : (answer) => ofOneSupplier(read(answer)),
      ttlMs: dayTtlMs(day),
    });
  }

  return {
    openTenders: (latest) =>
      ask(`${root}/licitaciones.json`, { estado: 'activas' }, latest, { read: readTenderStubs, ttlMs: 15 * MINUTE_MS }),
    tenders: (day, supplierNumber, latest) => ofDay('licitaciones', day, supplierNumber, latest, readTenderStubs),
    tender: (code, latest) =>
      ask(`${root}/licitaciones.json`, { codigo: code }, latest, { read: (answer) => readTender(answer, code), ttlMs: HOUR_MS }),
    orderCodes: (day, supplierNumber, latest) => ofDay('ordenesdecompra', day, supplierNumber, latest, readOrderCodes),
    order: (code, latest) =>
      ask(`${root}/ordenesdecompra.json`, { codigo: code }, latest, { read: (answer) => readOrder(answer, code), ttlMs: HOUR_MS }),
    supplierNumbers: (rut, latest) =>
      ask(`${root.replace(/\/publico$/i, '')}/Publico/Empresas/BuscarProveedor`, { rutempresaproveedor: dottedRut(rut) }, latest, {
        read: readSupplierNumbers,
        ttlMs: 24 * HOUR_MS,
      }),
    health: () => http.health(),
    close: () => http.close(),
  };
}

const isEmpty = (answer: unknown): boolean => answer === null || (Array.isArray(answer) && answer.length === 0);

type Query = Readonly<Record<string, string>>;
type Reader<T> = (answer: HttpAnswer) => T;
interface Reading<T> {
  readonly read: Reader<T>;
  readonly ttlMs: number;
}

/** Formats a RUT as `NN.NNN.NNN-D`, the only format that the API supports. */
const dottedRut = (rut: string): string => formatRut(rut).padStart(12, '0');

function ofOneSupplier<T>(rows: readonly T[]): readonly T[] {
  if (rows.length <= MAX_PER_SUPPLIER) return rows;
  throw new HttpFailure('filter_ignored', `${rows.length} documents of one supplier on one day`);
}

/**
 * Maximum number of values of an answer. The orders of a day are one answer of some 40,000 values; this many are parsed within 50 ms of
 * the event loop.
 */
const MAX_VALUES = 75_000;

const MAX_CACHED_ANSWERS = 5_000;

/** Cache with one TTL per entry; the least recently used entry is evicted first. The caller of `get` must know the type of the entry. */
export interface AnswerCache {
  get<T>(name: string): { readonly answer: T } | undefined;
  set<T>(name: string, answer: T, forMs: number): T;
}

function createAnswerCache(now: Clock): AnswerCache {
  const cache = recent<string, { readonly answer: unknown; readonly until: number }>(MAX_CACHED_ANSWERS);
  return {
    get<T>(name: string) {
      const found = cache.get(name);
      return found && now() < found.until ? { answer: found.answer as T } : undefined;
    },
    set(name, answer, forMs) {
      cache.set(name, { answer, until: now() + forMs });
      return answer;
    },
  };
}

/**
 * Runs a task when no other runs. Callers get fair shares.
 * @throws AppError SOURCE_UNAVAILABLE if it cannot start by `latest` (`performance.now` time)
 */
type RunSerially = <T>(latest: number, question: () => Promise<T>) => Promise<T>;

/** Creates a queue with concurrency 1, since the API refuses concurrent requests on one ticket. */
function createSerialQueue(): RunSerially {
  const inSlot = createCallSlots(1);
  return <T>(latest: number, question: () => Promise<T>) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const answer = async () => {
      const answering = question();
      resolve(answering);
      await Promise.allSettled([answering]);
    };
    const leftMs = Math.max(0, Math.ceil(latest - performance.now()));
    inSlot(answer, AbortSignal.timeout(leftMs)).catch(() =>
      reject(sourceUnavailable('mercadopublico', 'too many questions before this one', 5)),
    );
    return promise;
  };
}
