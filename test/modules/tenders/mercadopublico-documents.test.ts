import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readOrder,
  readOrderCodes,
  readSupplierNumbers,
  readTender,
  readTenderStubs,
} from '../../../src/modules/tenders/sources/mercadopublico/documents.ts';
import { currencyOf, legalPersonOf, localDay, localTime } from '../../../src/modules/tenders/sources/mercadopublico/values.ts';
import { companies, line, listing, orderJson, sample, stub, tenderJson } from './mercadopublico-support.ts';

const answer = (body: unknown, status = 200) => ({ status, text: typeof body === 'string' ? body : JSON.stringify(body) });
const tender = (change: object = {}) => readTender(answer(listing(tenderJson('1509-5-LE26', change))), '1509-5-LE26');
const order = (change: object = {}) => readOrder(answer(listing(orderJson('2097-241-SE26', change))), '2097-241-se26');
const lines = (...items: readonly object[]) => ({ Items: { Cantidad: items.length, Listado: items } });

describe('a tender of Mercado Público', () => {
  it('has one award per supplier with the sum of its lines and an ISO 4217 currency', () => {
    expect(tender()?.awards).toEqual([
      {
        supplier: 'CL:760125512',
        award: {
          code: '1509-5-LE26',
          name: 'Insumos Médicos',
          status: 'Adjudicada',
          total: { amount: 280.1, currency: 'CLF' },
          awardedAt: '2026-11-20T15:42:13',
          buyer: 'HOSPITAL DE NADIE',
          buyerTaxId: '61.608.006-7',
        },
      },
    ]);
  });

  it('has a notice with times in seconds, and the estimate only when it is visible', () => {
    expect(tender()?.notice).toMatchObject({
      description: 'Compra de insumos',
      closesAt: '2026-11-11T15:54:00',
      publishedAt: '2026-11-01T10:00:17',
      estimate: { amount: 1200.5, currency: 'CLF' },
      buyer: 'HOSPITAL DE NADIE',
    });
    expect(tender({ VisibilidadMonto: 0 })?.notice.estimate).toBeNull();
    expect(tender({ VisibilidadMonto: '1', MontoEstimado: null })?.notice.estimate).toBeNull();
  });

  it('uses the date of the award act when the tender has none, and the number of the state when it has no name', () => {
    const found = tender({ Estado: null, Fechas: { FechaPublicacion: null, FechaCierre: null, FechaAdjudicacion: null } });
    expect(found?.awards[0]?.award).toMatchObject({ awardedAt: '2026-11-19T00:00:00', status: 'Adjudicada' });
    expect(tender({ Estado: '', CodigoEstado: '17' })?.notice.status).toBe('Estado 17');
  });

  it('excludes names of officials and suppliers that are persons', () => {
    const found = tender(lines(line('12.345.678-5', 1, 10), line('AX-9912-B', 1, 10), line('76.012.551-2', 1, 10)));
    expect(found?.awards).toHaveLength(1);
    expect(JSON.stringify(found)).not.toMatch(/PRIVADA|12\.345/);
  });

  it.each(['9999999-9', '9.999.999-9', '00000000'])('excludes one repeated digit in the format of a RUT, typed for no RUT: %s', (rut) => {
    expect(tender(lines(line(rut, 1, 10), line('76.012.551-2', 1, 10)))?.awards).toHaveLength(1);
  });

  it('is null for the empty listing of the API', () => {
    expect(readTender(answer(listing()), '1-1-LE26')).toBeNull();
    expect(readOrder(answer(listing()), '1-1-SE26')).toBeNull();
  });

  it.each<[string, object]>([
    ['another tender', { CodigoExterno: '1-2-LE26' }],
    ['a line without word of its award', { Items: { Cantidad: 1, Listado: [{}] } }],
    ['fewer lines than it counts', { Items: { Cantidad: 2, Listado: [line('76.012.551-2', 1, 1)] } }],
    ['a currency nobody knows', { Moneda: 'XXX' }],
    ['a supplier whose RUT is wrong', lines(line('76.012.551-3', 1, 1))],
    ['a date in place of a RUT', lines(line('99/99/9999', 1, 1))],
    ['one repeated digit between slashes', lines(line('11/11/111', 1, 1))],
    ['one repeated digit with a blank', lines(line('0000 0000', 1, 1))],
    ['a number of lines that is empty', { Items: { Cantidad: '', Listado: [] } }],
    ['an empty quantity', lines({ Adjudicacion: { RutProveedor: '76.012.551-2', Cantidad: '', MontoUnitario: 10 } })],
    ['a price that is a list', lines({ Adjudicacion: { RutProveedor: '76.012.551-2', Cantidad: 1, MontoUnitario: [] } })],
    ['a state that is a truth value', { CodigoEstado: true }],
    ['an award without a price', lines({ Adjudicacion: { RutProveedor: '76.012.551-2', Cantidad: 1 } })],
    ['an award without a date', { Adjudicacion: null, Fechas: { FechaPublicacion: null, FechaCierre: null, FechaAdjudicacion: null } }],
    ['no buyer', { Comprador: null }],
  ])('UP-03 fails for %s', (_, change) => {
    expect(() => tender(change)).toThrow(expect.objectContaining({ name: 'HttpFailure' }));
  });
});

describe('an order of Mercado Público', () => {
  it('belongs to the supplier with the RUT of the branch', () => {
    expect(order()).toEqual({
      supplier: 'CL:762421925',
      order: {
        code: '2097-241-SE26',
        name: 'Insumos dentales',
        status: 'Aceptada',
        total: { amount: 41650, currency: 'CLP' },
        date: '2026-11-20',
        buyer: 'Hospital de Nadie',
        buyerTaxId: '61.602.209-1',
        tenderCode: '2097-165-L126',
        supplierTaxId: '76.242.192-5',
        url: 'https://www.mercadopublico.cl/PurchaseOrder/Modules/PO/DetailsPurchaseOrder.aspx?codigoOC=2097-241-SE26',
      },
    });
  });

  it('has no tender, no total and its creation date when the other fields are missing', () => {
    const Fechas = { FechaEnvio: null, FechaCreacion: '2026-11-19T09:00:01.96' };
    expect(order({ CodigoLicitacion: '', TipoMoneda: 'XXX', Fechas })?.order).toMatchObject({
      tenderCode: null,
      total: null,
      date: '2026-11-19',
    });
  });

  it('has no total when there is none, and fails for a total that is no number', () => {
    expect(order({ Total: null })?.order.total).toBeNull();
    for (const Total of ['', ' ', [], true, '9'.repeat(400)])
      expect(() => order({ Total })).toThrow(expect.objectContaining({ name: 'HttpFailure' }));
  });

  it('excludes names and RUTs of persons', () => {
    const found = order({ Proveedor: { RutSucursal: '12.345.678-5' } });
    expect(found).toMatchObject({ supplier: null, order: { supplierTaxId: null } });
    expect(JSON.stringify([found, order()])).not.toMatch(/PRIVADA|a@b|12\.345/);
  });

  it.each<[string, object]>([
    ['another order', { Codigo: '1-1-SE26' }],
    ['no RUT of a supplier', { Proveedor: { Codigo: '1316979', RutSucursal: '' } }],
    ['a date in place of a RUT', { Proveedor: { RutSucursal: '99/99/9999' } }],
    ['no state', { Estado: '' }],
    ['no total', { Total: 'mucho' }],
  ])('UP-03 fails for %s', (_, change) => {
    expect(() => order(change)).toThrow(expect.objectContaining({ name: 'HttpFailure' }));
  });
});

describe('lists of Mercado Público', () => {
  it('have title, name of the state and closing time, and the codes of orders and companies', () => {
    const rows = [stub('1-1-LE26'), stub('1-2-LE26', { CodigoEstado: '18', FechaCierre: null })];
    expect(readTenderStubs(answer(listing(...rows)))).toEqual([
      { code: '1-1-LE26', name: 'Adquisición de insumos clínicos 1-1-LE26', status: 'Publicada', closesAt: '2026-11-30T15:10:00' },
      { code: '1-2-LE26', name: 'Adquisición de insumos clínicos 1-2-LE26', status: 'Revocada', closesAt: null },
    ]);
    expect(readOrderCodes(answer(listing({ Codigo: 'a', Nombre: 'b', CodigoEstado: 4 })))).toEqual(['a']);
    expect(readSupplierNumbers(answer(companies('71284')))).toEqual(['71284']);
  });

  it.each<[string, unknown, number?]>([
    ['rows that do not add up', { ...listing(stub('1-1-LE26')), Cantidad: 2 }],
    ['no list', { Cantidad: 0 }],
    ['a row without a code', listing(stub(''))],
    ['a maintenance page', '<!doctype html><html></html>'],
    ['a status of its own', listing(), 404],
    ['nothing', ''],
  ])('UP-03 fail for %s', (_, body, status) => {
    expect(() => readTenderStubs(answer(body, status))).toThrow(expect.objectContaining({ name: 'HttpFailure' }));
  });
});

describe('the value formats of Mercado Público', () => {
  it('include local times with 0 to 7 decimals, and dates that mean null', () => {
    expect(['2014-02-02T23:58:56.63', '2026-10-10T14:27:53.6261063', '2024-01-30', '2024-01-30 09:36:28'].map(localTime)).toEqual([
      '2014-02-02T23:58:56',
      '2026-10-10T14:27:53',
      '2024-01-30T00:00:00',
      '2024-01-30T09:36:28',
    ]);
    expect(['2026-01-15T15:00:00Z', '2026-07-15T11:00:00-04:00'].map(localTime)).toEqual(['2026-01-15T12:00:00', '2026-07-15T11:00:00']);
    expect(['1900-01-01', '0001-01-01T00:00:00', '2024-02-30', 'NA', '', null, undefined].map(localTime)).toEqual(Array(7).fill(null));
    expect(['2014-02-02T23:58:56.63', '2026-01-15T00:00:00Z'].map(localDay)).toEqual(['2014-02-02', '2026-01-15']);
  });

  it('include codes, names and misspelled names of currencies', () => {
    expect(['CLP', 'Peso Chileno', 'Peso nhileno', 'UF', 'CLF', 'Unidad de Fomento'].map(currencyOf)).toEqual([
      'CLP',
      'CLP',
      'CLP',
      'CLF',
      'CLF',
      'CLF',
    ]);
    expect(['USD', 'Dólar Americano', 'EUR', 'Euro', 'UTM', 'Moneda revisar', 'Trueque', ''].map(currencyOf)).toEqual([
      'USD',
      'USD',
      'EUR',
      'EUR',
      'UTM',
      'UTM',
      null,
      null,
    ]);
  });

  it('include RUTs in several spellings', () => {
    expect(['76.242.192-5', '76242192-5', '076.242.192-5', '762421925'].map(legalPersonOf)).toEqual(Array(4).fill('CL:762421925'));
  });
});

describe('recorded documents', () => {
  it('have the expected awards of 1509-5-L114', () => {
    const expected = sample('mp_licitacion_detalle_1509-5-L114.expected.json');
    const found = readTender(answer(sample('mp_licitacion_detalle_1509-5-L114.json')), '1509-5-L114');
    expect(found?.awards.map(({ supplier, award }) => [supplier, award.total.amount, award.total.currency])).toEqual(
      expected.awards.map((one: { supplierRut: string; amount: number }) => [`CL:${one.supplierRut.replace('-', '')}`, one.amount, 'CLP']),
    );
    expect(found?.awards[0]?.award).toMatchObject({ buyer: expected.buyer.name, awardedAt: '2014-02-02T15:42:13' });
  });

  it('have the expected values of order 2097-241-SE14, a daily list, an empty list and an unknown RUT', () => {
    expect(readOrder(answer(sample('mp_oc_detalle_2097-241-SE14.json')), '2097-241-SE14')).toMatchObject({
      supplier: 'CL:762421925',
      order: {
        total: { amount: 41650, currency: 'CLP' },
        date: '2014-01-30',
        buyer: 'Hospital Arauco',
        tenderCode: '2097-165-L113',
        status: 'Aceptada',
      },
    });
    expect(readOrderCodes(answer(sample('mp_oc_listado_dia.json')))).toEqual(['1816-1026-CM17', '1816-1028-CM17', '3265-837-SE17']);
    expect(readOrderCodes(answer(sample('mp_listado_vacio.json')))).toEqual([]);
    expect(readSupplierNumbers(answer(sample('mp_buscar_proveedor_ok.json')))).toEqual(['71284']);
    expect(readSupplierNumbers(answer(sample('mp_buscar_proveedor_rut_inexistente_99999999-9.json')))).toHaveLength(2);
  });

  it.each(['.830.090-9', '830.090-9', '8300909', '76.830.090-9A'])('UP-03 fail with the damaged supplier RUT %s', (cut) => {
    const text = JSON.stringify(sample('mp_licitacion_detalle_1509-5-L114.json')).replace('76.830.090-9', cut);
    expect(text).toContain(`"${cut}"`);
    expect(() => readTender(answer(text), '1509-5-L114')).toThrow(expect.objectContaining({ name: 'HttpFailure' }));
  });

  it('UP-03 with a random cut keep all four awards or fail', () => {
    const text = JSON.stringify(sample('mp_licitacion_detalle_1509-5-L114.json'));
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.nat(40), (start, length) => {
        const cut = text.slice(0, start) + text.slice(start + length + 1);
        try {
          const found = readTender(answer(cut), '1509-5-L114');
          expect(found?.awards.length).toBe(4);
        } catch (error) {
          expect(error).toMatchObject({ name: 'HttpFailure' });
        }
      }),
      { numRuns: 500 },
    );
  });
});
