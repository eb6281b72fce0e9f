import { describe, expect, it } from 'vitest';
import type { TenderSearch } from '../../../src/modules/tenders/domain.ts';
import { type Reply, upstream } from '../../support/upstream.ts';
import { listing, source, stub, unavailable } from './mercadopublico-support.ts';

const NOON = Date.parse('2026-11-21T15:00:00Z');

const search = (change: Partial<TenderSearch> = {}): TenderSearch => ({ country: 'CL', keyword: null, from: null, to: null, ...change });

/** An API whose lists are these, by day (ddmmaaaa) or `activas`; any other day is empty. */
async function setup(lists: Readonly<Record<string, readonly object[]>>, settings: Readonly<Record<string, string>> = {}) {
  const server = await upstream((path) => {
    const { fecha, estado } = Object.fromEntries(new URL(path, 'http://x').searchParams);
    return { body: listing(...(lists[fecha ?? estado ?? ''] ?? [])) };
  });
  const { mp } = await source({ api: server.url, settings, now: () => NOON });
  return { mp, server };
}

const codes = async (found: ReturnType<Awaited<ReturnType<typeof setup>>['mp']['search']>) => (await found).notices.map(({ code }) => code);

describe('a search of Chilean tenders', () => {
  it('without dates returns open tenders, last to close first, and reports that', async () => {
    const { mp, server } = await setup({
      activas: [stub('1-1-LE26', { FechaCierre: null }), stub('1-2-LE26'), stub('1-3-LE26', { FechaCierre: '2026-12-01T10:00:00.55' })],
    });
    const found = await mp.search(search());
    expect(found.notices.map(({ code, closesAt }) => [code, closesAt])).toEqual([
      ['1-3-LE26', '2026-12-01T10:00:00'],
      ['1-2-LE26', '2026-11-30T15:10:00'],
      ['1-1-LE26', null],
    ]);
    expect(found).toMatchObject({ from: null, to: null, coverage: 'No dates were given: only tenders that are open now are searched.' });
    expect(found.notices[1]).toEqual({
      code: '1-2-LE26',
      name: 'Adquisición de insumos clínicos 1-2-LE26',
      description: null,
      status: 'Publicada',
      closesAt: '2026-11-30T15:10:00',
      publishedAt: null,
      estimate: null,
      buyer: null,
      buyerTaxId: null,
      url: 'https://www.mercadopublico.cl/Procurement/Modules/RFB/DetailsAcquisition.aspx?idlicitacion=1-2-LE26',
    });
    expect(server.asked).toHaveLength(1);
  });

  it('matches the keyword in titles without accents and case, and reports that descriptions are not searched', async () => {
    const { mp } = await setup({ activas: [stub('1-1-LE26', { Nombre: 'CONSTRUCCIÓN Sede Ñandú' }), stub('1-2-LE26')] });
    expect(await codes(mp.search(search({ keyword: 'nandu construccion' })))).toEqual(['1-1-LE26']);
    expect((await mp.search(search({ keyword: 'puente' }))).notices).toEqual([]);
    expect((await mp.search(search({ keyword: 'puente' }))).coverage).toContain('not in descriptions');
  });

  it('requests every day of a window, newest first, and uses the state of the newest day', async () => {
    const { mp, server } = await setup({
      '18112026': [stub('1-1-LE26'), stub('1-2-LE26')],
      '20112026': [stub('1-1-LE26', { CodigoEstado: 19 })],
    });
    const found = await mp.search(search({ from: '2026-11-18', to: '2026-11-20' }));
    expect(found.notices.map(({ code, status }) => [code, status])).toEqual([
      ['1-1-LE26', 'Suspendida'],
      ['1-2-LE26', 'Publicada'],
    ]);
    expect(found).toMatchObject({ from: '2026-11-18', to: '2026-11-20', coverage: null });
    expect(server.asked.map((path) => /fecha=(\d+)/.exec(path)?.[1])).toEqual(['20112026', '19112026', '18112026']);
    await mp.search(search({ from: '2026-11-18', to: '2026-11-20', keyword: 'insumos' }));
    expect(server.asked).toHaveLength(3);
  });

  it('ends today when only a start is given, and limits a wide window to its newest days', async () => {
    const { mp, server } = await setup({}, { QUIPU_MERCADOPUBLICO_SEARCH_DAYS: '3' });
    expect(await mp.search(search({ from: '2026-11-20' }))).toMatchObject({ from: '2026-11-20', to: '2026-11-21', coverage: null });
    const cut = await mp.search(search({ from: '2026-10-01', to: '2026-11-10' }));
    expect(cut).toMatchObject({ from: '2026-11-08', to: '2026-11-10' });
    expect(cut.coverage).toBe('Mercado Público is asked day by day: only the 3 days from 2026-11-08 to 2026-11-10 are searched.');
    expect((await mp.search(search({ to: '2026-11-01' }))).from).toBe('2026-10-30');
    expect(server.asked).toHaveLength(8);
  });

  it('returns at most 500 tenders, and reports the total', async () => {
    const { mp } = await setup({ activas: Array.from({ length: 501 }, (_, i) => stub(`1-${1000 + i}-LE26`)) });
    const found = await mp.search(search());
    expect(found.notices).toHaveLength(500);
    expect(found.coverage).toContain('There are 501; the first 500 are given.');
  });

  it('UP-03 fails when one day of the window cannot be read, and does not request the loaded day again', async () => {
    let broken = true;
    const server = await upstream(
      (path): Reply => (broken && path.includes('19112026') ? { status: 200, body: '<html>' } : { body: listing(stub('1-1-LE26')) }),
    );
    const { mp } = await source({ api: server.url, now: () => NOON });
    const window = search({ from: '2026-11-18', to: '2026-11-20' });
    await expect(mp.search(window)).rejects.toMatchObject(unavailable);
    const asked = server.asked.length;
    broken = false;
    expect(await codes(mp.search(window))).toEqual(['1-1-LE26']);
    expect(server.asked).toHaveLength(asked + 2);
  });

  it('fails without a ticket at the live API, and works without one at a configured address', async () => {
    const { url, asked } = await upstream(() => ({ body: listing() }));
    const noTicket = { QUIPU_MERCADOPUBLICO_TICKET: '' };
    const real = await source({ api: url, origins: { api: 'live', files: 'live' }, settings: noTicket });
    await expect(real.mp.search(search())).rejects.toMatchObject({
      code: 'SOURCE_NOT_CONFIGURED',
      message: expect.stringContaining('must set QUIPU_MERCADOPUBLICO_TICKET. It is asked for at https://'),
      facts: { source: 'mercadopublico' },
    });
    expect(await real.mp.status()).toMatchObject({ usable: false });
    expect(asked).toEqual([]);
    const own = await source({ api: url, settings: noTicket });
    expect((await own.mp.search(search())).notices).toEqual([]);
    expect(asked).toEqual(['/licitaciones.json?estado=activas']);
    expect(await own.mp.status()).toMatchObject({ kind: 'live', origin: 'given', usable: true, list: null });
  });
});
