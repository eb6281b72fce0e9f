import { z } from 'zod';
import { type HttpAnswer, HttpFailure, parseJson } from '../../../../sources/http/client.ts';

/** A page of a list, pages counted from 1. */
export interface PncpPage<T> {
  readonly records: readonly T[];
  /** Records and pages of the whole list, as the portal counts them at this moment. */
  readonly total: number;
  readonly pages: number;
}

/** A list of the consultation API: days both included, `filters` as the API names them. */
export interface PncpList {
  readonly path: 'contratos' | 'contratacoes/publicacao';
  /** ISO days. */
  readonly from: string;
  readonly to: string;
  readonly filters?: Readonly<Record<string, string>>;
  /** 500 at most for contracts, 50 for procurements. */
  readonly pageSize: number;
}

export function pageUrl(base: string, { path, from, to, filters = {}, pageSize }: PncpList, page: number): URL {
  const url = new URL(`${base.replace(/\/+$/, '')}/api/consulta/v1/${path}`);
  const query = { dataInicial: compact(from), dataFinal: compact(to), ...filters, pagina: page, tamanhoPagina: pageSize };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url;
}

const compact = (day: string): string => day.replaceAll('-', '');

interface Envelope<T> {
  readonly data: readonly T[];
  readonly totalRegistros: number;
  readonly totalPaginas: number;
}

/** The schema of a page of such records. To be made once: a new schema is compiled anew. */
export const pageOf = <T>(record: z.ZodType<T>): z.ZodType<Envelope<T>> =>
  z.object({ data: z.array(record), totalRegistros: z.int(), totalPaginas: z.int() });

const NONE = { records: [], total: 0, pages: 0 };

/** What the portal says of right dates too, at times. */
const SPURIOUS = /365 dias|Data Inicial deve ser anterior/i;

/**
 * One answer of a list → its page; none is a 204 without a body or an empty list.
 * @throws HttpFailure for everything else; a refusal of the dates is worth a second try, because it comes of right dates too
 */
export function readPage<T>({ status, text }: HttpAnswer, page: z.ZodType<Envelope<T>>): PncpPage<T> {
  if (status === 204 && text === '') return NONE;
  if (status !== 200) {
    const retryable = status === 422 && SPURIOUS.test(text);
    throw new HttpFailure(`status_${status}`, `answered ${status}`, { retryable });
  }
  const got = page.safeParse(parseJson(text));
  if (!got.success) throw new HttpFailure('unknown_shape', z.prettifyError(got.error));
  const { data, totalRegistros, totalPaginas } = got.data;
  return { records: data, total: totalRegistros, pages: totalPaginas };
}

/** A public body, as every record names it. */
export const body = z.object({ cnpj: z.string(), razaoSocial: z.string() });

/** Brasília time without an offset: `2026-02-10T10:03:15`. */
export const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)
  .transform((time) => time.slice(0, 19));
