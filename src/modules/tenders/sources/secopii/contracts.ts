import { z } from 'zod';
import { formatNit } from '../../../../domain/nit.ts';
import { HttpFailure } from '../../../../sources/http/client.ts';
import type { TenderOrder } from '../../domain.ts';
import { floating, link, money, quoted, type SodaQuestion, state, stated, text } from './soda.ts';

/** A row of the table of contracts, as far as it is told whose it is and what it counts for. */
export const contractId = z.object({ id_contrato: z.string().min(1), estado_contrato: state, documento_proveedor: z.string() });
type ContractId = z.infer<typeof contractId>;

/** A row, as far as we read it. Columns about people are never asked for. */
export const contractRow = contractId.extend({
  proceso_de_compra: text,
  objeto_del_contrato: text,
  descripcion_del_proceso: text,
  valor_del_contrato: money,
  fecha_de_firma: floating,
  nombre_entidad: text,
  nit_entidad: text,
  urlproceso: link,
});
type ContractRow = z.infer<typeof contractRow>;

/** Rows that one question brings: of whole contracts some 1 MB, of ids some 4 MB and more than any supplier has. */
export const CONTRACTS_KEPT = 1_000;
const CONTRACTS_COUNTED = 30_000;

/** Above this a value is a typing mistake of the portal. COP. */
const ABSURD_COP = 5_000_000_000_000;

/** Not contracts: not signed yet, or called off. */
const NOT_ORDERS = new Set(['borrador', 'enviado proveedor', 'cancelado']);

/** The contracts of a supplier under every spelling of its NIT, newest first after those without a date. */
export const contractsOf = (nit: string): SodaQuestion => ({
  table: 'jbjy-vk9h',
  select: Object.keys(contractRow.shape),
  where: [`documento_proveedor in(${nitSpellings(nit).map(quoted).join(',')})`],
  order: 'fecha_de_firma DESC,id_contrato DESC',
  limit: CONTRACTS_KEPT,
});

/** The same, as little of them as it takes to count them. */
export const contractIdsOf = (nit: string): SodaQuestion => ({
  ...contractsOf(nit),
  select: Object.keys(contractId.shape),
  order: 'id_contrato',
  limit: CONTRACTS_COUNTED,
});

/** How the portal writes a NIT: nine digits in nine of ten rows, else with its check digit, dash, dots or a left zero. */
function nitSpellings(nit: string): readonly string[] {
  const base = nit.slice(0, -1);
  return [base, nit, `${base}-${nit.slice(-1)}`, formatNit(nit), `0${base}`];
}

/**
 * True when a document is this NIT. Ten digits without a dash are a NIT and its check digit only when they begin with 8 or 9; any
 * other is the identity card of a person.
 */
function isNit(document: string, nit: string): boolean {
  const digits = document.replace(/[.\s-]/g, '').replace(/^0+/, '');
  return digits === nit.slice(0, -1) || (digits === nit && (/^[89]\d{9}$/.test(nit) || /-\s*\d$/.test(document)));
}

/**
 * The contracts of a supplier among the rows that came for it: no drafts, nothing cancelled, each once.
 * @throws HttpFailure when rows came and all of them are somebody else's: the question was not heeded
 */
export function contractsIn<R extends ContractId>(rows: readonly R[], nit: string): readonly R[] {
  const asked = new Set(nitSpellings(nit));
  const own = rows.filter(({ documento_proveedor }) => isNit(documento_proveedor, nit));
  if (own.length === 0 && rows.some(({ documento_proveedor }) => !asked.has(documento_proveedor))) {
    throw new HttpFailure('wrong_supplier', 'answered for another NIT');
  }
  const signed = own.filter(({ estado_contrato }) => !NOT_ORDERS.has(estado_contrato.trim().toLowerCase()));
  return [...new Map(signed.map((row) => [row.id_contrato, row])).values()];
}

export const isAbsurd = ({ valor_del_contrato: value }: ContractRow): boolean => (value ?? 0) > ABSURD_COP;

/** Newest first, those without a date last; of one day, the greatest code first. An absurd value is no value. */
export const toOrders = (contracts: readonly ContractRow[]): readonly TenderOrder[] => contracts.map(toOrder).sort(newestFirst);

const toOrder = (row: ContractRow): TenderOrder => ({
  code: row.id_contrato,
  name: stated(row.objeto_del_contrato) ?? stated(row.descripcion_del_proceso) ?? row.id_contrato,
  status: row.estado_contrato,
  total: row.valor_del_contrato == null || isAbsurd(row) ? null : { amount: row.valor_del_contrato, currency: 'COP' },
  date: row.fecha_de_firma?.slice(0, 10) ?? null,
  buyer: stated(row.nombre_entidad),
  buyerTaxId: stated(row.nit_entidad),
  tenderCode: stated(row.proceso_de_compra),
  supplierTaxId: row.documento_proveedor,
  url: row.urlproceso ?? null,
});

const newestFirst = (a: TenderOrder, b: TenderOrder): number => descending(a.date ?? '', b.date ?? '') || descending(a.code, b.code);

const descending = (a: string, b: string): number => (a < b ? 1 : Number(a > b) * -1);
