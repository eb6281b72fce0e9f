import { z } from 'zod';
import { formatNit } from '../../../../domain/tax-id.ts';
import { groupedByThousands } from '../../../../domain/text.ts';
import { HttpFailure } from '../../../../sources/http/failure.ts';
import { floating, floatingDay, link, money, quoted, type SodaQuery, state, stated, text } from '../../../../sources/socrata/soda.ts';
import type { TenderNotice, TenderOrder, TenderSearch } from '../../domain.ts';

/** The fields of a contract that identify it and its supplier. */
export const contractId = z.object({
  id_contrato: z.string().min(1),
  estado_contrato: state,
  documento_proveedor: z.union([z.string(), z.int().transform(String)]),
});
type ContractId = z.infer<typeof contractId>;

/** The columns of a contract that we read. Columns about people are not requested. */
export const contractRow = contractId.extend({
  proceso_de_compra: text,
  objeto_del_contrato: text,
  descripcion_del_proceso: text,
  valor_del_contrato: money,
  fecha_de_firma: floatingDay,
  nombre_entidad: text,
  nit_entidad: text,
  urlproceso: link,
});
type ContractRow = z.infer<typeof contractRow>;

/** Maximum numbers of rows per query. 1,000 complete contracts are some 1 MB; 30,000 ids are some 4 MB and more than any supplier has. */
export const CONTRACTS_KEPT = 1_000;
const CONTRACTS_COUNTED = 30_000;

/** Values from this amount on are typing errors of the portal. COP. */
const ABSURD_COP = 5_000_000_000_000;

/** States of contracts that are not signed yet, or cancelled. */
const NOT_ORDERS = new Set(['borrador', 'enviado proveedor', 'cancelado']);

/** Query for a supplier's contracts under the spellings of its NIT: those without a date first, then newest first. */
export const contractsOf = (nit: string): SodaQuery => ({
  table: 'jbjy-vk9h',
  select: Object.keys(contractRow.shape),
  where: [`documento_proveedor in(${nitSpellings(nit).map(quoted).join(',')})`],
  order: 'fecha_de_firma DESC,id_contrato DESC',
  limit: CONTRACTS_KEPT,
});

/** Query for the ids of a supplier's contracts, to count them. */
export const contractIdsOf = (nit: string): SodaQuery => ({
  ...contractsOf(nit),
  select: Object.keys(contractId.shape),
  order: 'id_contrato',
  limit: CONTRACTS_COUNTED,
});

/** Usual spellings of a NIT in the portal: nine digits in 90 % of the rows, else with check digit, dash, dots or a leading zero. */
function usualSpellings(nit: string): readonly string[] {
  const base = nit.slice(0, -1);
  return [base, nit, `${base}-${nit.slice(-1)}`, formatNit(nit), `0${base}`];
}

/** Texts before and after a number that was typed by hand. */
const BEFORE = [
  '0',
  '00',
  ' ',
  'NIT ',
  'NIT',
  'NIT.',
  'NIT. ',
  'NIT: ',
  'NIT:',
  'NIT-',
  'Nit ',
  'Nit. ',
  'Nit: ',
  'nit ',
  'N.I.T. ',
  'NIT No. ',
  'NIT No ',
  'NIT N° ',
  'NIT # ',
];
const AFTER = [' ', '.', '-', ',', '.0'];

/**
 * Spellings of a NIT that was typed by hand: with points, blanks, commas or dashes, with and without the check digit, with a label. The
 * spellings are enumerated, because the portal compares whole values in half a second and patterns in half a minute.
 */
function nitSpellings(nit: string): readonly string[] {
  const [base, digit] = [nit.slice(0, -1), nit.slice(-1)];
  const dotted = groupedByThousands(base);
  const grouped = [dotted, ...[' ', ',', '-'].map((between) => dotted.replaceAll('.', between))];
  const withDigit = (text: string) => ['-', ' - ', '- ', ' -', ' ', '.', '/'].map((between) => `${text}${between}${digit}`);
  const main = [base, nit, `${base}-${digit}`, dotted, `${dotted}-${digit}`];
  const decorated = main.flatMap((text) => [...BEFORE.map((before) => `${before}${text}`), ...AFTER.map((after) => `${text}${after}`)]);
  const all = [...usualSpellings(nit), ...[base, ...grouped].flatMap((text) => [text, ...withDigit(text)]), groupedByThousands(nit)];
  return [...new Set([...all, ...decorated])];
}

/**
 * True if a document is this NIT. Ten digits without a separate last one are a NIT with check digit only if they begin with 8 or 9; others are
 * a person's identity card.
 */
function isNit(document: string, nit: string): boolean {
  const digits = document
    .replace(LABEL, '')
    .replace(/\.0$/, '')
    .replace(/[\s.,:/-]/g, '')
    .replace(/^0+/, '');
  return digits === nit.slice(0, -1) || (digits === nit && (/^[89]\d{9}$/.test(nit) || /\d\s*-\s*\d\W*$/.test(document)));
}

const LABEL = /^\s*N\.?I\.?T\.?\s?(?:N(?:[o.º°]{1,3}|ro\.?|[uú]m(?:ero)?\.?)|#)?/i;

/** True for a text in the form of a document of any kind: five digits or more, or `No Definido` and the like. An empty text is damaged. */
const isDocument = (text: string): boolean =>
  stated(text) === null
    ? text.trim() !== ''
    : /^[A-ZÚ\d.:/\s#º°-]{5,30}$/i.test(text.replace(GROUPING, '')) && text.replace(/\D/g, '').length >= 5;

/** Commas between thousands and at the end of a number. `9,01E+08` is damaged. */
const GROUPING = /,(?=\d{3}(?!\d)|\s{0,9}$)/g;

/**
 * Selects a supplier's contracts from the rows of its query: without drafts, cancelled ones and duplicates.
 * @throws HttpFailure if all rows belong to other suppliers, because the portal ignored the query; or if a document is damaged
 */
export function contractsIn<R extends ContractId>(rows: readonly R[], nit: string): readonly R[] {
  const requested = new Set(nitSpellings(nit));
  const own = rows.filter(({ documento_proveedor }) => isNit(documento_proveedor, nit));
  if (rows.some(({ documento_proveedor: document }) => !isDocument(document))) throw new HttpFailure('unknown_shape', 'a damaged document');
  if (own.length === 0 && rows.some(({ documento_proveedor }) => !requested.has(documento_proveedor))) {
    throw new HttpFailure('wrong_supplier', 'answered for another NIT');
  }
  const signed = own.filter(({ estado_contrato }) => !NOT_ORDERS.has(estado_contrato.trim().toLowerCase()));
  return [...new Map(signed.map((row) => [row.id_contrato, row])).values()];
}

/** A name under which a supplier has contracts, and the date on which it signed the newest of them. */
export const nameRow = contractId.pick({ documento_proveedor: true }).extend({ proveedor_adjudicado: text, firmado: floating });
type NameRow = z.infer<typeof nameRow>;

/** Suppliers per query for names: their NITs in the usual spellings are 5 kB of URL. */
export const NAMES_PER_QUERY = 50;
/** Rows per query for names: 20 for each usual spelling of a NIT. Few suppliers have more than two. */
const NAMES_KEPT = 5_000;

/** Query for the names of suppliers under the usual spellings of their NITs. */
export const namesOf = (nits: readonly string[]): SodaQuery => ({
  table: 'jbjy-vk9h',
  select: ['documento_proveedor', 'proveedor_adjudicado', 'max(fecha_de_firma) AS firmado'],
  where: [`documento_proveedor in(${nits.flatMap(usualSpellings).map(quoted).join(',')})`],
  group: ['documento_proveedor', 'proveedor_adjudicado'],
  order: 'documento_proveedor,proveedor_adjudicado',
  limit: NAMES_KEPT,
});

/**
 * Selects the name of each supplier from the rows of its query: the name on its newest contract. Suppliers without a name are omitted.
 * @throws HttpFailure if a row belongs to a supplier that was not requested, because the portal ignored the query
 */
export function namesIn(rows: readonly NameRow[], nits: readonly string[]): ReadonlyMap<string, string> {
  const requested = new Map(nits.flatMap((nit) => usualSpellings(nit).map((spelling) => [spelling, nit])));
  const names = new Map<string, string>();
  for (const { documento_proveedor: document, proveedor_adjudicado } of rows.toSorted(oldestFirst)) {
    const nit = requested.get(document);
    if (nit === undefined) throw new HttpFailure('wrong_supplier', 'answered for another NIT');
    const name = stated(proveedor_adjudicado);
    if (name !== null && isNit(document, nit)) names.set(nit, name);
  }
  return names;
}

const oldestFirst = (a: NameRow, b: NameRow): number =>
  descending(b.firmado ?? '', a.firmado ?? '') || descending(b.proveedor_adjudicado ?? '', a.proveedor_adjudicado ?? '');

export const isAbsurd = ({ valor_del_contrato: value }: ContractRow): boolean => (value ?? 0) > ABSURD_COP;

/** Maps contracts to orders: newest first, undated last, equal dates by code descending. An absurd value becomes null. */
export const toOrders = (contracts: readonly ContractRow[]): readonly TenderOrder[] => contracts.map(toOrder).sort(newestFirst);

const toOrder = (row: ContractRow): TenderOrder => ({
  code: row.id_contrato,
  name: stated(row.objeto_del_contrato) ?? stated(row.descripcion_del_proceso) ?? row.id_contrato,
  status: row.estado_contrato,
  total: row.valor_del_contrato == null || isAbsurd(row) ? null : { amount: row.valor_del_contrato, currency: 'COP' },
  date: row.fecha_de_firma ?? null,
  buyer: stated(row.nombre_entidad),
  buyerTaxId: stated(row.nit_entidad),
  tenderCode: stated(row.proceso_de_compra),
  supplierTaxId: row.documento_proveedor,
  url: row.urlproceso ?? null,
});

const newestFirst = (a: TenderOrder, b: TenderOrder): number => descending(a.date ?? '', b.date ?? '') || descending(a.code, b.code);

const descending = (a: string, b: string): number => (a < b ? 1 : Number(a > b) * -1);

/** The columns of a procedure that we read. */
export const procedureRow = z.object({
  id_del_proceso: z.string().min(1),
  estado_del_procedimiento: state,
  referencia_del_proceso: text,
  nombre_del_procedimiento: text,
  descripci_n_del_procedimiento: text,
  fecha_de_publicacion_del: floating,
  fecha_de_recepcion_de: floating,
  precio_base: money,
  entidad: text,
  nit_entidad: text,
  urlproceso: link,
});
type ProcedureRow = z.infer<typeof procedureRow>;

/** Query for the procedures with every word, published in the date range, newest first. The portal matches words in any column. */
export const proceduresLike = ({ keyword, from, to }: TenderSearch, limit: number): SodaQuery => ({
  table: 'p6dx-8zbt',
  select: Object.keys(procedureRow.shape),
  where: [
    'fecha_de_publicacion_del IS NOT NULL', // nulls would come first
    ...(from ? [`fecha_de_publicacion_del >= ${quoted(`${from}T00:00:00.000`)}`] : []),
    ...(to ? [`fecha_de_publicacion_del <= ${quoted(`${to}T23:59:59.999`)}`] : []),
  ],
  words: keyword ?? undefined,
  order: 'fecha_de_publicacion_del DESC,id_del_proceso DESC',
  limit,
});

/** Maps rows to notices in order, without duplicates. */
export const toNotices = (rows: readonly ProcedureRow[]): readonly TenderNotice[] =>
  [...new Map(rows.map((row) => [row.id_del_proceso, row])).values()].map(toNotice);

const toNotice = (row: ProcedureRow): TenderNotice => ({
  code: row.id_del_proceso,
  name: stated(row.nombre_del_procedimiento) ?? stated(row.referencia_del_proceso) ?? row.id_del_proceso,
  description: stated(row.descripci_n_del_procedimiento),
  status: row.estado_del_procedimiento,
  closesAt: row.fecha_de_recepcion_de ?? null,
  publishedAt: row.fecha_de_publicacion_del ?? null,
  estimate: row.precio_base ? { amount: row.precio_base, currency: 'COP' } : null,
  buyer: stated(row.entidad),
  buyerTaxId: stated(row.nit_entidad),
  url: row.urlproceso ?? null,
});
