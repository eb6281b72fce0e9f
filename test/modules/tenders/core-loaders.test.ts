import { describe, expect, it } from 'vitest';
import { parseCompanyKey } from '../../../src/domain/company.ts';
import { sourceUnavailable } from '../../../src/domain/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/domain/time.ts';
import { createLoaders } from '../../../src/loaders/loader.ts';
import type { TenderSearchResult } from '../../../src/modules/tenders/domain.ts';
import { tenderSearchLoader } from '../../../src/modules/tenders/loaders/search.ts';
import { awardedContractsLoader, tenderOrdersLoader } from '../../../src/modules/tenders/loaders/supplier.ts';
import type { SupplierHits, SupplierPageRequest } from '../../../src/modules/tenders/sources/marketplace.ts';
import type { Use } from '../../../src/sources/source.ts';
import { toyAward, toyOrder } from './core-toy.ts';

const CL = parseCompanyKey('CL', '76.795.561-8');
const BR = parseCompanyKey('BR', '11.222.333/0001-81');
const CO = parseCompanyKey('CO', '900.964.705-5');
const TOP = { first: 10, after: null };

/** Marketplaces that count their calls and give what the test put there; a clock that the test moves on. */
function marketplaces() {
  const state = {
    now: Date.UTC(2026, 10, 21),
    edition: '1',
    orders: [toyOrder('2'), toyOrder('1')],
    findings: { notices: [], coverage: null, from: null, to: null } as TenderSearchResult,
    failing: false,
    calls: [] as unknown[],
  };
  const called = (...call: readonly unknown[]): void => {
    state.calls.push(call);
    if (state.failing) throw sourceUnavailable('toy', 'it fails');
  };
  const hits = <T>(items: readonly T[], questions: readonly SupplierPageRequest[]): SupplierHits<T> => ({
    pages: questions.map(() => ({ items, total: items.length, hasMore: false })),
    coverage: 'All of it.',
    publishedOn: '2026-11-20',
    checkedAt: state.now,
    goodUntil: state.now + 3 * DAY_MS,
  });
  const instance = (name: string) => ({
    version: () => state.edition,
    async orders(asked: readonly SupplierPageRequest[] | typeof CO) {
      called(name, asked);
      return Array.isArray(asked)
        ? hits(state.orders, asked)
        : { orders: state.orders, total: state.orders.length, coverage: 'No consortia.' };
    },
    async awards(asked: readonly SupplierPageRequest[]) {
      called(name, asked);
      return hits([toyAward('1')], asked);
    },
    async search(search: unknown) {
      called(name, search);
      return state.findings;
    },
  });
  const use = ((source: { readonly name: string }) => instance(source.name)) as unknown as Use;
  return { state, loaders: createLoaders(use, () => state.now) };
}

describe('the loader of orders', () => {
  it('asks an index once for all the suppliers of a country', async () => {
    const { state, loaders } = marketplaces();
    const load = loaders.scope();
    const answers = await Promise.all([
      load(tenderOrdersLoader, { key: BR, ...TOP }),
      load(tenderOrdersLoader, { key: CL, ...TOP }),
      load(tenderOrdersLoader, { key: parseCompanyKey('CL', '69.251.200-6'), ...TOP }),
    ]);
    expect(state.calls.map((call) => (call as unknown[])[0])).toEqual(['pncp', 'mercadopublico']);
    expect(answers[1]).toMatchObject({
      value: { source: 'mercadopublico', coverage: 'All of it.', page: { total: 2 } },
      freshness: { dataAsOf: '2026-11-20', fetchedAt: state.now },
    });
  });

  it('takes branches of a CNPJ for one company, and every stretch for a question of its own', async () => {
    const { state, loaders } = marketplaces();
    const load = loaders.scope();
    await Promise.all([
      load(tenderOrdersLoader, { key: BR, ...TOP }),
      load(tenderOrdersLoader, { key: parseCompanyKey('BR', '11.222.333/0002-62'), ...TOP }),
      load(tenderOrdersLoader, { key: BR, first: 10, after: { date: null, code: '9' } }),
    ]);
    expect(state.calls).toMatchObject([['pncp', { length: 2 }]]);
  });

  it('asks SECOP once for a company, and cuts the stretches out of the answer', async () => {
    const { state, loaders } = marketplaces();
    const pages = await Promise.all([
      loaders.scope()(tenderOrdersLoader, { key: CO, first: 1, after: null }),
      loaders.scope()(tenderOrdersLoader, { key: CO, first: 1, after: { date: '2026-09-01', code: '2' } }),
    ]);
    expect(pages.map(({ value }) => [value.page.items[0]?.code, value.page.hasMore, value.source])).toEqual([
      ['2', true, 'secopii'],
      ['1', false, 'secopii'],
    ]);
    expect(state.calls).toHaveLength(1);
  });

  it('UP-10 keeps an answer for six hours, and forgets it at once when a part of the index is loaded anew', async () => {
    const { state, loaders } = marketplaces();
    const ask = () => loaders.scope()(tenderOrdersLoader, { key: CL, ...TOP });
    await ask();
    state.now += 6 * HOUR_MS - 1;
    expect((await ask()).freshness).toMatchObject({ cached: true, stale: false });
    expect(state.calls).toHaveLength(1);
    state.edition = '2';
    expect((await ask()).freshness.cached).toBe(false);
    expect(state.calls).toHaveLength(2);
  });

  it.each([
    ['an index', CL],
    ['SECOP', CO],
  ])('UP-11 does not remember "none" of %s for longer than an hour', async (_, key) => {
    const { state, loaders } = marketplaces();
    state.orders = [];
    const ask = () => loaders.scope()(tenderOrdersLoader, { key, ...TOP });
    expect((await ask()).value.page.total).toBe(0);
    state.orders = [toyOrder('1')];
    state.now += 15 * MINUTE_MS - 1;
    expect((await ask()).value.page.total).toBe(0);
    state.now += HOUR_MS;
    expect((await ask()).value.page.total).toBe(1);
  });

  it('UP-10 gives what is kept while the marketplace fails, up to a day', async () => {
    const { state, loaders } = marketplaces();
    const ask = () => loaders.scope()(tenderOrdersLoader, { key: CL, ...TOP });
    await ask();
    state.failing = true;
    state.now += 23 * HOUR_MS;
    expect((await ask()).freshness.stale).toBe(true);
    state.now += 2 * HOUR_MS;
    await expect(ask()).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });
});

describe('the loader of awards', () => {
  it('asks the Chilean index, and for no other country', async () => {
    const { state, loaders } = marketplaces();
    const load = loaders.scope();
    expect(await load(awardedContractsLoader, { key: CL, ...TOP })).toMatchObject({
      value: { source: 'mercadopublico', page: { items: [{ code: '1' }] } },
    });
    await expect(load(awardedContractsLoader, { key: CO, ...TOP })).rejects.toMatchObject({ code: 'UNSUPPORTED_COUNTRY' });
    expect(state.calls).toHaveLength(1);
  });
});

describe('the loader of searches', () => {
  const search = { country: 'CO', keyword: 'Mantención', from: null, to: null } as const;

  it('asks once for words that differ in accents and case only, and keeps the answer for a quarter of an hour', async () => {
    const { state, loaders } = marketplaces();
    state.findings = { ...state.findings, notices: [{ code: '1' }] as unknown as TenderSearchResult['notices'] };
    await loaders.scope()(tenderSearchLoader, search);
    state.now += 15 * MINUTE_MS - 1;
    const kept = await loaders.scope()(tenderSearchLoader, { ...search, keyword: 'MANTENCION' });
    expect(kept).toMatchObject({ value: { source: 'secopii', notices: [{ code: '1' }] }, freshness: { cached: true, stale: false } });
    expect(state.calls).toHaveLength(1);
    state.now += 6 * HOUR_MS;
    await loaders.scope()(tenderSearchLoader, search);
    expect(state.calls).toHaveLength(2);
  });

  it('UP-11 does not remember that nothing was found for longer than an hour', async () => {
    const { state, loaders } = marketplaces();
    await loaders.scope()(tenderSearchLoader, search);
    state.now += HOUR_MS;
    await loaders.scope()(tenderSearchLoader, search);
    expect(state.calls).toHaveLength(2);
  });

  it('takes other days, words or countries for other questions', async () => {
    const { state, loaders } = marketplaces();
    const load = loaders.scope();
    const others = [search, { ...search, keyword: null }, { ...search, from: '2026-11-01' }, { ...search, country: 'BR' as const }];
    await Promise.all(others.map((other) => load(tenderSearchLoader, other)));
    expect(state.calls).toHaveLength(4);
  });
});
