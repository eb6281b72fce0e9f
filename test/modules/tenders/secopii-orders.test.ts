import { describe, expect, it } from 'vitest';
import { parseCompanyKey } from '../../../src/domain/company.ts';
import { secopii } from '../../../src/modules/tenders/sources/secopii/secopii.ts';
import { sampleJson } from '../../support/samples.ts';
import { type Reply, upstream } from '../../support/upstream.ts';
import { built } from './built.ts';

const NIT = '900.964.705-5';
const key = parseCompanyKey('CO', NIT);

const row = (change: Readonly<Record<string, unknown>> = {}) => ({
  id_contrato: 'CO1.PCCNTR.1',
  estado_contrato: 'En ejecución',
  documento_proveedor: '900964705',
  proceso_de_compra: 'CO1.BDOS.9',
  objeto_del_contrato: 'MANTENIMIENTO DE VÍAS',
  valor_del_contrato: '99999999.5',
  fecha_de_firma: '2022-12-27T17:12:41.000',
  nombre_entidad: 'DEPARTAMENTO DE PRUEBA',
  nit_entidad: '890299999',
  urlproceso: { url: 'https://community.secop.gov.co/Public/Index?noticeUID=CO1.NTC.1' },
  ...change,
});
/** Returns the orders of a supplier for these rows of the portal. */
const ordersOf = async (...rows: readonly object[]) => {
  const portal = await upstream(() => ({ body: rows }));
  return built(secopii, { url: portal.url }).orders(key);
};
const unavailable = { code: 'SOURCE_UNAVAILABLE', facts: { source: 'secopii' } };

/** Spellings of one NIT that the portal holds, and of the kinds that people type. */
const SPELLINGS = [
  ...['900964705', '9009647055', '900964705-5', '0900964705', '900964705 - 5', '900964705 5', '900964705- 5', '900964705.5'],
  ...['900.964.705', '900.964.705-5', '900.964.705 - 5', '9.009.647.055', '900 964 705', '900 964 705-5', '900 964 705 5', '900,964,705'],
  ...['900-964-705', '900-964-705-5'],
  ...['900964705.', '900964705 ', ' 900964705', '900964705-', '900.964.705-5 ', '00900964705', '0900964705-5', '900964705-5.'],
  ...['NIT 900964705', 'NIT 900964705-5', 'NIT. 900.964.705-5', 'NIT: 900964705', 'NIT900964705', 'Nit 900.964.705', 'N.I.T. 900964705'],
  ...['NIT No. 900964705', 'NIT No 900.964.705-5', 'NIT N° 900964705-5', 'NIT # 900964705', '900964705.0', '900.964.705-5.0'],
];

describe('a supplier’s contracts of SECOP II', () => {
  // https://github.com/agrom1978/EXTRACTOR_SECOP_v1.2.14.1_release_kit (VERIFICACION_INTEGRIDAD_CAMPOS.md): numbers are typed by hand.
  it('are found under every usual spelling by a portal that compares whole values, and the answer says which were asked', async () => {
    const rows = SPELLINGS.map((documento_proveedor, i) => row({ id_contrato: `C${i}`, documento_proveedor }));
    const portal = await upstream((asked) => {
      const where = new URL(asked, 'http://portal').searchParams.get('$where') ?? '';
      return { body: rows.filter(({ documento_proveedor }) => where.includes(`'${documento_proveedor}'`)) };
    });
    const { total, coverage } = await built(secopii, { url: portal.url }).orders(key);
    expect(total).toBe(SPELLINGS.length);
    expect(coverage).toContain('The NIT was searched as digits, with points, blanks, commas or dashes, with and without its check digit');
  });

  it('are read from rows of texts', async () => {
    expect(await ordersOf(row())).toEqual({
      orders: [
        {
          code: 'CO1.PCCNTR.1',
          name: 'MANTENIMIENTO DE VÍAS',
          status: 'En ejecución',
          total: { amount: 99999999.5, currency: 'COP' },
          date: '2022-12-27',
          buyer: 'DEPARTAMENTO DE PRUEBA',
          buyerTaxId: '890299999',
          tenderCode: 'CO1.BDOS.9',
          supplierTaxId: '900964705',
          url: 'https://community.secop.gov.co/Public/Index?noticeUID=CO1.NTC.1',
        },
      ],
      total: 1,
      coverage: expect.stringContaining('consortia'),
      sentences: expect.any(Array),
    });
  });

  it('are requested with every spelling of the NIT, newest first, without columns about persons', async () => {
    const portal = await upstream(() => ({ body: [] }));
    await built(secopii, { url: `${portal.url}/` }).orders(key);
    const { pathname, searchParams } = new URL(portal.asked[0] ?? '', portal.url);
    expect(pathname).toBe('/jbjy-vk9h.json');
    const [, values = ''] = /^documento_proveedor in\((.*)\)$/.exec(searchParams.get('$where') ?? '') ?? [];
    expect(values.split(/(?<='),(?=')/)).toEqual(expect.arrayContaining(SPELLINGS.map((spelling) => `'${spelling}'`)));
    expect(portal.asked[0]?.length).toBeLessThan(6_000); // servers refuse longer ones
    expect(searchParams.get('$order')).toBe('fecha_de_firma DESC,id_contrato DESC');
    expect(searchParams.get('$select')).not.toMatch(/representante|domicilio|genero/);
    expect(portal.asked).toHaveLength(1);
  });

  it('are empty for an answer without rows', async () => {
    expect(await ordersOf()).toMatchObject({ orders: [], total: 0 });
  });

  it.each(SPELLINGS)('are matched by the document "%s"', async (document) => {
    expect(await ordersOf(row({ documento_proveedor: document }))).toMatchObject({ orders: [{ supplierTaxId: document }] });
  });

  it('are matched by a document that is a number in JSON, or has a word that is not asked', async () => {
    for (const documento_proveedor of [900_964_705, 9_009_647_055, 'NIT Nº 900964705', 'NIT número 900964705-5'])
      expect(await ordersOf(row({ documento_proveedor }))).toMatchObject({ total: 1 });
  });

  it('exclude a person whose identity card has the digits of a NIT', async () => {
    const card = parseCompanyKey('CO', '109488870');
    const portal = await upstream(() => ({ body: [row({ documento_proveedor: card.taxId })] }));
    expect(await built(secopii, { url: portal.url }).orders(card)).toMatchObject({ orders: [], total: 0 });
  });

  it('UP-03 fail when all rows belong to another supplier', async () => {
    await expect(ordersOf(row({ documento_proveedor: '900964706' }))).rejects.toMatchObject(unavailable);
    expect(await ordersOf(row({ documento_proveedor: '900964706' }), row({ id_contrato: 'CO1.PCCNTR.2' }))).toMatchObject({
      orders: [{ code: 'CO1.PCCNTR.2' }],
    });
  });

  it('UP-03 fail when the document of a row is damaged: the row may be the supplier’s', async () => {
    for (const documento_proveedor of ['', ' ', '???', '9', '9,01E+08', 'XXXXXXXXX', '900964705'.repeat(300)])
      await expect(ordersOf(row({}), row({ id_contrato: 'CO1.PCCNTR.2', documento_proveedor }))).rejects.toMatchObject(unavailable);
    const valor_del_contrato = '9'.repeat(400);
    await expect(ordersOf(row({ valor_del_contrato }))).rejects.toMatchObject(unavailable);
  });

  it('exclude drafts and cancelled contracts in any letter case, and count a repeated row once', async () => {
    const states = ['Borrador', 'enviado Proveedor', 'CANCELADO', 'terminado', 'cedido'];
    const rows = states.map((estado_contrato, i) => row({ id_contrato: `C${i}`, estado_contrato }));
    const { orders, total } = await ordersOf(...rows, rows[3] ?? {});
    expect([orders.map(({ status }) => status), total]).toEqual([['cedido', 'terminado'], 2]);
  });

  it('are sorted newest first, those without a date last', async () => {
    const dated = (id_contrato: string, fecha_de_firma?: string) => row({ id_contrato, fecha_de_firma });
    const { orders } = await ordersOf(
      dated('A'),
      dated('B', '2025-01-02T00:00:00.000'),
      dated('C', '2026-01-02T00:00:00.000'),
      dated('D', '2025-01-02T08:00:00.000'),
    );
    expect(orders.map(({ code, date }) => [code, date])).toEqual([
      ['C', '2026-01-02'],
      ['D', '2025-01-02'],
      ['B', '2025-01-02'],
      ['A', null],
    ]);
  });

  it('have null for missing and undefined values, and accept a link that is text', async () => {
    const bare = { id_contrato: 'CO1.PCCNTR.7', estado_contrato: 'Activo', documento_proveedor: '900964705' };
    const silent = row({
      id_contrato: 'CO1.PCCNTR.8',
      proceso_de_compra: 'No Definido',
      urlproceso: 'https://example.co/x',
      objeto_del_contrato: '  ',
    });
    const { orders } = await ordersOf(bare, silent, row({ id_contrato: 'CO1.PCCNTR.6', urlproceso: { url: 'javascript:alert(1)' } }));
    expect(orders.find(({ code }) => code.endsWith('7'))).toEqual({
      code: 'CO1.PCCNTR.7',
      name: 'CO1.PCCNTR.7',
      status: 'Activo',
      total: null,
      date: null,
      buyer: null,
      buyerTaxId: null,
      tenderCode: null,
      supplierTaxId: '900964705',
      url: null,
    });
    expect(orders.find(({ code }) => code.endsWith('8'))).toMatchObject({
      name: 'CO1.PCCNTR.8',
      tenderCode: null,
      url: 'https://example.co/x',
    });
    expect(orders.find(({ code }) => code.endsWith('6'))).toMatchObject({ url: null });
  });

  it('have no total for an implausible value, and report that', async () => {
    const { orders, coverage } = await ordersOf(
      row({ valor_del_contrato: '5000000000001' }),
      row({ id_contrato: 'CO1.PCCNTR.2', valor_del_contrato: '0' }),
    );
    expect(orders.map(({ total }) => total)).toEqual([{ amount: 0, currency: 'COP' }, null]);
    expect(coverage).toContain('Without a total, because the value printed cannot be right: CO1.PCCNTR.1.');
  });

  it('are limited to 1,000, with the count of all', async () => {
    const many = Array.from({ length: 1_000 }, (_, i) => row({ id_contrato: `CO1.PCCNTR.${i}` }));
    const ids = Array.from({ length: 1_234 }, (_, i) => ({
      id_contrato: `CO1.PCCNTR.${i}`,
      estado_contrato: i === 0 ? 'Borrador' : 'terminado',
      documento_proveedor: '900964705',
    }));
    const portal = await upstream((_, nth) => ({ body: nth === 1 ? many : ids }));
    const { orders, total, coverage } = await built(secopii, { url: portal.url }).orders(key);
    expect([orders.length, total]).toEqual([1_000, 1_233]);
    expect(coverage).toContain('Of 1233 contracts only the newest 1000 are given.');
    expect(new URL(portal.asked[1] ?? '', portal.url).searchParams.get('$select')).toBe('id_contrato,estado_contrato,documento_proveedor');
  });

  it('are requested with the token, which is not logged', async () => {
    const tokens: unknown[] = [];
    const portal = await upstream(() => (request, response) => {
      tokens.push(request.headers['x-app-token']);
      response
        .writeHead(403, { 'content-type': 'application/json' })
        .end('{"code":"permission_denied","message":"Invalid app_token specified"}');
    });
    const source = built(secopii, { url: portal.url, settings: { QUIPU_SECOP_APP_TOKEN: 'TokenOfTwentyFiveLetters1' } });
    await expect(source.orders(key)).rejects.toMatchObject(unavailable);
    expect(tokens).toEqual(['TokenOfTwentyFiveLetters1']);
    expect(source.logged()).toContain('status_403');
    expect(source.logged()).not.toContain('TokenOfTwentyFiveLetters1');
  });

  it('are requested without a token when none is configured', async () => {
    const heads: string[] = [];
    const portal = await upstream(() => (request, response) => {
      heads.push(...Object.keys(request.headers));
      response.end('[]');
    });
    await built(secopii, { url: portal.url }).orders(key);
    expect(heads).not.toContain('x-app-token');
  });

  it('UP-06 are requested again after a 202', async () => {
    const portal = await upstream((_, nth) => (nth === 1 ? { status: 202, body: '' } : { body: [row()] }));
    expect(await built(secopii, { url: portal.url }).orders(key)).toMatchObject({ total: 1 });
  });

  it('have the state `No Definido` when the column is missing', async () => {
    const portal = await upstream(() => ({ body: [row({ estado_contrato: undefined })] }));
    expect((await built(secopii, { url: portal.url }).orders(key)).orders).toMatchObject([{ status: 'No Definido' }]);
  });

  it.each<[string, string, Reply]>([
    ['a column that is gone', 'schema_drift', { status: 400, body: { message: 'No such column', errorCode: 'query.soql.no-such-column' } }],
    ['another refusal', 'status_400', { status: 400, body: { message: 'x', errorCode: 'query.soql.type-mismatch' } }],
    ['a table that is gone', 'status_404', { status: 404, body: { errorCode: 'dataset.missing' } }],
    ['a refusal in HTML', 'status_403', { status: 403, body: '<html>Forbidden</html>' }],
    ['too many questions', 'status_429', { status: 429, body: '' }],
    ['an outage', 'status_503', { status: 503, body: '<html>Service Unavailable</html>' }],
    ['a maintenance page', 'not_json', { body: '<html>Mantenimiento</html>' }],
    ['no body', 'not_json', { body: '' }],
    ['an object', 'unknown_shape', { body: {} }],
    ['a row without its key', 'unknown_shape', { body: [row({ id_contrato: undefined })] }],
    ['a row without its supplier', 'unknown_shape', { body: [row({ documento_proveedor: undefined })] }],
    ['a value that is no amount', 'unknown_shape', { body: [row({ valor_del_contrato: 'mucho' })] }],
    ['a date that is none', 'unknown_shape', { body: [row({ fecha_de_firma: 'ayer' })] }],
  ])('UP-03 fail on %s with the error %s', async (_, kind, reply) => {
    const portal = await upstream(() => reply);
    const source = built(secopii, { url: portal.url });
    await expect(source.orders(key)).rejects.toMatchObject(unavailable);
    expect(await source.status()).toMatchObject({
      name: 'secopii',
      kind: 'live',
      lastError: kind,
      origin: 'given',
      list: null,
      usable: true,
    });
  });

  it('UP-06 are not requested again after a change of the schema', async () => {
    const portal = await upstream(() => ({ status: 400, body: { errorCode: 'query.soql.no-such-column' } }));
    await expect(built(secopii, { url: portal.url }).orders(key)).rejects.toMatchObject(unavailable);
    expect(portal.asked).toHaveLength(1);
  });

  it('are read from the recorded rows', async () => {
    const rows = sampleJson('chile-colombia/secop2_contratos_sample.json');
    const { byNit } = sampleJson('chile-colombia/secop2_contratos_sample.expected_by_nit.json');
    const portal = await upstream(() => ({ body: rows }));
    const source = built(secopii, { url: portal.url });
    for (const [base, { contracts, total, dv }] of Object.entries<{ contracts: number; total: number; dv: string }>(byNit)) {
      const found = await source.orders(parseCompanyKey('CO', `${base}-${dv}`));
      const sum = found.orders.reduce((amount, order) => amount + (order.total?.amount ?? 0), 0);
      expect([base, found.total, sum]).toEqual([base, contracts, total]);
    }
    const [full] = sampleJson('chile-colombia/secop2_contrato_full_row.json');
    const constructed = await upstream(() => ({ body: [full] }));
    expect(await built(secopii, { url: constructed.url }).orders(key)).toMatchObject({
      orders: [{ code: 'CO1.PCCNTR.9999999', total: { amount: 99999999, currency: 'COP' }, supplierTaxId: '9009647055' }],
    });
  });
});
