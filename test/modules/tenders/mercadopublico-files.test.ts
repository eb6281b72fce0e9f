import { describe, expect, it } from 'vitest';
import { readBulkAwards, readBulkOrders } from '../../../src/modules/tenders/sources/mercadopublico/bulk-rows.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { type Bytes, collect, listFileOf } from '../../support/files.ts';
import { sampleBytes } from '../../support/samples.ts';
import { csvOf, offerRow, orderRow, type Row, without } from './mercadopublico-csv.ts';

const orders = async (content: Bytes) => collect(readBulkOrders(await listFileOf({ '2026-11.csv': content })));
const awards = async (content: Bytes) => collect(readBulkAwards(await listFileOf({ 'lic_2026-11.csv': content })));
const ordersOf = (...rows: readonly Row[]) => orders(csvOf(...rows));
const awardsOf = (...rows: readonly Row[]) => awards(csvOf(...rows));
const many = (count: number, row: (i: number) => Row) => Array.from({ length: count }, (_, i) => row(i));

describe('a month of orders', () => {
  it('returns each order once when its lines are not adjacent, with the total of a line', async () => {
    const found = await ordersOf(orderRow(), orderRow({ Codigo: '1-1-SE26' }), orderRow({ EspecificacionComprador: 'Otra; "línea"' }));
    expect(found.map((row) => row.kind === 'order' && row.order.code)).toEqual(['2097-241-SE26', '1-1-SE26']);
    expect(found[0]).toEqual({
      kind: 'order',
      supplier: 'CL:762421925',
      order: {
        code: '2097-241-SE26',
        name: 'Insumos dentales',
        status: 'Aceptada',
        total: { amount: 41650, currency: 'CLP' },
        date: '2026-11-20',
        buyer: 'Hospital de Ñadie',
        buyerTaxId: '61.602.209-1',
        tenderCode: '2097-165-L126',
        supplierTaxId: '76.242.192-5',
        url: 'https://www.mercadopublico.cl/PurchaseOrder/Modules/PO/DetailsPurchaseOrder.aspx?codigoOC=2097-241-SE26',
      },
    });
  });

  it.each([
    ['279,8', 'CLF', { amount: 279.8, currency: 'CLF' }],
    ['3,5e+07', 'CLP', { amount: 35_000_000, currency: 'CLP' }],
    ['6e+07', 'USD', { amount: 60_000_000, currency: 'USD' }],
    ['12.5', 'UTM', { amount: 12.5, currency: 'UTM' }],
    ['NA', 'CLP', null],
  ])('reads the amount %s %s', async (amount, currency, total) => {
    expect(await ordersOf(orderRow({ MontoTotalOC: amount, TipoMonedaOC: currency }))).toMatchObject([{ order: { total } }]);
  });

  it('reads `NA` and 1900-01-01 as null, and accepts a missing optional column', async () => {
    const bare = without(orderRow({ CodigoLicitacion: 'NA', FechaEnvio: '1900-01-01' }), 'Nombre');
    expect(await ordersOf(bare)).toMatchObject([{ order: { name: '2097-241-SE26', tenderCode: null, date: null } }]);
  });

  it('excludes persons, and assigns suppliers with several spellings of the RUT', async () => {
    const rut = ['12.345.678-5', '76242192-5', '76.242.192-5'];
    const found = await ordersOf(...rut.map((RutSucursal, i) => orderRow({ Codigo: `1-${i}-SE26`, RutSucursal })));
    expect(found.map(({ supplier }) => supplier)).toEqual(['CL:762421925', 'CL:762421925']);
    expect(JSON.stringify(found)).not.toContain('12.345');
  });

  it('UP-05 reads a byte that Windows-1252 does not define, and UTF-8', async () => {
    const rows = [orderRow({ Nombre: 'Amplificación \u0081 – ‘evento’' })];
    expect(await orders(csvOf(...rows))).toMatchObject([{ order: { name: 'Amplificación \u0081 – ‘evento’' } }]);
    const utf8 = Buffer.from(`"${Object.keys(orderRow()).join('";"')}"\n"${Object.values(orderRow()).join('";"')}"\n`);
    expect(await orders(utf8)).toMatchObject([{ order: { buyer: 'Hospital de Ñadie' } }]);
  });

  it('skips one row in 3,000 with wrong quotes, and rejects a file with a larger share', async () => {
    const good = csvOf(...many(3_000, (i) => orderRow({ Codigo: `1-${i}-SE26` })));
    const bad = Buffer.from('"1";"9-9-SE26";"Tubo 3" acero;\r\n');
    expect((await orders(Buffer.concat([good, bad, csvOf(orderRow({ Codigo: 'last' }))]))).length).toBeGreaterThanOrEqual(2_999);
    await expect(orders(Buffer.concat([csvOf(orderRow()), bad, csvOf(orderRow())]))).rejects.toThrow(ListFileError);
  });

  it.each<[string, Bytes]>([
    ['another table', csvOf({ id: '1', nombre: 'otra tabla' })],
    ['a column under another name', csvOf(without(orderRow(), 'RutSucursal'))],
    ['a table without rows', csvOf(orderRow()).subarray(0, csvOf(orderRow()).indexOf('\r\n'))],
    ['an end in mid-row', csvOf(...many(2_000, (i) => orderRow({ Codigo: `1-${i}-SE26` }))).subarray(0, -30)],
    ['suppliers that are none', csvOf(...many(20, (i) => orderRow({ Codigo: `1-${i}-SE26`, RutSucursal: '76.242.192-4' })))],
    ['amounts that are too large for a number', csvOf(orderRow({ MontoTotalOC: '9'.repeat(400) }))],
    ['amounts that are none', csvOf(...many(20, (i) => orderRow({ Codigo: `1-${i}-SE26`, MontoTotalOC: 'mucho' })))],
    ['currencies that are none', csvOf(...many(20, (i) => orderRow({ Codigo: `1-${i}-SE26`, TipoMonedaOC: 'X' })))],
    ['a page', '<!doctype html><html></html>'],
  ])('UP-03 rejects %s', async (_, content) => {
    await expect(orders(content)).rejects.toThrow(ListFileError);
  });

  it('returns the expected orders of the sample with real columns', async () => {
    const found = await orders(sampleBytes('chile-colombia/mp_bulk_oc-da_columns_subset.sample.csv'));
    expect(
      found.map((row) => row.kind === 'order' && [row.supplier, row.order.code, row.order.total, row.order.status, row.order.tenderCode]),
    ).toEqual([
      ['CL:762421925', '2097-241-SE24', { amount: 41650, currency: 'CLP' }, 'Aceptada', '2097-165-L123'],
      ['CL:995418908', '2667-10-SE24', { amount: 279.8, currency: 'CLF' }, 'Recepción Conforme', null],
      ['CL:768990018', '4052-7-AG24', { amount: 119000, currency: 'CLP' }, 'Cancelada', null],
    ]);
  });
});

describe('a month of tenders', () => {
  it('returns the sum of the selected offers of each supplier in a tender', async () => {
    const found = await awardsOf(
      offerRow(),
      offerRow({ RutProveedor: '76.830.090-9', MontoLineaAdjudica: '10' }),
      offerRow({ 'Oferta seleccionada': 'No Seleccionada', MontoLineaAdjudica: '999' }),
      offerRow({ RutProveedor: '76012551-2', MontoLineaAdjudica: '0,3' }),
    );
    expect(found).toEqual([
      {
        kind: 'award',
        supplier: 'CL:760125512',
        award: {
          code: '1509-5-LE26',
          name: 'Insumos médicos',
          status: 'Adjudicada',
          total: { amount: 280.1, currency: 'CLF' },
          awardedAt: '2026-11-20T00:00:00',
          buyer: 'Hospital de Ñadie',
          buyerTaxId: '61.608.006-7',
        },
      },
      expect.objectContaining({ supplier: 'CL:768300909', award: expect.objectContaining({ total: { amount: 10, currency: 'CLF' } }) }),
    ]);
  });

  it('UP-03 rejects dates of award that are none: without its date, an award would count as not awarded', async () => {
    await expect(awardsOf(offerRow({ FechaAdjudicacion: '2026-11-2?' }))).rejects.toThrow(ListFileError);
    expect(await awardsOf(offerRow({ FechaAdjudicacion: '1900-01-01' }), offerRow({ FechaAdjudicacion: 'NA' }))).toEqual([]);
  });

  it('reads the currency from several columns, and fails without any', async () => {
    const bare = without(offerRow(), 'Moneda de la Oferta', 'Nombre', 'Estado', 'NombreOrganismo');
    expect(await awardsOf({ ...bare, CodigoMoneda: 'USD' })).toMatchObject([
      { award: { total: { currency: 'USD' }, name: '1509-5-LE26' } },
    ]);
    expect(await awardsOf({ ...offerRow({ 'Moneda de la Oferta': 'NA' }), 'Moneda Adquisición': 'Peso nhileno' })).toMatchObject([
      { award: { total: { currency: 'CLP' } } },
    ]);
    await expect(awardsOf(bare)).rejects.toThrow(ListFileError);
  });

  it('excludes persons, offers that are not awarded and lines without an amount', async () => {
    const found = await awardsOf(
      offerRow({ RutProveedor: '12.345.678-5' }),
      offerRow({ FechaAdjudicacion: '1900-01-01' }),
      offerRow({ MontoLineaAdjudica: 'NA' }),
      offerRow({ CodigoExterno: 'NA' }),
      offerRow({ 'Oferta seleccionada': 'NA' }),
    );
    expect(found).toEqual([]);
  });

  it.each<[string, readonly Row[]]>([
    ['a column under another name', [without(offerRow(), 'RutProveedor')]],
    ['selections that are none', many(20, () => offerRow({ 'Oferta seleccionada': 'Adjudicada a medias' }))],
    ['suppliers that are none', many(20, () => offerRow({ RutProveedor: '76.012.551-3' }))],
    ['amounts that are none', many(20, () => offerRow({ MontoLineaAdjudica: 'x' }))],
    ['a tender in two currencies', [offerRow(), offerRow({ 'Moneda de la Oferta': 'Euro' })]],
  ])('UP-03 rejects %s', async (_, rows) => {
    await expect(awardsOf(...rows)).rejects.toThrow(ListFileError);
  });
});
