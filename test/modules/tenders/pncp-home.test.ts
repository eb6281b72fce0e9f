import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseCompanyKey } from '../../../src/domain/company.ts';
import { pncp } from '../../../src/modules/tenders/sources/pncp/pncp.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { type Reply, upstream } from '../../support/upstream.ts';
import { built } from './built.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(() => db.knex.raw('TRUNCATE tender_rows, tender_slices, tender_indexes'));

const record = (sequence: number) => ({
  numeroControlePNCP: `83102277000152-2-${String(sequence).padStart(6, '0')}/2026`,
  anoContrato: 2026,
  sequencialContrato: sequence,
  objetoContrato: 'MANUTENÇÃO',
  receita: false,
  tipoPessoa: 'PJ',
  niFornecedor: '11222333000181',
  orgaoEntidade: { cnpj: '83102277000152', razaoSocial: 'MUNICIPIO DE ITAJAI' },
  valorGlobal: 1,
  dataAssinatura: '2026-11-02',
  dataVigenciaFim: null,
});
const page = (records: readonly object[], total = records.length, pages = 1): Reply => ({
  body: { data: records, totalRegistros: total, totalPaginas: pages },
});

/** Creates the source with origin `live` on a test server, at the given day of November. */
async function homeOf(reply: (nth: number) => Reply, day = 3) {
  const portal = await upstream((_, nth) => reply(nth));
  const now = () => Date.UTC(2026, 10, day, 12);
  const source = built(pncp, { url: portal.url, origin: 'live', db: db.knex, now, settings: { QUIPU_TENDERS_MONTHS: '1' } });
  return { source, portal };
}

describe('a sync with the live portal', () => {
  it('retries a page that fails', { timeout: 60_000 }, async () => {
    const pages: Reply[] = [{ body: '<html>' }, page([record(1)], 2, 2), page([record(2)], 2, 2)];
    const { source, portal } = await homeOf((nth) => pages[nth - 1] ?? page([]));
    expect(await source.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 2 } });
    expect(portal.asked).toHaveLength(3);
    const key = parseCompanyKey('BR', '11.222.333/0001-81');
    expect((await source.orders([{ key, first: 9, after: null }])).pages[0]).toMatchObject({ total: 2 });
  });

  it('UP-03 rejects a list with far fewer contracts than its count', async () => {
    const { source } = await homeOf(() => page([record(1)], 100));
    expect(await source.sync()).toMatchObject({ outcome: 'refused', reason: 'not_a_list' });
    expect(source.logged()).toContain('1 of 100 contracts came');
  });

  it('UP-03 rejects past days without a contract', async () => {
    const { source } = await homeOf(() => ({ status: 204, body: '' }), 8);
    expect(await source.sync()).toMatchObject({ outcome: 'refused', reason: 'not_a_list' });
    expect(await source.status()).toMatchObject({ list: { entries: 0 } });
  });
});
