import { describe, expect, it } from 'vitest';
import { type Reply, type Upstream, upstream } from '../../support/upstream.ts';
import { ask, companies, line, listing, orderJson, sample, source, stub, tenderJson, unavailable } from './mercadopublico-support.ts';

const NOON = Date.parse('2026-11-21T15:00:00Z');
const OURS = '76.242.192-5';
const WINNER = '76.012.551-2';

/** The answer of the simulated API for the last part of the path and the query. */
type Script = (resource: string, query: Readonly<Record<string, string | undefined>>) => object;

async function setup(script: Script) {
  const server = await upstream((path): Reply => {
    const { pathname, searchParams } = new URL(path, 'http://x');
    return { body: script(pathname.split('/').at(-1) ?? '', Object.fromEntries(searchParams)) };
  });
  const { mp } = await source({ api: `${server.url}/servicios/v1/publico`, now: () => NOON });
  return { mp, server };
}

/** An API that knows our company as 1316979, with these orders yesterday; and a stranger, 150821, of everybody's. */
const ordersOf =
  (orders: readonly { Codigo: string }[], numbers: readonly string[] = ['1316979']): Script =>
  (resource, { codigo, fecha, CodigoProveedor }) => {
    if (resource === 'BuscarProveedor') return companies(...numbers);
    if (codigo) return listing(...orders.filter(({ Codigo }) => Codigo === codigo));
    return fecha === '20112026' && CodigoProveedor ? listing(...orders) : listing();
  };

const questions = ({ asked }: Upstream) => asked.map((path) => path.replace(/.*\/|[?&]ticket=[^&]*/g, ''));

describe('a Chilean supplier without a loaded index', () => {
  it('is searched in the documents of the last days, and the coverage names the days', async () => {
    const { mp, server } = await setup(
      ordersOf([orderJson('1-1-SE26'), orderJson('1-2-SE26', { Fechas: { FechaCreacion: null, FechaEnvio: '2026-11-21T09:00:00' } })]),
    );
    const { pages, coverage, goodUntil } = await mp.orders([ask(OURS, 1)]);
    expect(pages).toMatchObject([{ items: [{ code: '1-2-SE26', date: '2026-11-21' }], total: 2, hasMore: true }]);
    expect(coverage).toBe('The index of orders is not available: only orders from 2026-11-19 to 2026-11-21 were searched.');
    expect(goodUntil).toBe(NOON + 15 * 60_000);
    expect(questions(server)).toEqual([
      'BuscarProveedor?rutempresaproveedor=76.242.192-5',
      'ordenesdecompra.json?fecha=21112026&CodigoProveedor=1316979',
      'ordenesdecompra.json?fecha=20112026&CodigoProveedor=1316979',
      'ordenesdecompra.json?fecha=19112026&CodigoProveedor=1316979',
      'ordenesdecompra.json?codigo=1-1-SE26',
      'ordenesdecompra.json?codigo=1-2-SE26',
    ]);
  });

  it('is matched by the RUT on each document, and orders of other RUTs are excluded', async () => {
    const stranger = orderJson('1-1-SE26', { Proveedor: { Codigo: '1316979', RutSucursal: '77.777.777-7' } });
    const { mp } = await setup(ordersOf([stranger, orderJson('1-2-SE26')], ['150821', '1316979']));
    expect((await mp.orders([ask(OURS)])).pages[0]?.items.map(({ code }) => code)).toEqual(['1-2-SE26']);
  });

  it('has no orders and causes no further request when the API returns no company', async () => {
    const { mp, server } = await setup(ordersOf([], []));
    expect((await mp.orders([ask(OURS)])).pages).toEqual([{ items: [], total: 0, hasMore: false }]);
    expect(questions(server)).toHaveLength(1);
  });

  it('UP-03 is a failed source when the API has the supplier but the last days have no orders', async () => {
    const { mp } = await setup(ordersOf([]));
    await expect(mp.orders([ask(OURS)])).rejects.toMatchObject(unavailable);
  });

  it('UP-03 is a failed source when the API returns six companies', async () => {
    const { mp } = await setup(ordersOf([], ['1', '2', '3', '4', '5', '6']));
    await expect(mp.orders([ask(OURS)])).rejects.toMatchObject(unavailable);
  });

  it.each([[{ NombreEmpresa: 'SIN NUMERO SPA' }], [{ CodigoEmpresa: null }], [{ CodigoEmpresa: ' ' }]])(
    'excludes a company without a number (%j), and reports that',
    async (row) => {
      const tender = tenderJson('1509-5-LE26');
      const { mp } = await setup((resource, { codigo, fecha }) => {
        if (resource === 'BuscarProveedor') return { Cantidad: 2, listaEmpresas: [row, ...companies('71284').listaEmpresas] };
        if (codigo) return listing(tender);
        return fecha === '21112026' ? listing(stub('1509-5-LE26')) : listing();
      });
      const { pages, coverage } = await mp.awards([ask(WINNER)]);
      expect(pages).toMatchObject([{ total: 1 }]);
      expect(coverage).toContain('1 of the companies that Mercado Público returned has no supplier number');
    },
  );

  it('UP-03 is a failed source when no company has a number', async () => {
    const { mp } = await setup(() => ({ Cantidad: 1, listaEmpresas: [{ NombreEmpresa: 'SIN NUMERO SPA' }] }));
    await expect(mp.orders([ask(OURS)])).rejects.toMatchObject(unavailable);
  });

  it('gets the awards of the tenders of the last days', async () => {
    const tender = tenderJson('1509-5-LE26');
    const lost = tenderJson('1509-6-LE26', { Items: { Cantidad: 1, Listado: [line('76.830.090-9', 1, 1)] } });
    const { mp, server } = await setup((resource, { codigo, fecha }) => {
      if (resource === 'BuscarProveedor') return companies('71284');
      if (codigo) return listing(codigo === '1509-5-LE26' ? tender : lost);
      return fecha === '21112026' ? listing(stub('1509-5-LE26'), stub('1509-6-LE26')) : listing();
    });
    const { pages, coverage } = await mp.awards([ask(WINNER)]);
    const [page] = (await mp.awards([{ ...ask(WINNER), after: { date: '2026-11-20T15:42:13', code: '1509-5-LE26' } }])).pages;
    expect(page).toEqual({ items: [], total: 1, hasMore: false });
    expect(pages).toMatchObject([{ total: 1, items: [{ code: '1509-5-LE26', total: { amount: 280.1, currency: 'CLF' } }] }]);
    expect(coverage).toContain('index of awards');
    expect(questions(server)[1]).toBe('licitaciones.json?fecha=21112026&CodigoProveedor=71284');
  });

  it('UP-03 is a failed source when one of its documents cannot be read', async () => {
    const { mp } = await setup(ordersOf([{ Codigo: '1-1-SE26' }]));
    await expect(mp.orders([ask(OURS)])).rejects.toMatchObject(unavailable);
  });

  it('causes no request to the live API while the files have a configured address', async () => {
    const server = await upstream(() => ({ body: listing() }));
    const { mp } = await source({ api: server.url, files: server.url, origins: { api: 'live', files: 'given' } });
    await expect(mp.orders([ask(OURS)])).rejects.toMatchObject(unavailable);
    await expect(mp.awards([ask(OURS)])).rejects.toMatchObject(unavailable);
    expect(server.asked).toEqual([]);
  });

  it('is not searched in the sandbox index when the API has a configured address', async () => {
    const server = await upstream(() => ({ body: companies() }));
    const { mp } = await source({ api: server.url, origins: { api: 'given', files: 'sandbox' } });
    expect((await mp.orders([ask(OURS)])).coverage).toContain('is not available');
    expect(await mp.sync()).toEqual({ outcome: 'refused', reason: 'switched_off' });
    expect(mp.off).toBe(true);
  });

  it('is found in recorded documents', async () => {
    const order = sample('mp_oc_detalle_2097-241-SE14.json');
    const tender = sample('mp_licitacion_detalle_1509-5-L114.json');
    const { mp } = await setup((resource, { codigo, fecha }) => {
      if (resource === 'BuscarProveedor') return sample('mp_buscar_proveedor_ok.json');
      if (resource === 'ordenesdecompra.json')
        return codigo
          ? order
          : fecha === '20112026'
            ? listing({ Codigo: '2097-241-SE14', CodigoEstado: 6, Nombre: 'Insumos' })
            : sample('mp_listado_vacio.json');
      return codigo ? tender : listing(stub('1509-5-L114'));
    });
    expect((await mp.orders([ask(OURS)])).pages[0]?.items).toMatchObject([
      { code: '2097-241-SE14', status: 'Aceptada', total: { amount: 41650 } },
    ]);
    expect((await mp.awards([ask('78.307.040-5')])).pages[0]?.items).toMatchObject([
      { total: { amount: 12000, currency: 'CLP' }, buyerTaxId: '61.608.006-7' },
    ]);
  });
});
