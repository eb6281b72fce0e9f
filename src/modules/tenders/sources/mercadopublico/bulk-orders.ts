import { Legibility } from '../../../../sources/registry/csv-table.ts';
import type { ListFile } from '../../../../sources/registry/list-file.ts';
import type { TenderOrder } from '../../domain.ts';
import type { IndexRow } from '../../store.ts';
import { amountOf, bulkRows, cellAt, ILLEGIBLE } from './bulk-table.ts';
import { currencyOf, isBrokenRut, legalPersonOf, localDay, money, orderPage } from './values.ts';

const NEEDED = {
  code: 'Codigo',
  status: 'Estado',
  supplier: 'RutSucursal',
  buyer: 'OrganismoPublico',
  buyerTaxId: 'RutUnidadCompra',
  amount: 'MontoTotalOC',
  currency: 'TipoMonedaOC',
  sent: 'FechaEnvio',
};
const OPTIONAL = { name: 'Nombre', created: 'FechaCreacion', tender: 'CodigoLicitacion' };

/**
 * A month of purchase orders, `oc-da/2026-9.zip`: one row per line of an order, its totals repeated on each, the lines anywhere. Gives
 * each order once, with its gross total in its own currency. Orders to people are left behind.
 * @throws ListFileError for another table, and for suppliers or amounts that are mostly unreadable
 */
export async function* readBulkOrders(file: ListFile): AsyncGenerator<IndexRow> {
  const suppliers = new Legibility(NEEDED.supplier, ILLEGIBLE);
  const amounts = new Legibility(NEEDED.amount, ILLEGIBLE);
  const seen = new Set<string>();
  for await (const { row, at } of bulkRows(file, NEEDED, OPTIONAL)) {
    const code = cellAt(row, at.code);
    if (code === null || seen.has(code)) continue;
    seen.add(code);
    const rut = cellAt(row, at.supplier) ?? '';
    const amount = amountOf(cellAt(row, at.amount));
    const currency = currencyOf(cellAt(row, at.currency) ?? '');
    suppliers.note(!isBrokenRut(rut));
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
