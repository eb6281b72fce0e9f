import { z } from 'zod';
import type { TenderNotice, TenderSearch } from '../../domain.ts';
import { floating, link, money, quoted, type SodaQuestion, state, stated, text } from './soda.ts';

/** A row of the table of procedures, as far as we read it. */
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

/** The procedures that hold every word, published in these days, newest first. The portal matches words in any column. */
export const proceduresLike = ({ keyword, from, to }: TenderSearch, limit: number): SodaQuestion => ({
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

/** Rows → notices, in their order; a procedure that comes twice counts once. */
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
