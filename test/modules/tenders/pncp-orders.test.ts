import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cnpjCheckDigits } from '../../../src/domain/check-digits.ts';
import { parseCompanyKey } from '../../../src/domain/company.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';
import { pncp } from '../../../src/modules/tenders/sources/pncp/pncp.ts';
import { orderAt } from '../../../src/modules/tenders/sources/pncp/records.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { sampleJson } from '../../support/samples.ts';
import { type Reply, upstream } from '../../support/upstream.ts';
import { built, type Surroundings } from './built.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(() => db.knex.raw('TRUNCATE tender_rows, tender_slices, tender_indexes'));

/** 21 November 2026, 2 h UTC: still the 20th in Brasília. */
const NOW = Date.UTC(2026, 10, 21, 2);
const BUYER = '83102277000152';
const CNPJ = '11222333000181';
const BRANCH = `112223330002${cnpjCheckDigits('112223330002')}`;

const record = (sequence: number, change: Readonly<Record<string, unknown>> = {}) => ({
  numeroControlePNCP: `${BUYER}-2-${String(sequence).padStart(6, '0')}/2026`,
  numeroControlePncpCompra: `${BUYER}-1-000013/2026`,
  anoContrato: 2026,
  sequencialContrato: sequence,
  objetoContrato: 'MANUTENÇÃO DE EQUIPAMENTOS',
  receita: false,
  tipoPessoa: 'PJ',
  niFornecedor: CNPJ,
  orgaoEntidade: { cnpj: BUYER, razaoSocial: 'MUNICIPIO DE ITAJAI', poderId: 'N', esferaId: 'M' },
  valorGlobal: 39000.5,
  dataAssinatura: '2026-11-10',
  dataVigenciaFim: '2027-03-10',
  dataPublicacaoPncp: '2026-11-12T00:01:18',
  ...change,
});
const page = (records: readonly object[], change: Readonly<Record<string, unknown>> = {}): Reply => ({
  body: { data: records, totalRegistros: records.length, totalPaginas: 1, numeroPagina: 1, paginasRestantes: 0, empty: false, ...change },
});
const NONE: Reply = { status: 204, body: '' };
const queryOf = (asked: string) => Object.fromEntries(new URL(asked, 'http://pncp').searchParams);

/** Creates PNCP with answers that depend on the query, for the given number of months. */
async function portalOf(reply: (query: Record<string, string>, nth: number) => Reply, change: Partial<Surroundings> = {}, months = '1') {
  const clock = { now: NOW };
  const portal = await upstream((asked, nth) => reply(queryOf(asked), nth));
  const settings = { QUIPU_TENDERS_MONTHS: months };
  const source = built(pncp, { url: portal.url, db: db.knex, now: () => clock.now, settings, ...change });
  const orders = async (text = CNPJ) => source.orders([{ key: parseCompanyKey('BR', text), first: 100, after: null }]);
  /** The orders as an answer at the time of the clock has them. */
  const items = async (text?: string) => (await orders(text)).pages[0]?.items.map((order) => orderAt(order, clock.now));
  return { source, portal, clock, orders, items };
}
const unavailable = { code: 'SOURCE_UNAVAILABLE', facts: { source: 'pncp' } };

describe('a supplier’s contracts of PNCP', () => {
  it('are read from all pages of the list of contracts', async () => {
    const { source, portal, items, orders } = await portalOf(({ pagina }) => page([record(Number(pagina))], { totalPaginas: 3 }));
    expect(await source.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 3, publishedOn: '2026-11-20' } });
    expect((await items())?.[2]).toEqual({
      code: `${BUYER}-2-000001/2026`,
      name: 'MANUTENÇÃO DE EQUIPAMENTOS',
      status: 'vigente',
      total: { amount: 39000.5, currency: 'BRL' },
      date: '2026-11-10',
      buyer: 'MUNICIPIO DE ITAJAI',
      buyerTaxId: BUYER,
      tenderCode: `${BUYER}-1-000013/2026`,
      supplierTaxId: CNPJ,
      url: `https://pncp.gov.br/app/contratos/${BUYER}/2026/1`,
    });
    expect((await orders()).coverage).toContain('Orders of 2026-11 are indexed.');
    expect(portal.asked.map(queryOf)).toEqual(
      ['1', '2', '3'].map((pagina) => ({ dataInicial: '20261101', dataFinal: '20261120', pagina, tamanhoPagina: '500' })),
    );
    expect(portal.asked[0]).toMatch(/^\/api\/consulta\/v1\/contratos\?/);
  });

  it('include those of every branch, each with its own CNPJ', async () => {
    const { source, items } = await portalOf(() => page([record(1), record(2, { niFornecedor: BRANCH })]));
    await source.sync();
    expect((await items(BRANCH))?.map(({ supplierTaxId }) => supplierTaxId)).toEqual([BRANCH, CNPJ]);
  });

  it('PR-01 exclude income, persons and foreign suppliers, and mask a CPF in the text', async () => {
    const others = [
      record(2, { receita: true }),
      record(3, { tipoPessoa: 'PF', niFornecedor: '52998224725' }),
      record(4, { tipoPessoa: 'PE', niFornecedor: 'LU-1' }),
      record(5, { niFornecedor: '52998224725' }),
      record(6, { tipoPessoa: 'PE', niFornecedor: null }),
    ];
    const { source, items } = await portalOf(() => page([record(1, { objetoContrato: 'SERVIÇO DE 529.982.247-25' }), ...others]));
    expect(await source.sync()).toMatchObject({ version: { entries: 1 } });
    expect(await items()).toMatchObject([{ name: 'SERVIÇO DE ***982247**' }]);
    const { rows } = await db.knex.raw('SELECT * FROM tender_rows');
    expect(JSON.stringify(rows)).not.toContain('52998224725');
    expect(source.logged()).toContain('"leftOut":5');
  });

  it('are running until the day of their end', async () => {
    const ends = ['2026-11-20', '2026-11-19', null, 'em breve'];
    const { source, clock, items } = await portalOf(() => page(ends.map((dataVigenciaFim, i) => record(4 - i, { dataVigenciaFim }))));
    await source.sync();
    const statuses = async () => (await items())?.map(({ status }) => status);
    expect(await statuses()).toEqual(['vigente', 'encerrado', 'vigência não informada', 'vigência não informada']);
    clock.now += 2 * HOUR_MS;
    expect((await statuses())?.[0]).toBe('encerrado');
  });

  it('have null for missing values and for an invalid date', async () => {
    const { source, items } = await portalOf(() =>
      page([record(1, { objetoContrato: null, valorGlobal: null, dataAssinatura: '2026-02-31', numeroControlePncpCompra: null })]),
    );
    await source.sync();
    expect(await items()).toMatchObject([{ name: `${BUYER}-2-000001/2026`, total: null, date: null, tenderCode: null }]);
  });

  it('count a repeated record once, and end at a page without a new record', async () => {
    const pages = [[record(1), record(2)], [record(2), record(3)], [record(3)]];
    const { source, portal, orders } = await portalOf(({ pagina }) =>
      page(pages[Number(pagina) - 1] ?? [record(3)], { totalPaginas: 4258 }),
    );
    await source.sync();
    expect((await orders()).pages[0]).toMatchObject({ total: 3 });
    expect(portal.asked).toHaveLength(3);
  });

  it('are empty for a 204 without a body and for an empty list', async () => {
    for (const none of [NONE, page([], { totalPaginas: 0, empty: true })]) {
      const { source, items } = await portalOf(() => none);
      expect(await source.sync()).toMatchObject({ outcome: 'loaded' });
      expect(await items()).toEqual([]);
    }
  });

  it('fail before the list was loaded', async () => {
    const { orders, source } = await portalOf(() => NONE);
    await expect(orders()).rejects.toMatchObject(unavailable);
    expect(await source.status()).toMatchObject({ usable: false, list: null });
  });

  it('UP-06 are loaded by a retry after a wrong error about the dates', async () => {
    const spurious: Reply = {
      status: 422,
      body: { message: 'Período inicial e final maior que 365 dias.', error: '422 UNPROCESSABLE_ENTITY' },
    };
    const { source, portal } = await portalOf((_, nth) => (nth === 1 ? spurious : page([record(1)])));
    expect(await source.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 1 } });
    expect(portal.asked).toHaveLength(2);
  });

  it('are loaded by month, and reloaded when a month is due for its age', async () => {
    const { source, portal, clock } = await portalOf(({ dataInicial }) => page([record(Number(dataInicial?.slice(4, 6)))]), {}, '3');
    const months = async () => {
      const before = portal.asked.length;
      await source.sync();
      return portal.asked.slice(before).map((asked) => `${queryOf(asked).dataInicial}-${queryOf(asked).dataFinal}`);
    };
    expect(await months()).toEqual(['20261101-20261120', '20261001-20261031', '20260901-20260930']);
    clock.now += 8 * HOUR_MS;
    expect(await months()).toEqual(['20261101-20261121']);
    clock.now += 3 * DAY_MS;
    expect(await months()).toEqual(['20261101-20261124', '20261001-20261031']);
    clock.now += 6 * DAY_MS;
    expect(await months()).toEqual(['20261101-20261130', '20261001-20261031', '20260901-20260930']);
  });

  it('DB-05 are returned from the copy when the portal fails, and the status has the error', async () => {
    let broken = false;
    const { source, items } = await portalOf(() => (broken ? { status: 429, body: '<html>Too Many Requests</html>' } : page([record(1)])));
    await source.sync();
    broken = true;
    expect(await source.sync()).toMatchObject({ outcome: 'refused' });
    expect(await items()).toHaveLength(1);
    expect(await source.status()).toMatchObject({ usable: true, lastError: 'download_failed' });
  });

  it.each<[string, Reply]>([
    ['a page size that is refused', { status: 400, body: { message: 'Tamanho de página inválido' } }],
    ['a true refusal of the dates', { status: 422, body: { message: 'Data inválida' } }],
    ['another refusal of the dates, twice', { status: 422, body: { message: 'Data Inicial deve ser anterior ou igual à Data Final' } }],
    ['a 429 in HTML', { status: 429, body: '<html>Too Many Requests</html>' }],
    ['an outage', { status: 500, body: { message: 'Erro na comunicação com o banco de dados' } }],
    ['a 204 with a body', { status: 200, body: '' }],
    ['a maintenance page', { body: '<html>Em manutenção</html>' }],
    ['an object without records', { body: {} }],
    ['a list without its counts', { body: { data: [] } }],
    ['a record without its number', page([record(1, { numeroControlePNCP: undefined })])],
    ['a record without its supplier', page([record(1, { niFornecedor: undefined })])],
    ['a nested supplier', page([record(1, { niFornecedor: { cnpj: CNPJ } })])],
    ['suppliers whose numbers cannot be read', page([record(1, { niFornecedor: '1122233' }), record(2, { tipoPessoa: 'XX' })])],
    ['a record that does not say whether it is income', page([record(1, { receita: undefined })])],
  ])('UP-03 fail on %s', async (_, reply) => {
    const { source, orders } = await portalOf(() => reply);
    expect(await source.sync()).toMatchObject({ outcome: 'refused' });
    await expect(orders()).rejects.toMatchObject(unavailable);
  });

  it('DB-05 keep the old rows when a later page fails', async () => {
    let cut = false;
    const { source, orders } = await portalOf(({ pagina }) =>
      cut && pagina === '2' ? { body: '<html>' } : page([record(Number(pagina) + (cut ? 50 : 0))], { totalPaginas: 2 }),
    );
    await source.sync();
    cut = true;
    expect(await source.sync()).toMatchObject({ outcome: 'refused' });
    expect((await orders()).pages[0]).toMatchObject({
      total: 2,
      items: [{ code: `${BUYER}-2-000002/2026` }, { code: `${BUYER}-2-000001/2026` }],
    });
  });

  it('stop loading when the signal aborts', async () => {
    const stop = new AbortController();
    const { source } = await portalOf(() => () => stop.abort());
    expect(await source.sync({ signal: stop.signal })).toEqual({ outcome: 'refused', reason: 'stopped' });
  });

  it('are read from the recorded page', async () => {
    const body = sampleJson('brazil/pncp/contratos_page.json');
    for (const reply of [({ pagina }: Record<string, string>) => (pagina === '1' ? { body } : NONE), () => ({ body })]) {
      const { source, orders, items } = await portalOf(reply, {}, '3');
      await source.sync();
      expect((await orders('17.417.928/0001-79')).pages[0]).toMatchObject({ total: 6 });
      expect(await items('18.356.265/0001-92')).toMatchObject([
        { code: '83102277000152-2-000018/2025', status: 'encerrado', total: { amount: 39000, currency: 'BRL' }, date: '2025-03-11' },
      ]);
    }
  });
});
