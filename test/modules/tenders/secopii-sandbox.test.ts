import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULT_MODES } from '../../../sandbox/server/faults.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts';
import { secopiiSimulator } from '../../../sandbox/upstreams/secopii/simulator.ts';
import { colombianByScenario, colombianCompanies } from '../../../sandbox/world/colombia.ts';
import { parseCompanyKey } from '../../../src/domain/company.ts';
import { secopii } from '../../../src/modules/tenders/sources/secopii/secopii.ts';
import { built } from './built.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ simulators: [secopiiSimulator], now: () => NOW });
});
afterAll(() => sandbox.close());

/** Failures that a request must detect. A shorter list is not detectable; faults that last until the deadline are excluded. */
const FAULTS = FAULT_MODES.filter(
  (mode) => !['shrunk', 'slow', 'hung', 'silent_after_headers', 'drip', 'endless_body', 'gzip_bomb'].includes(mode),
);

const source = (settings = {}) => built(secopii, { url: `${sandbox.url}/secopii`, now: () => NOW, settings });
const keyOf = (scenario: string) => parseCompanyKey('CO', colombianByScenario(scenario).nit);
const ask = async (query: string): Promise<{ status: number; rows: readonly Record<string, unknown>[] & { errorCode?: string } }> => {
  const answer = await fetch(`${sandbox.url}/secopii/${query}`);
  return { status: answer.status, rows: (await answer.json()) as never };
};

describe('the simulated SECOP II', () => {
  it.each([
    ['co-supplier', 36],
    ['co-supplier-dv', 4],
    ['co-supplier-dotted', 6],
    ['co-drafts-only', 0],
    ['co-no-contracts', 0],
    ['co-typo-value', 2],
    ['co-doubled', 2],
    ['co-undated', 2],
    ['co-crowd-1', 1],
    ['co-crowd-2', 2],
  ])('has for %s a total of %d contracts', async (scenario, count) => {
    expect(await source().orders(keyOf(scenario))).toMatchObject({ total: count });
  });

  it('has contracts in nine states, one without a date last, and one without a total', async () => {
    const { orders } = await source().orders(keyOf('co-supplier'));
    expect(new Set(orders.map(({ status }) => status)).size).toBe(9);
    expect((await source().orders(keyOf('co-undated'))).orders.at(-1)).toMatchObject({ date: null });
    expect((await source().orders(keyOf('co-typo-value'))).orders.map(({ total }) => total?.amount ?? null)).toEqual([
      null,
      7_450_000_000.5,
    ]);
  });

  it('has contracts for every company except two, and those of the register', async () => {
    const portal = source();
    const none: string[] = [];
    for (const { scenario, nit } of colombianCompanies.filter(({ nit }) => !nit.startsWith('999002')))
      if ((await portal.orders({ country: 'CO', taxId: nit })).total === 0) none.push(scenario);
    expect(none).toEqual(['co-drafts-only', 'co-no-contracts']);
  });

  it('is searched by words without accents and by days', async () => {
    const { notices } = await source().search({ country: 'CO', keyword: 'ALIMENTACION rural', from: null, to: null });
    expect(notices.length).toBeGreaterThan(5);
    expect(notices.every(({ description }) => description?.includes('alimentación escolar'))).toBe(true);
    expect(notices.map(({ publishedAt }) => publishedAt)).toEqual(
      notices
        .map(({ publishedAt }) => publishedAt)
        .sort()
        .reverse(),
    );
    const [newest] = notices;
    const day = newest?.publishedAt?.slice(0, 10) ?? '';
    expect((await source().search({ country: 'CO', keyword: 'alimentación', from: day, to: day })).notices).toEqual([newest]);
    expect(
      new Set((await source().search({ country: 'CO', keyword: 'a', from: null, to: null })).notices.map(({ status }) => status)).size,
    ).toBe(7);
  });

  it('returns the errors of the portal for invalid requests', async () => {
    expect(await ask('jbjy-vk9h.json?$select=foo')).toMatchObject({ status: 400, rows: { errorCode: 'query.soql.no-such-column' } });
    expect(await ask('jbjy-vk9h.json?$where=upper(x)')).toMatchObject({ status: 400, rows: { errorCode: 'query.compiler.malformed' } });
    expect(await ask('aaaa-bbbb.json')).toMatchObject({ status: 404, rows: { errorCode: 'dataset.missing' } });
    await expect(source({ QUIPU_SECOP_APP_TOKEN: 'wrong' }).orders(keyOf('co-supplier'))).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
    });
    expect(await source({ QUIPU_SECOP_APP_TOKEN: 'a'.repeat(25) }).orders(keyOf('co-supplier'))).toMatchObject({ total: 36 });
  });

  it('returns pages, sorts nulls first in descending order, and omits null columns', async () => {
    const { rows: first } = await ask('jbjy-vk9h.json?$order=fecha_de_firma%20DESC,id_contrato&$limit=3');
    const { rows: next } = await ask('jbjy-vk9h.json?$order=fecha_de_firma%20DESC,id_contrato&$limit=3&$offset=1');
    expect(first[0]).not.toHaveProperty('fecha_de_firma');
    expect(next.slice(0, 2)).toEqual(first.slice(1));
    const { rows: one } = await ask("jbjy-vk9h.json?$where=id_contrato='CO1.PCCNTR.1000001'");
    expect(one).toHaveLength(1);
  });

  it.each(FAULTS)('UP-03 under `%s` returns the same contracts or fails', async (mode) => {
    const whole = (await source().orders(keyOf('co-supplier'))).orders.map(({ code }) => code);
    sandbox.faults.set('secopii', { mode });
    const outcome = await source()
      .orders(keyOf('co-supplier'))
      .then(({ orders }) => orders.map(({ code }) => code))
      .catch((error: { code: string }) => error.code);
    sandbox.faults.clear();
    expect(outcome === 'SOURCE_UNAVAILABLE' ? whole : outcome).toEqual(whole);
  });

  it('UP-01 ends requests that hang', { timeout: 30_000 }, async () => {
    sandbox.faults.set('secopii', { mode: 'hung' });
    const asked = source();
    const search = asked.search({ country: 'CO', keyword: 'agua', from: null, to: null });
    await Promise.all([
      expect(asked.orders(keyOf('co-supplier'))).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' }),
      expect(search).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' }),
    ]);
    sandbox.faults.clear();
  });
});
