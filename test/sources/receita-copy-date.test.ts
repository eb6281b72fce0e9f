import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { receitaFederal } from '../../src/sources/receita-federal/receita-federal.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { liveSource } from '../support/sources.ts';
import { type Reply, upstream } from '../support/upstream.ts';
import { acme, CNPJ, notFound, opencnpj } from './receita-answers.ts';

afterEach(() => void vi.useRealTimers());

const dated = (date: string): Reply => ({
  headers: { 'content-type': 'text/plain' },
  body: JSON.stringify({ message: `${date} é a data de extração dos dados pela Receita Federal.` }),
});

/** A registry whose `/updated` gives `date`, which a test may replace, and whose every company is `company`. */
async function registry(date: Reply, company: Reply = { body: acme }, second?: Reply) {
  const state = { date };
  const primary = await upstream((path) => (path === '/updated' ? state.date : company));
  const fallback = second && (await upstream(() => second));
  const source = liveSource(receitaFederal, { QUIPU_RECEITA_URL: primary.url, QUIPU_RECEITA_FALLBACK_URL: fallback?.url ?? '' });
  const reads = () => primary.asked.filter((path) => path === '/updated').length;
  return { state, reads, find: () => source.datedCompany(CNPJ) };
}

describe('UP-10 the date of the copy of the Brazilian tax registry', () => {
  it('is read once for many answers, and again after 30 minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { find, reads, state } = await registry(dated('2026-09-12'));
    const answers = await Promise.all(Array.from({ length: 20 }, find));
    expect(new Set(answers.map(({ dataAsOf }) => dataAsOf))).toEqual(new Set(['2026-09-12']));
    state.date = dated('2026-10-11');
    expect(await find()).toMatchObject({ value: { cnpj: CNPJ }, dataAsOf: '2026-09-12' });
    expect(reads()).toBe(1);
    vi.setSystemTime(Date.now() + 30 * 60_000);
    await expect.poll(async () => (await find()).dataAsOf).toBe('2026-10-11');
    expect(reads()).toBe(2);
  });

  it('does not delay an answer while it is read again', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { find, reads, state } = await registry(dated('2026-09-12'));
    await find();
    state.date = () => undefined;
    vi.setSystemTime(Date.now() + 30 * 60_000);
    expect(await find()).toMatchObject({ value: { cnpj: CNPJ }, dataAsOf: '2026-09-12' });
    await expect.poll(reads).toBe(2);
  });

  it.each<[string, Reply]>([
    ['no such page, as BrasilAPI', { status: 400, body: { message: 'CNPJ updated inválido.' } }],
    ['no date in the database', { status: 500, body: '' }],
    ['a page of HTML', { body: '<html>' }],
    ['another message', { body: { message: 'ok' } }],
    ['an impossible date', dated('4100-01-01')],
    ['a reset', ({ socket }) => void socket.destroy()],
    ['silence', () => undefined],
  ])('is null where the registry answers with %s: the company is answered all the same', async (_, reply) => {
    const { find, reads } = await registry(reply);
    expect(await find()).toMatchObject({ value: { cnpj: CNPJ }, dataAsOf: null });
    const tries = reads();
    expect(await find()).toMatchObject({ value: { cnpj: CNPJ }, dataAsOf: null });
    expect(reads()).toBe(tries);
  });

  it('is read again a minute after a failure, for half an hour, and then every half an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { find, reads } = await registry({ status: 500, body: '' });
    for (let minute = 0; minute < 90; minute += 1) {
      await find();
      vi.setSystemTime(Date.now() + 60_000);
    }
    expect(reads()).toBe(30 + 2);
  });

  it('stays the last known one while it cannot be read', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { find, state } = await registry(dated('2026-09-12'));
    await find();
    state.date = { status: 500, body: '' };
    vi.setSystemTime(Date.now() + 30 * 60_000);
    expect(await find()).toMatchObject({ dataAsOf: '2026-09-12' });
  });

  it('dates an absence that both sources confirm', async () => {
    const { find } = await registry(dated('2026-09-12'), notFound, { status: 404, body: { error: 'not found' } });
    expect(await find()).toEqual({ value: null, mirror: null, dataAsOf: '2026-09-12' });
  });

  it('does not date a company that only the second source has', async () => {
    const { find } = await registry(dated('2026-09-12'), notFound, { body: opencnpj });
    expect(await find()).toMatchObject({ value: { cnpj: CNPJ }, dataAsOf: null });
  });
});

describe('UP-10 answers about a Brazilian company', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app.close());

  it('state the date of the copy in GraphQL, and null in REST, as its contract says', async () => {
    const { cnpj } = companyByScenario('clean');
    const { body } = await app.query(
      `{ company(identifier: "${cnpj}") { kyb { freshness { dataAsOf } } owners { freshness { dataAsOf } } } }`,
    );
    const { dataAsOf } = body.data.company.kyb.freshness;
    expect(dataAsOf).toMatch(/^\d{4}-\d{2}-14$/);
    expect(body.data.company.owners.freshness).toEqual({ dataAsOf });
    expect((await app.post('/v1/kyb', { identifier: cnpj, country: 'BR' })).body.data_as_of).toBeNull();
  });
});
