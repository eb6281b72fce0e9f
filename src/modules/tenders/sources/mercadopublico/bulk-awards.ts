import { folded } from '../../../../domain/text.ts';
import { Legibility } from '../../../../sources/registry/csv-table.ts';
import { type ListFile, ListFileError } from '../../../../sources/registry/list-file.ts';
import type { IndexRow } from '../../store.ts';
import { amountOf, bulkRows, cellAt, ILLEGIBLE } from './bulk-table.ts';
import { currencyOf, isBrokenRut, legalPersonOf, localTime, money } from './values.ts';

const NEEDED = {
  code: 'CodigoExterno',
  supplier: 'RutProveedor',
  selected: 'Oferta seleccionada',
  amount: 'MontoLineaAdjudica',
  awarded: 'FechaAdjudicacion',
  buyerTaxId: 'RutUnidad',
};
/** The currency stands in up to three columns; one of them must be there. */
const OPTIONAL = {
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
  const selections = new Legibility(NEEDED.selected, ILLEGIBLE);
  const suppliers = new Legibility(NEEDED.supplier, ILLEGIBLE);
  const amounts = new Legibility(NEEDED.amount, ILLEGIBLE);
  const won = new Map<string, Award>();
  for await (const { row, at } of bulkRows(file, NEEDED, OPTIONAL)) {
    if (at.offerCurrency < 0 && at.currencyCode < 0 && at.tenderCurrency < 0) throw new ListFileError('no column states a currency');
    const selected = SELECTED[folded(cellAt(row, at.selected) ?? 'no')];
    selections.note(selected !== undefined);
    const awardedAt = localTime(cellAt(row, at.awarded));
    const code = cellAt(row, at.code);
    const amount = amountOf(cellAt(row, at.amount));
    if (!selected || code === null || awardedAt === null || amount === null) continue;
    const rut = cellAt(row, at.supplier) ?? '';
    const currency = [at.offerCurrency, at.currencyCode, at.tenderCurrency]
      .map((place) => currencyOf(cellAt(row, place) ?? ''))
      .find((one) => one !== null);
    const supplier = legalPersonOf(rut);
    const key = `${code} ${supplier}`;
    const award = won.get(key)?.award;
    // A tender has one currency: a second one is a cell gone wrong.
    const legible = currency !== undefined && !Number.isNaN(amount) && (award === undefined || award.total.currency === currency);
    suppliers.note(!isBrokenRut(rut));
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
