import { sourceUnavailable } from '../../../../domain/errors.ts';
import { formatRut } from '../../../../domain/rut.ts';
import { type Clock, chileanDate, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../domain/time.ts';
import { type HttpAnswer, type HttpClient, HttpFailure, type HttpHealth } from '../../../../sources/http/client.ts';
import { createComplaints } from './envelope.ts';
import { createKeptAnswers } from './kept-answers.ts';
import { readOrder, readOrderCodes, readSupplierNumbers, type SupplierOrder } from './order.ts';
import { readTender, readTenderStubs, type Tender, type TenderStub } from './tender.ts';
import { createTurns } from './turns.ts';

/**
 * The API v1 of Mercado Público, on one ticket. Questions go one at a time; `latest` is when the caller must have its answer, of
 * `performance.now`. Days are ISO days of Chile.
 * Each throws AppError SOURCE_UNAVAILABLE.
 */
export interface MercadoPublicoApi {
  /** Every tender that is open now. */
  openTenders(latest: number): Promise<readonly TenderStub[]>;
  /** The tenders of a day: of the whole country, or those that a supplier has to do with. */
  tenders(day: string, supplierNumber: string | null, latest: number): Promise<readonly TenderStub[]>;
  /** Null where there is no such tender. */
  tender(code: string, latest: number): Promise<Tender | null>;
  /** Codes of a day's orders: of the whole country, or those to a supplier. */
  orderCodes(day: string, supplierNumber: string | null, latest: number): Promise<readonly string[]>;
  /** Null where there is no such order. */
  order(code: string, latest: number): Promise<SupplierOrder | null>;
  /** Bare RUT → numbers of companies that may be it. Never to be trusted: for a RUT it does not know the API names others. */
  supplierNumbers(rut: string, latest: number): Promise<readonly string[]>;
  health(): HttpHealth;
  close(): Promise<void>;
}

export interface ApiOptions {
  /** Address that ends in `…/publico`. */
  readonly base: string;
  /** Empty for none. Part of every address: never to be logged. */
  readonly ticket: string;
  readonly pauseMs: number;
  readonly http: HttpClient;
  readonly now: Clock;
}

/** A question cut off sooner would fail as if the provider had, and leave it at work on the ticket. */
const LEAST_MS = SECOND_MS / 2;

/** More documents of one supplier on one day mean that the filter was ignored and the whole country came. */
const MOST_OF_A_SUPPLIER = 1_000;

export function createApi({ base, ticket, pauseMs, http, now }: ApiOptions): MercadoPublicoApi {
  const inTurn = createTurns(pauseMs);
  const kept = createKeptAnswers(now);
  const complaints = createComplaints();
  const root = base.replace(/\/+$/, '');

  /** One question, unless its answer is known by the time its turn comes; that is kept `keepMs`, an absence for an hour at most. */
  async function ask<T>(address: string, query: Query, latest: number, { read, keepMs }: Reading<T>): Promise<T> {
    const url = new URL(address);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const name = url.href;
    if (ticket) url.searchParams.set('ticket', ticket);
    const known = kept.find<T>(name);
    if (known) return known.answer;
    return inTurn(latest, async () => {
      const meanwhile = kept.find<T>(name);
      if (meanwhile) return meanwhile.answer;
      const deadlineMs = latest - performance.now();
      if (deadlineMs < LEAST_MS) throw sourceUnavailable('mercadopublico', 'no time left when the turn came');
      const answer = await http.get(url, { deadlineMs, read: uncomplaining(read), explain: complaints.of });
      return kept.keep(name, answer, isNone(answer) ? Math.min(keepMs, HOUR_MS) : keepMs);
    });
  }

  const uncomplaining =
    <T>(read: Reader<T>): Reader<T> =>
    (answer) => {
      const complaint = complaints.of(answer);
      if (complaint) throw complaint;
      return read(answer);
    };

  /** A day that is over changes little; the one under way all the time. */
  const keepDayMs = (day: string): number => (day < chileanDate(now()) ? 24 * HOUR_MS : 15 * MINUTE_MS);

  function ofDay<T>(resource: string, day: string, supplierNumber: string | null, latest: number, read: Reader<readonly T[]>) {
    const query = { fecha: day.split('-').reverse().join(''), ...(supplierNumber !== null && { CodigoProveedor: supplierNumber }) };
    return ask(`${root}/${resource}.json`, query, latest, {
      read: supplierNumber === null ? read : (answer) => ofOneSupplier(read(answer)),
      keepMs: keepDayMs(day),
    });
  }

  return {
    openTenders: (latest) =>
      ask(`${root}/licitaciones.json`, { estado: 'activas' }, latest, { read: readTenderStubs, keepMs: 15 * MINUTE_MS }),
    tenders: (day, supplierNumber, latest) => ofDay('licitaciones', day, supplierNumber, latest, readTenderStubs),
    tender: (code, latest) =>
      ask(`${root}/licitaciones.json`, { codigo: code }, latest, { read: (answer) => readTender(answer, code), keepMs: HOUR_MS }),
    orderCodes: (day, supplierNumber, latest) => ofDay('ordenesdecompra', day, supplierNumber, latest, readOrderCodes),
    order: (code, latest) =>
      ask(`${root}/ordenesdecompra.json`, { codigo: code }, latest, { read: (answer) => readOrder(answer, code), keepMs: HOUR_MS }),
    supplierNumbers: (rut, latest) =>
      ask(`${root.replace(/\/publico$/i, '')}/Publico/Empresas/BuscarProveedor`, { rutempresaproveedor: dottedRut(rut) }, latest, {
        read: readSupplierNumbers,
        keepMs: 24 * HOUR_MS,
      }),
    health: () => http.health(),
    close: () => http.close(),
  };
}

const isNone = (answer: unknown): boolean => answer === null || (Array.isArray(answer) && answer.length === 0);

type Query = Readonly<Record<string, string>>;
type Reader<T> = (answer: HttpAnswer) => T;
interface Reading<T> {
  readonly read: Reader<T>;
  readonly keepMs: number;
}

/** `NN.NNN.NNN-D`: other spellings are an error, or nobody. */
const dottedRut = (rut: string): string => formatRut(rut).padStart(12, '0');

function ofOneSupplier<T>(rows: readonly T[]): readonly T[] {
  if (rows.length <= MOST_OF_A_SUPPLIER) return rows;
  throw new HttpFailure('filter_ignored', `${rows.length} documents of one supplier on one day`);
}
