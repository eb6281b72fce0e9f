import { folded } from '../../../../domain/text.ts';
import { ColumnErrors, columnName } from '../../../../sources/registry/csv-table.ts';
import { type ListFile, ListFileError } from '../../../../sources/registry/list-file.ts';
import type { TenderOrder } from '../../domain.ts';
import type { IndexRow } from '../../store.ts';
import { currencyOf, isInvalidRut, legalPersonOf, localDay, localTime, money, orderPage } from './values.ts';

/**
 * Readers of the monthly files. Common format: `;`, every cell quoted, line breaks in cells, decimal commas, `NA` for an empty cell.
 * A few rows in 100,000 contain an unescaped quote.
 */

/** Maximum share of malformed rows. */
const MALFORMED = 0.001;
const ILLEGIBLE = 0.01;

/** Maps our column names to those of the file. */
type Columns = Readonly<Record<string, string>>;

/** Index of each column in a row; -1 for a missing optional one. */
type ColumnIndexes<N extends Columns, O extends Columns> = Readonly<Record<keyof N | keyof O, number>>;

/**
 * Streams the raw rows of a monthly file, with the indexes of its columns.
 * @throws ListFileError for a file without rows or a needed column, and for a truncated or mostly malformed one
 */
async function* bulkRows<N extends Columns, O extends Columns>(
  file: ListFile,
  needed: N,
  optional: O,
): AsyncGenerator<{ readonly row: readonly string[]; readonly at: ColumnIndexes<N, O> }> {
  let at: ColumnIndexes<N, O> | null = null;
  let rows = 0;
  for await (const row of file.rows({ delimiter: ';', tolerated: MALFORMED })) {
    if (at) {
      rows += 1;
      yield { row, at };
    } else at = indexColumns(row, needed, optional);
  }
  if (rows === 0) throw new ListFileError('the file has no rows');
}

function indexColumns<N extends Columns, O extends Columns>(header: readonly string[], needed: N, optional: O): ColumnIndexes<N, O> {
  const names = header.map(columnName);
  const indexes = Object.entries({ ...optional, ...needed }).map(([ours, theirs]) => {
    const index = names.indexOf(columnName(theirs));
    if (ours in needed && (index < 0 || index !== names.lastIndexOf(columnName(theirs))))
      throw new ListFileError(`column ${theirs} is missing or doubled`);
    return [ours, index] as const;
  });
  return Object.fromEntries(indexes) as ColumnIndexes<N, O>;
}

/** Returns a cell; null for an empty one or a missing column. */
export function cellAt(row: readonly string[], index: number): string | null {
  const text = row[index];
  return text === undefined || text === '' || text === 'NA' ? null : text;
}

/** Parses `279,8`, `3,5e+07`; null for an empty cell, NaN for an invalid number. */
function amountOf(cell: string | null): number | null {
  if (cell === null) return null;
  const amount = /^-?\d+([.,]\d+)?(e[+-]?\d+)?$/i.test(cell) ? Number(cell.replace(',', '.')) : Number.NaN;
  return Number.isFinite(amount) ? amount : Number.NaN;
}

/** A date before 1990 stands for "no date". */
const NO_DATE = /^(?:0|1[0-8]|19[0-8])\d+-\d\d-\d\d/;

const ORDER_COLUMNS = {
  code: 'Codigo',
  status: 'Estado',
  supplier: 'RutSucursal',
  buyer: 'OrganismoPublico',
  buyerTaxId: 'RutUnidadCompra',
  amount: 'MontoTotalOC',
  currency: 'TipoMonedaOC',
  sent: 'FechaEnvio',
};
const OPTIONAL_ORDER_COLUMNS = { name: 'Nombre', created: 'FechaCreacion', tender: 'CodigoLicitacion' };

/**
 * Reads a month of purchase orders, `oc-da/2026-9.zip`: one row per line, each with the order's totals; lines are not adjacent. Yields
 * each order once, with its gross total in its own currency. Orders to people are dropped.
 * @throws ListFileError for another table, and for suppliers or amounts that are mostly unreadable
 */
export async function* readBulkOrders(file: ListFile): AsyncGenerator<IndexRow> {
  const suppliers = new ColumnErrors(ORDER_COLUMNS.supplier, ILLEGIBLE);
  const amounts = new ColumnErrors(ORDER_COLUMNS.amount, ILLEGIBLE);
  const seen = new Set<string>();
  for await (const { row, at } of bulkRows(file, ORDER_COLUMNS, OPTIONAL_ORDER_COLUMNS)) {
    const code = cellAt(row, at.code);
    if (code === null || seen.has(code)) continue;
    seen.add(code);
    const rut = cellAt(row, at.supplier) ?? '';
    const amount = amountOf(cellAt(row, at.amount));
    const currency = currencyOf(cellAt(row, at.currency) ?? '');
    suppliers.add(!isInvalidRut(rut));
    amounts.add(amount === null || (!Number.isNaN(amount) && currency !== null));
    const supplier = legalPersonOf(rut);
    if (supplier === null) continue;
    const total = amount === null || Number.isNaN(amount) || currency === null ? null : money(amount, currency);
    const order: TenderOrder = {
      code,
      name: cellAt(row, at.name) ?? code,
      status: cellAt(row, at.status) ?? '',
      total,
      date: localDay(cellAt(row, at.sent)) ?? localDay(cellAt(row, at.created)),
      buyer: cellAt(row, at.buyer),
      buyerTaxId: cellAt(row, at.buyerTaxId),
      tenderCode: cellAt(row, at.tender),
      supplierTaxId: rut,
      url: orderPage(code),
    };
    yield { kind: 'order', supplier, order };
  }
  suppliers.assertFew();
  amounts.assertFew();
}

const AWARD_COLUMNS = {
  code: 'CodigoExterno',
  supplier: 'RutProveedor',
  selected: 'Oferta seleccionada',
  amount: 'MontoLineaAdjudica',
  awarded: 'FechaAdjudicacion',
  buyerTaxId: 'RutUnidad',
};
/** The currency is in up to three columns; at least one must exist. */
const OPTIONAL_AWARD_COLUMNS = {
  name: 'Nombre',
  status: 'Estado',
  buyer: 'NombreOrganismo',
  offerCurrency: 'Moneda de la Oferta',
  currencyCode: 'CodigoMoneda',
  tenderCurrency: 'Moneda Adquisicion',
};

const SELECTED: Readonly<Record<string, boolean>> = {
  seleccionada: true,
  si: true,
  '1': true,
  'no seleccionada': false,
  no: false,
  '0': false,
};

type Award = Extract<IndexRow, { kind: 'award' }>;

/**
 * Reads a month of tenders by publication, `lic-da/2026-9.zip`: one row per line and offer. Yields the sum of each supplier's
 * selected offers per tender. Offers without an award date are not awarded yet. People are dropped.
 * @throws ListFileError for another table, and for cells that are mostly unreadable
 */
export async function* readBulkAwards(file: ListFile): AsyncGenerator<IndexRow> {
  const selections = new ColumnErrors(AWARD_COLUMNS.selected, ILLEGIBLE);
  const suppliers = new ColumnErrors(AWARD_COLUMNS.supplier, ILLEGIBLE);
  const amounts = new ColumnErrors(AWARD_COLUMNS.amount, ILLEGIBLE);
  const dates = new ColumnErrors(AWARD_COLUMNS.awarded, ILLEGIBLE);
  const won = new Map<string, Award>();
  for await (const { row, at } of bulkRows(file, AWARD_COLUMNS, OPTIONAL_AWARD_COLUMNS)) {
    if (at.offerCurrency < 0 && at.currencyCode < 0 && at.tenderCurrency < 0) throw new ListFileError('no column states a currency');
    const selected = SELECTED[folded(cellAt(row, at.selected) ?? 'no')];
    selections.add(selected !== undefined);
    const awarded = cellAt(row, at.awarded);
    const awardedAt = localTime(awarded);
    dates.add(awardedAt !== null || awarded === null || NO_DATE.test(awarded));
    const code = cellAt(row, at.code);
    const amount = amountOf(cellAt(row, at.amount));
    if (!selected || code === null || awardedAt === null || amount === null) continue;
    const rut = cellAt(row, at.supplier) ?? '';
    const currency = [at.offerCurrency, at.currencyCode, at.tenderCurrency]
      .map((index) => currencyOf(cellAt(row, index) ?? ''))
      .find((one) => one !== null);
    const supplier = legalPersonOf(rut);
    const key = `${code} ${supplier}`;
    const award = won.get(key)?.award;
    // A tender has one currency: a second one is an invalid cell.
    const legible = currency !== undefined && !Number.isNaN(amount) && (award === undefined || award.total.currency === currency);
    suppliers.add(!isInvalidRut(rut));
    amounts.add(legible);
    if (supplier === null || !legible) continue;
    const head = award ?? {
      code,
      name: cellAt(row, at.name) ?? code,
      status: cellAt(row, at.status) ?? 'Adjudicada',
      awardedAt,
      buyer: cellAt(row, at.buyer) ?? '',
      buyerTaxId: cellAt(row, at.buyerTaxId) ?? '',
    };
    won.set(key, { kind: 'award', supplier, award: { ...head, total: money((award?.total.amount ?? 0) + amount, currency) } });
  }
  for (const column of [selections, suppliers, amounts, dates]) column.assertFew();
  yield* won.values();
}
