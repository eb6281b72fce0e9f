import { describe, expect, it } from 'vitest';
import { parseCompanyKey } from '../../../src/domain/company.ts';
import { sourceUnavailable } from '../../../src/domain/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/domain/time.ts';
import { createLoaders } from '../../../src/loaders/loader.ts';
import type { TenderSearchResult } from '../../../src/modules/tenders/domain.ts';
import { awardedContractsLoader, tenderOrdersLoader, tenderSearchLoader } from '../../../src/modules/tenders/loader.ts';
import type { SupplierHits, SupplierPageRequest } from '../../../src/modules/tenders/sources/marketplace.ts';
import type { Use } from '../../../src/sources/source.ts';
import { toyAward, toyNotice, toyOrder } from './core-toy.ts';

const CL = parseCompanyKey('CL', '76.795.561-8');
const BR = parseCompanyKey('BR', '11.222.333/0001-81');
const CO = parseCompanyKey('CO', '900.964.705-5');
const TOP = { first: 10, after: null };

/** Creates marketplaces that record their calls and return the data of the test, and a clock that the test controls. */
function marketplaces() {
  const state = {
    now: Date.UTC(2026, 10, 21),
    version: '1',
    orders: [toyOrder('2'), toyOrder('1')],
    findings: { notices: [], coverage: null, sentences: [], from: null, to: null } as TenderSearchResult,
    failing: false,
    calls: [] as unknown[],
  };
  const called = (...call: readonly unknown[]): void => {
    state.calls.push(call);
    if (state.failing) throw sourceUnavailable('pncp', 'it fails');
  };
  const hits = <T>(items: readonly T[], questions: readonly SupplierPageRequest[]): SupplierHits<T> => ({
    pages: questions.map(() => ({ items, total: items.length, hasMore: false })),
    coverage: 'All of it.',
    sentences: [],
    publishedOn: '2026-11-20',
    checkedAt: state.now,
    goodUntil: state.now + 3 * DAY_MS,
  });
  const instance = (name: string) => ({
    version: () => state.version,
    async orders(asked: readonly SupplierPageRequest[] | typeof CO) {
      called(name, asked);
      return Array.isArray(asked)
        ? hits(state.orders, asked)
        : { orders: state.orders, total: state.orders.length, coverage: 'No consortia.', sentences: [] };
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

// https://github.com/tjsasakifln/PNCP-poc (backend/status_inference.py): PNCP says `Divulgada no PNCP` of nearly every call and never that it
// is closed.
describe('the status of PNCP, which states none', () => {
  /** 13:00 UTC is 10:00 in Brasília. */
  const TEN = Date.UTC(2026, 10, 21, 13);
  const notice = (status: string, closesAt: string | null) => ({ ...toyNotice(`${status} ${closesAt}`), status, closesAt });

  it.each([
    ['before the deadline', 'Divulgada no PNCP', '2026-11-21T10:00:01', 'publicada'],
    ['at the deadline', 'Divulgada no PNCP', '2026-11-21T10:00:00', 'cerrada'],
    ['years after it', 'Divulgada no PNCP', '2019-11-05T10:00:00', 'cerrada'],
    ['without a deadline', 'Divulgada no PNCP', null, 'publicada'],
    ['of a call in other letters', 'DIVULGADA NO PNCP ', '2019-11-05T10:00:00', 'cerrada'],
    ['of a revoked call', 'Revogada', '2019-11-05T10:00:00', 'Revogada'],
    ['of an annulled call', 'Anulada', null, 'Anulada'],
    ['of a suspended call', 'Suspensa', '2026-12-01T10:00:00', 'Suspensa'],
  ])('%s is derived from the dates or kept: %s, %s → %s', async (_, status, closesAt, expected) => {
    const { state, loaders } = marketplaces();
    Object.assign(state, { now: TEN, findings: { ...state.findings, notices: [notice(status, closesAt)] } });
    const { value } = await loaders.scope()(tenderSearchLoader, { country: 'BR', keyword: null, from: null, to: null });
    expect(value.notices).toEqual([{ ...notice(status, closesAt), status: expected }]);
  });

  it('is that of the moment of the answer, although the search is cached', async () => {
    const { state, loaders } = marketplaces();
    Object.assign(state, { now: TEN, findings: { ...state.findings, notices: [notice('Divulgada no PNCP', '2026-11-21T10:05:00')] } });
    const ask = async () =>
      (await loaders.scope()(tenderSearchLoader, { country: 'BR', keyword: null, from: null, to: null })).value.notices[0]?.status;
    const first = await ask();
    state.now += 5 * MINUTE_MS;
    expect([first, await ask(), state.calls.length]).toEqual(['publicada', 'cerrada', 1]);
  });

  it('of an order is that of the moment of the answer, although the orders are cached', async () => {
    const { state, loaders } = marketplaces();
    Object.assign(state, { now: Date.UTC(2026, 10, 22, 2, 55), orders: [{ ...toyOrder('1'), status: '2026-11-21' }] }); // five to midnight
    const ask = async () => (await loaders.scope()(tenderOrdersLoader, { key: BR, ...TOP })).value.page.items[0]?.status;
    const first = await ask();
    state.now += 10 * MINUTE_MS;
    expect([first, await ask(), state.calls.length]).toEqual(['vigente', 'encerrado', 1]);
  });
});

describe('the loader of orders', () => {
  it('calls an index once for all suppliers of a country', async () => {
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

  it('merges branches of a CNPJ into one request, and requests each page separately', async () => {
    const { state, loaders } = marketplaces();
    const load = loaders.scope();
    await Promise.all([
      load(tenderOrdersLoader, { key: BR, ...TOP }),
      load(tenderOrdersLoader, { key: parseCompanyKey('BR', '11.222.333/0002-62'), ...TOP }),
      load(tenderOrdersLoader, { key: BR, first: 10, after: { date: null, code: '9' } }),
    ]);
    expect(state.calls).toMatchObject([['pncp', { length: 2 }]]);
  });

  it('calls SECOP once for a company, and takes the pages from the answer', async () => {
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

  it('UP-10 caches an answer for six hours, and drops it when the version of the index changes', async () => {
    const { state, loaders } = marketplaces();
    const ask = () => loaders.scope()(tenderOrdersLoader, { key: CL, ...TOP });
    await ask();
    state.now += 6 * HOUR_MS - 1;
    expect((await ask()).freshness).toMatchObject({ cached: true, stale: false });
    expect(state.calls).toHaveLength(1);
    state.version = '2';
    expect((await ask()).freshness.cached).toBe(false);
    expect(state.calls).toHaveLength(2);
  });

  it.each([
    ['an index', CL],
    ['SECOP', CO],
  ])('UP-11 does not cache an empty answer of %s for longer than 75 minutes', async (_, key) => {
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

  it('UP-10 returns the cached answer for up to a day while the marketplace fails', async () => {
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
  it('calls the Chilean index, and rejects another country', async () => {
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

  it('calls once for words that differ only in accents and case, and caches the answer for a quarter of an hour', async () => {
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

  it('UP-11 does not cache an empty result for longer than an hour', async () => {
    const { state, loaders } = marketplaces();
    await loaders.scope()(tenderSearchLoader, search);
    state.now += HOUR_MS;
    await loaders.scope()(tenderSearchLoader, search);
    expect(state.calls).toHaveLength(2);
  });

  it('calls separately for other days, words or countries', async () => {
    const { state, loaders } = marketplaces();
    const load = loaders.scope();
    const others = [search, { ...search, keyword: null }, { ...search, from: '2026-11-01' }, { ...search, country: 'BR' as const }];
    await Promise.all(others.map((other) => load(tenderSearchLoader, other)));
    expect(state.calls).toHaveLength(4);
  });
});
