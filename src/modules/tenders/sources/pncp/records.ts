import { z } from 'zod';
import { mapTexts, repaired } from '../../../../domain/encoding.ts';
import { maskCpfs } from '../../../../domain/personal-ids.ts';
import { cnpjRoot, isProblem, readCnpj } from '../../../../domain/tax-id.ts';
import { withoutTrailing } from '../../../../domain/text.ts';
import { BRASILIA_OFFSET_MS, brazilianDate, isIsoDate, localDayIn, localTimeIn } from '../../../../domain/time.ts';
import { type HttpAnswer, HttpFailure, parseJson } from '../../../../sources/http/failure.ts';
import { rowsOf } from '../../../../sources/http/rows.ts';
import type { TenderNotice, TenderOrder } from '../../domain.ts';
import type { IndexRow } from '../../store.ts';

/** A page of a list. Pages are counted from 1. */
export interface PncpPage<T> {
  readonly records: readonly T[];
  /** Current numbers of records and pages of the whole list, as the portal counts them. */
  readonly total: number;
  readonly pages: number;
}

/** A list of the consultation API. Days are inclusive; `filters` have the names of the API. */
export interface PncpList {
  readonly path: 'contratos' | 'contratacoes/publicacao';
  /** ISO days. */
  readonly from: string;
  readonly to: string;
  readonly filters?: Readonly<Record<string, string>>;
  /** Size of a page, at most 500 for contracts and 50 for procurements. */
  readonly pageSize: number;
}

export function pageUrl(base: string, { path, from, to, filters = {}, pageSize }: PncpList, page: number): URL {
  const url = new URL(`${withoutTrailing(base, '/')}/api/consulta/v1/${path}`);
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

/** Creates the schema of a page of records. It should be called once per type, because zod compiles every schema. */
export const pageOf = <T>(record: z.ZodType<T>): z.ZodType<Envelope<T>> =>
  z.object({ data: rowsOf(record), totalRegistros: z.int(), totalPaginas: z.int() });

const NONE = { records: [], total: 0, pages: 0 };

/** Message of a 422 that the portal also returns for valid dates. */
const SPURIOUS = /365 dias|Data Inicial deve ser anterior/i;

/**
 * Reads a page of a list; a 204 without a body or an empty list means no records.
 * @throws HttpFailure for any other response; retryable for a refusal of the dates, which the portal also sends for valid dates
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
  return { records: mapTexts(data, repaired), total: totalRegistros, pages: totalPaginas };
}

/** A public body, as every record names it. */
export const body = z.object({ cnpj: z.string(), razaoSocial: z.string() });

/** Brasília time without an offset: `2026-02-10T10:03:15`. A time with an offset is converted, and one without seconds has 0. */
export const moment = z.string().transform((text, context) => {
  const time = localTimeIn('BR', text);
  if (time === null) context.addIssue('not a time');
  return time ?? '';
});

/** First year of a deadline. An earlier one, such as `0001-01-01T00:00:00`, and `0000-00-00` mean "none". */
const FIRST_YEAR = '2000';

/** A deadline: null for none. One without a time is the end of its day. */
const deadline = z
  .union([
    moment,
    z
      .string()
      .regex(/^(?:\d{4}-\d\d-\d\d)?$/)
      .transform((date) => `${date}T23:59:59`),
  ])
  .transform((time) => (isIsoDate(time.slice(0, 10)) && time >= FIRST_YEAR ? time : null))
  .nullish();

/** The fields of a procurement that we read. */
const procurement = z.object({
  numeroControlePNCP: z.string().min(1),
  anoCompra: z.int(),
  sequencialCompra: z.int(),
  objetoCompra: z.string().nullable(),
  informacaoComplementar: z.string().nullish(),
  /** `Divulgada no PNCP` for nearly all notices, also after the deadline; see `noticeAt`. */
  situacaoCompraNome: z.string().min(1),
  dataPublicacaoPncp: moment,
  dataEncerramentoProposta: deadline,
  /** BRL; 0 if secret or unknown. */
  valorTotalEstimado: z.number().nullish(),
  orgaoEntidade: body,
});

function toNotice(record: z.infer<typeof procurement>): TenderNotice {
  const { orgaoEntidade: buyer, anoCompra, sequencialCompra } = record;
  return {
    code: record.numeroControlePNCP,
    name: maskCpfs(record.objetoCompra?.trim() || record.numeroControlePNCP),
    description: maskCpfs(record.informacaoComplementar?.trim() ?? '') || null,
    status: record.situacaoCompraNome.trim(),
    closesAt: record.dataEncerramentoProposta ?? null,
    publishedAt: record.dataPublicacaoPncp,
    estimate: record.valorTotalEstimado ? { amount: record.valorTotalEstimado, currency: 'BRL' } : null,
    buyer: maskCpfs(buyer.razaoSocial.trim()),
    buyerTaxId: buyer.cnpj,
    url: `https://pncp.gov.br/app/editais/${buyer.cnpj}/${anoCompra}/${sequencialCompra}`,
  };
}

/** The state of a notice that was published and is neither revoked, annulled nor suspended. */
const PUBLISHED = /^(?:divulgad|publicad)[ao]\b/i;

/**
 * Replaces the state of a published notice by its status at a moment: PNCP does not state that the deadline has passed.
 * @param now epoch ms
 */
export function noticeAt(notice: TenderNotice, now: number): TenderNotice {
  if (!PUBLISHED.test(notice.status)) return notice;
  const local = new Date(now + BRASILIA_OFFSET_MS).toISOString().slice(0, 19);
  return { ...notice, status: notice.closesAt !== null && notice.closesAt <= local ? 'cerrada' : 'publicada' };
}

export const noticePage = pageOf(procurement.transform(toNotice));

/** The fields of a contract that we read. It has no status. */
const contract = z.object({
  numeroControlePNCP: z.string().min(1),
  numeroControlePncpCompra: z.string().nullish(),
  anoContrato: z.int(),
  sequencialContrato: z.int(),
  objetoContrato: z.string().nullable(),
  /** True for an income contract, in which the supplier pays. */
  receita: z.boolean().nullable(),
  /** `PJ` a company, `PF` a person, `PE` from abroad. */
  tipoPessoa: z.string().nullable(),
  /** A number for some records in JSON, so that left zeros are lost. */
  niFornecedor: z.union([z.string(), z.int()]).nullable(),
  orgaoEntidade: body,
  valorGlobal: z.number().nullable(),
  dataAssinatura: z.string().nullable(),
  dataVigenciaFim: z.string().nullable(),
});
export type Contract = z.infer<typeof contract>;
export const contractPage = pageOf(contract);

/** Returns the bare CNPJ of a supplier; null for a person, a foreign supplier or an invalid number. */
function companyOf({ tipoPessoa, niFornecedor }: Contract): string | null {
  const cnpj = tipoPessoa === 'PJ' ? readCnpj(String(niFornecedor ?? '')) : null;
  return cnpj === null || isProblem(cnpj) ? null : cnpj;
}

/** True if the supplier is a person, foreign, or has a valid CNPJ. */
export const isLegible = (record: Contract): boolean => /^P[FE]$/.test(record.tipoPessoa ?? '') || companyOf(record) !== null;

/**
 * Maps a contract to its row of the index, under the root of the supplier's CNPJ; null for an income contract and for a supplier that is
 * not a Brazilian company. The status of the row is the end day of the contract: see `orderAt`.
 */
export function toIndexRow(record: Contract): IndexRow | null {
  const cnpj = companyOf(record);
  if (record.receita || cnpj === null) return null;
  const { orgaoEntidade: buyer, anoContrato, sequencialContrato } = record;
  const order: TenderOrder = {
    code: record.numeroControlePNCP,
    name: maskCpfs(record.objetoContrato?.trim() || record.numeroControlePNCP),
    status: day(record.dataVigenciaFim) ?? '',
    total: record.valorGlobal === null ? null : { amount: record.valorGlobal, currency: 'BRL' },
    date: day(record.dataAssinatura),
    buyer: maskCpfs(buyer.razaoSocial.trim()),
    buyerTaxId: buyer.cnpj,
    tenderCode: record.numeroControlePncpCompra ?? null,
    supplierTaxId: cnpj,
    url: `https://pncp.gov.br/app/contratos/${buyer.cnpj}/${anoContrato}/${sequencialContrato}`,
  };
  return { kind: 'order', supplier: `BR:${cnpjRoot(cnpj)}`, order };
}

/** Returns the day of a date or of a time; null for another text. */
function day(text: string | null): string | null {
  const date = localDayIn('BR', text ?? '') ?? text ?? '';
  return isIsoDate(date) ? date : null;
}

/**
 * Replaces the end day of an order by its status at a moment: PNCP has no status.
 * @param now epoch ms
 */
export const orderAt = (order: TenderOrder, now: number): TenderOrder => ({
  ...order,
  status: order.status === '' ? 'vigência não informada' : order.status >= brazilianDate(now) ? 'vigente' : 'encerrado',
});
