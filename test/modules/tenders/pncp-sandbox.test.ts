import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULT_MODES } from '../../../sandbox/server/faults.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts';
import { pncpSimulator } from '../../../sandbox/upstreams/pncp/simulator.ts';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { parseCompanyKey } from '../../../src/domain/company.ts';
import { pncp } from '../../../src/modules/tenders/sources/pncp/pncp.ts';
import { orderAt } from '../../../src/modules/tenders/sources/pncp/records.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { built } from './built.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

let db: TestDb;
let sandbox: Sandbox;
beforeAll(async () => {
  db = await testDb();
  sandbox = await startSandbox({ simulators: [pncpSimulator], now: () => NOW });
});
afterAll(async () => {
  await sandbox.close();
  await db.close();
});

/** Failures that a search must detect. A shorter list is not detectable; faults that last until the deadline are excluded. */
const FAULTS = FAULT_MODES.filter(
  (mode) => !['shrunk', 'slow', 'hung', 'silent_after_headers', 'drip', 'endless_body', 'gzip_bomb'].includes(mode),
);

const source = () =>
  built(pncp, { url: `${sandbox.url}/pncp`, origin: 'sandbox', db: db.knex, now: () => NOW, settings: { QUIPU_TENDERS_MONTHS: '12' } });
const SEARCH = { country: 'BR', keyword: null, from: null, to: null } as const;
const ask = (path: string) => fetch(`${sandbox.url}/pncp/api/consulta/v1/${path}`);
/** Sends the request again once after a wrong 422. */
const right = async (path: string): Promise<Response> => {
  const answer = await ask(path);
  return answer.status === 422 ? ask(path) : answer;
};
const DAYS = 'dataInicial=20260101&dataFinal=20261231';

describe('the simulated PNCP', () => {
  it('fills an index with the contracts of the scenarios', { timeout: 60_000 }, async () => {
    const portal = source();
    expect(await portal.sync()).toMatchObject({ outcome: 'loaded' });
    const ordersOf = async (scenario: string) => {
      const key = parseCompanyKey('BR', companyByScenario(scenario).cnpj);
      return (await portal.orders([{ key, first: 20, after: null }])).pages[0];
    };
    expect(await ordersOf('clean-software')).toMatchObject({ total: 64, hasMore: true });
    expect(new Set((await ordersOf('clean-software'))?.items.map((order) => orderAt(order, NOW).status)).size).toBe(3);
    expect((await ordersOf('clean'))?.total).toBe(8);
    expect(new Set((await ordersOf('clean-branch'))?.items.map(({ supplierTaxId }) => supplierTaxId)).size).toBe(2);
    expect(await ordersOf('clean-hotel')).toMatchObject({ total: 1 });
    expect(await ordersOf('clean-old')).toMatchObject({ total: 0, items: [] });
  });

  it('has notices in four states, and finds words', async () => {
    const { notices, coverage } = await source().search(SEARCH);
    expect(new Set(notices.map(({ status }) => status))).toEqual(new Set(['Divulgada no PNCP', 'Revogada', 'Anulada', 'Suspensa']));
    expect(notices.some(({ estimate }) => estimate === null)).toBe(true);
    expect(coverage).not.toContain('were searched');
    const found = await source().search({ ...SEARCH, keyword: 'pavimentacao' });
    expect(found.notices.length).toBeGreaterThan(3);
    expect(found.notices.length).toBeLessThan(notices.length);
  });

  it('returns the errors of the portal for invalid requests', async () => {
    expect((await right(`contratos?${DAYS}&pagina=1&tamanhoPagina=501`)).status).toBe(400);
    expect((await right(`contratacoes/publicacao?${DAYS}&pagina=1&tamanhoPagina=51&codigoModalidadeContratacao=6`)).status).toBe(400);
    expect((await right(`contratacoes/publicacao?${DAYS}&pagina=1`)).status).toBe(400);
    expect((await right('contratos?dataInicial=2026&pagina=1')).status).toBe(400);
    expect((await ask('contratos?dataInicial=20261231&dataFinal=20260101&pagina=1')).status).toBe(422);
    expect((await ask('contratos?dataInicial=20240101&dataFinal=20260101&pagina=1')).status).toBe(422);
    expect((await right('atas')).status).toBe(404);
    const none = await right(`contratos?${DAYS}&pagina=9`);
    expect([none.status, await none.text()]).toEqual([204, '']);
  });

  it('ignores the CNPJ of a supplier in the query', async () => {
    const count = async (query: string) =>
      ((await (await right(`contratos?${query}`)).json()) as { totalRegistros: number }).totalRegistros;
    expect(await count(`${DAYS}&pagina=1&cnpjFornecedor=11222333000181`)).toBe(await count(`${DAYS}&pagina=1`));
  });

  it('rejects valid dates once in 40 requests', async () => {
    const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await ask(`contratos?${DAYS}&pagina=1`)).status));
    expect(statuses.filter((status) => status === 422)).toHaveLength(1);
  });

  it.each(FAULTS)('UP-03 under `%s` returns the same notices or fails', async (mode) => {
    const codes = async () => (await source().search(SEARCH)).notices.map(({ code }) => code);
    const whole = await codes();
    sandbox.faults.set('pncp', { mode });
    const outcome = await codes().catch((error: { code: string }) => error.code);
    sandbox.faults.clear();
    expect(outcome === 'SOURCE_UNAVAILABLE' ? whole : outcome).toEqual(whole);
  });

  it('UP-01 ends a search that hangs', { timeout: 30_000 }, async () => {
    sandbox.faults.set('pncp', { mode: 'hung' });
    await expect(source().search(SEARCH)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    sandbox.faults.clear();
  });
});
