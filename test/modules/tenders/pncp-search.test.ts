import { describe, expect, it } from 'vitest';
import { DAY_MS, SECOND_MS } from '../../../src/domain/time.ts';
import type { TenderSearch } from '../../../src/modules/tenders/domain.ts';
import { pncp } from '../../../src/modules/tenders/sources/pncp/pncp.ts';
import { sampleJson } from '../../support/samples.ts';
import { type Reply, upstream } from '../../support/upstream.ts';
import { built, type Surroundings } from './built.ts';

/** 21 November 2026, 2 h UTC: still the 20th in Brasília. */
const NOW = Date.UTC(2026, 10, 21, 2);
const BUYER = '10502372000170';

const record = (sequence: number, change: Readonly<Record<string, unknown>> = {}) => ({
  numeroControlePNCP: `${BUYER}-1-${String(sequence).padStart(6, '0')}/2026`,
  anoCompra: 2026,
  sequencialCompra: sequence,
  objetoCompra: 'Reforma da praça',
  informacaoComplementar: '',
  situacaoCompraNome: 'Divulgada no PNCP',
  dataPublicacaoPncp: `2026-11-10T10:03:${String(sequence % 60).padStart(2, '0')}`,
  dataEncerramentoProposta: '2026-12-02T08:00:00',
  valorTotalEstimado: 375394.84,
  orgaoEntidade: { cnpj: BUYER, razaoSocial: 'FUNDO MUNICIPAL DE SAUDE' },
  ...change,
});
const page = (records: readonly object[], pages = 1, total = records.length): Reply => ({
  body: { data: records, totalRegistros: total, totalPaginas: pages, numeroPagina: 1, paginasRestantes: 0, empty: false },
});
const search = (change: Partial<TenderSearch> = {}): TenderSearch => ({ country: 'BR', keyword: null, from: null, to: null, ...change });
const queryOf = (asked: string) => Object.fromEntries(new URL(asked, 'http://pncp').searchParams);
const unavailable = { code: 'SOURCE_UNAVAILABLE', facts: { source: 'pncp' } };

/** Creates PNCP with answers that depend on the query. By default two modalities are searched. */
async function portalOf(reply: (query: Record<string, string>, nth: number) => Reply, change: Partial<Surroundings> = {}) {
  const portal = await upstream((asked, nth) => reply(queryOf(asked), nth));
  const settings = { QUIPU_PNCP_MODALITIES: '6,8' };
  const source = built(pncp, { url: portal.url, now: () => NOW, settings, ...change });
  return { source, portal, questions: () => portal.asked.map(queryOf) };
}
const NONE: Reply = { status: 204, body: '' };

describe('a search of PNCP', () => {
  it('returns procurements with their fields', async () => {
    const { source } = await portalOf(({ codigoModalidadeContratacao }) =>
      codigoModalidadeContratacao === '6' ? page([record(4)]) : NONE,
    );
    expect(await source.search(search({ keyword: 'REFORMA praca' }))).toEqual({
      notices: [
        {
          code: `${BUYER}-1-000004/2026`,
          name: 'Reforma da praça',
          description: null,
          status: 'Divulgada no PNCP',
          closesAt: '2026-12-02T08:00:00',
          publishedAt: '2026-11-10T10:03:04',
          estimate: { amount: 375394.84, currency: 'BRL' },
          buyer: 'FUNDO MUNICIPAL DE SAUDE',
          buyerTaxId: BUYER,
          url: `https://pncp.gov.br/app/editais/${BUYER}/2026/4`,
        },
      ],
      coverage: 'Calls of modalities 6, 8 published from 2026-10-22 to 2026-11-20.',
      sentences: expect.any(Array),
      from: '2026-10-22',
      to: '2026-11-20',
    });
  });

  it('requests each modality separately, 50 per page, for the given days', async () => {
    const { source, portal, questions } = await portalOf(() => NONE);
    const found = await source.search(search({ from: '2026-03-01', to: '2026-03-31' }));
    expect(found).toMatchObject({ notices: [], from: '2026-03-01', to: '2026-03-31' });
    const common = { dataInicial: '20260301', dataFinal: '20260331', pagina: '1', tamanhoPagina: '50' };
    expect(questions()).toEqual(['6', '8'].map((codigoModalidadeContratacao) => ({ ...common, codigoModalidadeContratacao })));
    expect(portal.asked[0]).toMatch(/^\/api\/consulta\/v1\/contratacoes\/publicacao\?/);
  });

  it('starts thirty days before the end when no start is given', async () => {
    const { source } = await portalOf(() => NONE);
    expect(await source.search(search({ to: '2026-03-31' }))).toMatchObject({ from: '2026-03-02', to: '2026-03-31' });
    expect(await source.search(search({ from: '2026-11-19' }))).toMatchObject({ from: '2026-11-19', to: '2026-11-20' });
  });

  it('rejects more days than the portal accepts', async () => {
    const { source, portal } = await portalOf(() => NONE);
    await expect(source.search(search({ from: '2025-01-01', to: '2026-01-01' }))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      facts: { field: 'date_from' },
    });
    expect(portal.asked).toEqual([]);
    await source.search(search({ from: '2025-01-02', to: '2026-01-01' }));
  });

  it('matches every word in title and description without accents and case, newest first', async () => {
    const records = [
      record(1, { objetoCompra: 'Aquisição de ÁGUA mineral' }),
      record(2, { objetoCompra: 'Locação', informacaoComplementar: 'inclui agua e aquisicao de copos' }),
      record(3, { objetoCompra: 'Aquisição de papel', informacaoComplementar: null }),
    ];
    const { source } = await portalOf(() => page(records));
    const { notices } = await source.search(search({ keyword: 'agua aquisição' }));
    expect(notices.map(({ code }) => code.slice(-11))).toEqual(['000002/2026', '000001/2026']);
  });

  it('has null for missing values, and masks a CPF in the text', async () => {
    const silent = {
      objetoCompra: null,
      dataEncerramentoProposta: null,
      valorTotalEstimado: 0,
      informacaoComplementar: 'fiscal 529.982.247-25',
    };
    const { source } = await portalOf(() => page([record(1, { ...silent, situacaoCompraNome: 'Revogada' })]));
    expect((await source.search(search())).notices).toMatchObject([
      { name: `${BUYER}-1-000001/2026`, description: 'fiscal ***982247**', status: 'Revogada', closesAt: null, estimate: null },
    ]);
  });

  it('requests the first and then the last pages, at most sixteen, and reports what was not read', async () => {
    const { source, questions } = await portalOf(({ pagina, codigoModalidadeContratacao: modality }) =>
      page([record(Number(modality) * 100 + Number(pagina))], modality === '6' ? 30 : 3, modality === '6' ? 1_480 : 120),
    );
    const { notices, coverage } = await source.search(search());
    const asked = questions().map(({ codigoModalidadeContratacao, pagina }) => `${codigoModalidadeContratacao}:${pagina}`);
    expect(asked.slice(0, 2).sort()).toEqual(['6:1', '8:1']);
    expect(asked.slice(2, 6).sort()).toEqual(['6:29', '6:30', '8:2', '8:3']);
    expect(asked).toHaveLength(16);
    expect(notices).toHaveLength(16);
    expect(coverage).toContain('Of about 1600 calls 16 were searched, mostly the newest');
  });

  it('reports the modalities that were not reached in time', async () => {
    let passed = 0;
    const { source } = await portalOf(
      () => {
        passed = 8 * SECOND_MS;
        return page([record(1)]);
      },
      { now: () => NOW + passed, settings: { QUIPU_PNCP_MODALITIES: '6,8,9' } },
    );
    expect((await source.search(search())).coverage).toMatch(
      /^Calls of modalities 6, 8 published .* Modalities 9 were not reached in time\.$/,
    );
  });

  it('returns at most 500 notices, and reports that', async () => {
    const { source } = await portalOf(({ pagina, codigoModalidadeContratacao: modality }) =>
      page(
        Array.from({ length: 50 }, (_, i) => record(Number(modality) * 10_000 + Number(pagina) * 50 + i)),
        20,
      ),
    );
    const { notices, coverage } = await source.search(search());
    expect(notices).toHaveLength(500);
    expect(coverage).toContain('Only the newest 500 are given.');
  });

  it('sends requests to the live portal with a pause', async () => {
    const at: number[] = [];
    const { source } = await portalOf(
      () => {
        at.push(Date.now());
        return NONE;
      },
      { origin: 'live', now: Date.now, settings: { QUIPU_PNCP_MODALITIES: '4,6,8' } },
    );
    await source.search(search());
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeGreaterThan(700);
  });

  it('fails when no request slot is free in time', async () => {
    const { source, portal } = await portalOf(() => NONE, { origin: 'live', settings: { QUIPU_PNCP_MODALITIES: '6' } });
    const answers = await Promise.allSettled(Array.from({ length: 12 }, () => source.search(search())));
    const failed = answers.filter(({ status }) => status === 'rejected');
    expect(failed[0]).toMatchObject({ reason: unavailable });
    expect(portal.asked).toHaveLength(12 - failed.length);
  });

  it('UP-06 sends no request for 30 s after a 429', async () => {
    let now = NOW;
    const { source, portal } = await portalOf((_, nth) => (nth === 1 ? { status: 429, body: '<html>Too Many Requests</html>' } : NONE), {
      now: () => now,
      settings: { QUIPU_PNCP_MODALITIES: '6' },
    });
    await expect(source.search(search())).rejects.toMatchObject(unavailable);
    await expect(source.search(search())).rejects.toMatchObject({ ...unavailable, facts: { source: 'pncp', retryAfterSeconds: 30 } });
    expect(portal.asked).toHaveLength(1);
    now += DAY_MS;
    expect(await source.search(search())).toMatchObject({ notices: [] });
  });

  it('UP-06 retries after a wrong error about the dates', async () => {
    const spurious: Reply = { status: 422, body: { message: 'Data Inicial deve ser anterior ou igual à Data Final' } };
    const { source } = await portalOf((_, nth) => (nth === 1 ? spurious : page([record(1)])));
    expect((await source.search(search())).notices).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    ['a refusal', { status: 400, body: { message: 'Tamanho de página inválido' } }],
    ['an outage', { status: 503, body: '' }],
    ['a maintenance page', { body: '<html>Em manutenção</html>' }],
    ['an empty body', { body: '' }],
    ['an empty object', { body: {} }],
    ['a record without its state', page([record(1, { situacaoCompraNome: undefined })])],
    ['a record without its day', page([record(1, { dataPublicacaoPncp: '10/11/2026' })])],
  ])('UP-03 fails when one of two modalities gets %s', async (_, reply) => {
    const { source } = await portalOf(({ codigoModalidadeContratacao }) =>
      codigoModalidadeContratacao === '8' ? reply : page([record(1)]),
    );
    await expect(source.search(search())).rejects.toMatchObject(unavailable);
  });

  it('reads the recorded page', async () => {
    const body = sampleJson('brazil/pncp/contratacoes_publicacao_page.json');
    const { source } = await portalOf(() => ({ body }), { settings: {} });
    const { notices, coverage } = await source.search(search({ keyword: 'pavimentacao asfaltica' }));
    expect(notices.map(({ code, closesAt, estimate }) => [code, closesAt, estimate?.amount])).toContainEqual([
      '82928680000172-1-000008/2026',
      '2026-03-06T09:30:00',
      1110283.52,
    ]);
    expect((await source.search(search())).notices).toHaveLength(12);
    expect(coverage).toContain('modalities 4, 5, 6, 7, 8, 9, 12');
  });
});
