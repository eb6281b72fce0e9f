import { describe, expect, it } from 'vitest';
import type { TenderSearch } from '../../../src/modules/tenders/domain.ts';
import { secopii } from '../../../src/modules/tenders/sources/secopii/secopii.ts';
import { sampleJson } from '../../support/samples.ts';
import { type Reply, upstream } from '../../support/upstream.ts';
import { built } from './built.ts';

/** 21 November 2026, 3 h UTC: still the 20th in Bogotá. */
const NOW = Date.UTC(2026, 10, 21, 3);

const row = (change: Readonly<Record<string, unknown>> = {}) => ({
  id_del_proceso: 'CO1.REQ.1',
  estado_del_procedimiento: 'Publicado',
  referencia_del_proceso: 'LP-1',
  nombre_del_procedimiento: 'Acueducto veredal',
  descripci_n_del_procedimiento: 'Construcción del acueducto',
  fecha_de_publicacion_del: '2026-02-19T00:00:00.000',
  fecha_de_recepcion_de: '2026-04-15T17:00:00.000',
  precio_base: '500000000',
  entidad: 'MUNICIPIO DE PRUEBA',
  nit_entidad: '890299999',
  urlproceso: { url: 'https://community.secop.gov.co/x' },
  ...change,
});
const search = (change: Partial<TenderSearch> = {}): TenderSearch => ({
  country: 'CO',
  keyword: 'acueducto',
  from: null,
  to: null,
  ...change,
});

async function portalOf(reply: Reply) {
  const portal = await upstream(() => reply);
  const source = built(secopii, { url: portal.url, now: () => NOW });
  return { source, portal, query: () => new URL(portal.asked[0] ?? '', portal.url).searchParams };
}

describe('a search of SECOP II', () => {
  it('returns a notice with the status text of the portal', async () => {
    const { source } = await portalOf({ body: [row()] });
    expect(await source.search(search())).toEqual({
      notices: [
        {
          code: 'CO1.REQ.1',
          name: 'Acueducto veredal',
          description: 'Construcción del acueducto',
          status: 'Publicado',
          closesAt: '2026-04-15T17:00:00',
          publishedAt: '2026-02-19T00:00:00',
          estimate: { amount: 500_000_000, currency: 'COP' },
          buyer: 'MUNICIPIO DE PRUEBA',
          buyerTaxId: '890299999',
          url: 'https://community.secop.gov.co/x',
        },
      ],
      coverage: null,
      sentences: [],
      from: null,
      to: null,
    });
  });

  it('sends the keyword, the requested dates and a descending order to the portal', async () => {
    const { source, portal, query } = await portalOf({ body: [] });
    const found = await source.search(search({ keyword: "agua d'oro", from: '2026-01-01', to: '2026-01-31' }));
    expect(found).toEqual({ notices: [], coverage: null, sentences: [], from: '2026-01-01', to: '2026-01-31' });
    expect(portal.asked[0]).toMatch(/^\/p6dx-8zbt\.json\?/);
    expect(query().get('$q')).toBe("agua d'oro");
    expect(query().get('$where')).toBe(
      "fecha_de_publicacion_del IS NOT NULL AND fecha_de_publicacion_del >= '2026-01-01T00:00:00.000' AND fecha_de_publicacion_del <= '2026-01-31T23:59:59.999'",
    );
    expect(query().get('$order')).toBe('fecha_de_publicacion_del DESC,id_del_proceso DESC');
  });

  it('covers thirty days without a keyword and a start date, and returns the start date', async () => {
    const { source, query } = await portalOf({ body: [] });
    const found = await source.search(search({ keyword: null }));
    expect(found).toMatchObject({ from: '2026-10-21', to: null, coverage: expect.stringContaining('since 2026-10-21') });
    expect(query().get('$where')).toContain(">= '2026-10-21T00:00:00.000'");
    expect(query().has('$q')).toBe(false);
    expect(await source.search(search({ keyword: null, to: '2026-03-31' }))).toMatchObject({ from: '2026-03-01', to: '2026-03-31' });
  });

  it('returns null for missing fields, and one notice for a repeated procedure', async () => {
    const silent = row({
      id_del_proceso: 'CO1.REQ.2',
      nombre_del_procedimiento: undefined,
      fecha_de_recepcion_de: undefined,
      precio_base: '0',
    });
    const bare = { id_del_proceso: 'CO1.REQ.3', estado_del_procedimiento: 'Cancelado' };
    const { source } = await portalOf({ body: [silent, silent, bare] });
    const { notices } = await source.search(search());
    expect(notices).toHaveLength(2);
    expect(notices[0]).toMatchObject({ name: 'LP-1', closesAt: null, estimate: null });
    expect(notices[1]).toEqual({
      code: 'CO1.REQ.3',
      name: 'CO1.REQ.3',
      description: null,
      status: 'Cancelado',
      closesAt: null,
      publishedAt: null,
      estimate: null,
      buyer: null,
      buyerTaxId: null,
      url: null,
    });
  });

  it('returns at most 500 notices, with a coverage text that more exist', async () => {
    const many = Array.from({ length: 501 }, (_, i) => row({ id_del_proceso: `CO1.REQ.${i}` }));
    const { source } = await portalOf({ body: many });
    const { notices, coverage } = await source.search(search());
    expect(notices).toHaveLength(500);
    expect(coverage).toBe('Only the newest 500 are given; there are more.');
  });

  it.each<[string, Reply]>([
    ['a missing column', { status: 400, body: { errorCode: 'query.soql.no-such-column' } }],
    ['too many requests', { status: 429, body: '<html>' }],
    ['a maintenance page', { body: '<html>Mantenimiento</html>' }],
    ['an object', { body: {} }],
  ])('UP-03 fails on %s instead of returning an empty list', async (_, reply) => {
    const { source } = await portalOf(reply);
    await expect(source.search(search())).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', facts: { source: 'secopii' } });
  });

  it('reads the recorded row', async () => {
    const { source } = await portalOf({ body: sampleJson('chile-colombia/secop2_procesos_sample.json') });
    expect(await source.search(search())).toMatchObject({
      notices: [{ code: 'CO1.REQ.2577563', status: 'Publicado', closesAt: '2024-04-15T17:00:00', estimate: { amount: 500_000_000 } }],
    });
  });
});
