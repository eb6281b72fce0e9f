import { folded } from '../../../../domain/text.ts';
import { columnName, Legibility } from '../../../../sources/registry/csv-table.ts';
import { type ListFile, ListFileError } from '../../../../sources/registry/list-file.ts';
import type { TenderOrder } from '../../domain.ts';
import type { IndexRow } from '../../store.ts';
import { currencyOf, isInvalidRut, legalPersonOf, localDay, localTime, money, orderPage } from './values.ts';

/**
 * What the monthly files have in common: `;`, every cell quoted, line breaks in cells, decimal commas, `NA` for an empty cell. Some
 * rows in a hundred thousand hold a quote that is not doubled.
 */

/** Share of the rows that may be malformed, and of the cells that may be unreadable. */
const MALFORMED = 0.001;
export const ILLEGIBLE = 0.01;

/** Our names of columns → how the file may call each. */
type Columns = Readonly<Record<string, string>>;

/** RecordCursor of each column in a row; -1 for an optional one that is missing. */
type ColumnIndexes<N extends Columns, O extends Columns> = Readonly<Record<keyof N | keyof O, number>>;

/**
 * The rows of a monthly file, as they stand, and where the columns are in them.
 * @throws ListFileError for a file without rows or a needed column, and while reading for one that is cut or mostly malformed
 */
export async function* bulkRows<N extends Columns, O extends Columns>(
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

/** A cell; null for an empty one, also where the column is missing. */
export function cellAt(row: readonly string[], index: number): string | null {
  const text = row[index];
  return text === undefined || text === '' || text === 'NA' ? null : text;
}

/** `279,8`, `3,5e+07` → number; null for an empty cell, NaN for one that is no number. */
export function amountOf(cell: string | null): number | null {
  if (cell === null) return null;
  return /^-?\d+([.,]\d+)?(e[+-]?\d+)?$/i.test(cell) ? Number(cell.replace(',', '.')) : Number.NaN;
}

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
 * A month of purchase orders, `oc-da/2026-9.zip`: one row per line of an order, its totals repeated on each, the lines anywhere. Gives
 * each order once, with its gross total in its own currency. Orders to people are left behind.
 * @throws ListFileError for another table, and for suppliers or amounts that are mostly unreadable
 */
export async function* readBulkOrders(file: ListFile): AsyncGenerator<IndexRow> {
  const suppliers = new Legibility(ORDER_COLUMNS.supplier, ILLEGIBLE);
  const amounts = new Legibility(ORDER_COLUMNS.amount, ILLEGIBLE);
  const seen = new Set<string>();
  for await (const { row, at } of bulkRows(file, ORDER_COLUMNS, OPTIONAL_ORDER_COLUMNS)) {
    const code = cellAt(row, at.code);
    if (code === null || seen.has(code)) continue;
    seen.add(code);
    const rut = cellAt(row, at.supplier) ?? '';
    const amount = amountOf(cellAt(row, at.amount));
    const currency = currencyOf(cellAt(row, at.currency) ?? '');
    suppliers.note(!isInvalidRut(rut));
    amounts.note(amount === null || (!Number.isNaN(amount) && currency !== null));
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
  suppliers.settle();
  amounts.settle();
}

const AWARD_COLUMNS = {
  code: 'CodigoExterno',
  supplier: 'RutProveedor',
  selected: 'Oferta seleccionada',
  amount: 'MontoLineaAdjudica',
  awarded: 'FechaAdjudicacion',
  buyerTaxId: 'RutUnidad',
};
/** The currency stands in up to three columns; one of them must be there. */
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
 * A month of tenders, by their publication, `lic-da/2026-9.zip`: one row per line and offer. Gives what each supplier won in each
 * tender: the sum of its selected offers. Offers without a date of award are not awarded yet. People are left behind.
 * @throws ListFileError for another table, and for cells that are mostly unreadable
 */
export async function* readBulkAwards(file: ListFile): AsyncGenerator<IndexRow> {
  const selections = new Legibility(AWARD_COLUMNS.selected, ILLEGIBLE);
  const suppliers = new Legibility(AWARD_COLUMNS.supplier, ILLEGIBLE);
  const amounts = new Legibility(AWARD_COLUMNS.amount, ILLEGIBLE);
  const won = new Map<string, Award>();
  for await (const { row, at } of bulkRows(file, AWARD_COLUMNS, OPTIONAL_AWARD_COLUMNS)) {
    if (at.offerCurrency < 0 && at.currencyCode < 0 && at.tenderCurrency < 0) throw new ListFileError('no column states a currency');
    const selected = SELECTED[folded(cellAt(row, at.selected) ?? 'no')];
    selections.note(selected !== undefined);
    const awardedAt = localTime(cellAt(row, at.awarded));
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
    // A tender has one currency: a second one is a cell gone wrong.
    const legible = currency !== undefined && !Number.isNaN(amount) && (award === undefined || award.total.currency === currency);
    suppliers.note(!isInvalidRut(rut));
    amounts.note(legible);
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
  for (const legibility of [selections, suppliers, amounts]) legibility.settle();
  yield* won.values();
}
