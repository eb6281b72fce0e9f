import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BRASILIA_OFFSET_MS, DAY_MS, isoDate } from '../../../src/domain/time.ts';
import type { TestApp } from '../../support/app.ts';
import { tendersApp } from './core-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await tendersApp();
}, 120_000);
afterAll(() => app.close());

const search = (body: unknown, key?: string) => app.post('/v1/tenders/search', body, key);
/** The date `days` days ago as DD/MM/YYYY. */
const daysAgo = (days: number) =>
  isoDate(Date.now() + BRASILIA_OFFSET_MS - days * DAY_MS)
    .split('-')
    .reverse()
    .join('/');

const SOURCES = { CL: 'mercadopublico', BR: 'pncp', CO: 'secopii' } as const;
const COUNTRIES = Object.keys(SOURCES) as (keyof typeof SOURCES)[];

describe('POST /v1/tenders/search', () => {
  it.each(COUNTRIES)('returns every field of the specification for %s', async (country) => {
    const { status, body } = await search({ country });
    expect(status).toBe(200);
    const { results, coverage, ...rest } = body;
    expect(rest).toEqual({
      total: results.length,
      source: SOURCES[country],
      attribution: expect.any(String),
      page: 1,
      has_more: expect.any(Boolean),
    });
    expect(coverage === null || /\.$/.test(coverage)).toBe(true);
    expect(results.length).toBeGreaterThan(0);
    expect(results.length).toBeLessThanOrEqual(20);
    for (const result of results) {
      expect(result).toEqual({
        code: expect.stringMatching(/./),
        name: expect.stringMatching(/./),
        status: expect.stringMatching(/./),
        closes_at: expect.stringMatching(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)?$/),
      });
    }
  });

  it('states of Brazilian calls whether they are open, closed or not held, in REST and GraphQL', async () => {
    const { body } = await search({ country: 'BR', date_from: daysAgo(29), date_to: daysAgo(20) });
    const { body: graph } = await app.query('{ searchTenders(country: BR, first: 100) { nodes { status closesAt } } }');
    const notices: { status: string; closesAt: string | null }[] = graph.data.searchTenders.nodes;
    const isOver = ({ closesAt }: { closesAt: string | null }) => closesAt !== null && Date.parse(closesAt) < Date.now();
    expect(new Set(body.results.map(({ status }: { status: string }) => status))).toContain('cerrada');
    expect(new Set(notices.map(({ status }) => status))).toEqual(new Set(['publicada', 'cerrada', 'Revogada', 'Anulada', 'Suspensa']));
    expect(notices.filter(({ status }) => status === 'cerrada').every(isOver)).toBe(true);
    expect(notices.filter(({ status }) => status === 'publicada').some(isOver)).toBe(false);
  });

  it.each(COUNTRIES)('returns several pages of %s without duplicates', async (country) => {
    const weeks = { country, date_from: daysAgo(country === 'CO' ? 90 : 29), date_to: daysAgo(0) };
    const codes: string[] = [];
    let more = true;
    for (let page = 1; more; page += 1) {
      const { body } = await search({ ...weeks, page });
      expect(body).toMatchObject({ page, total: body.results.length });
      expect(body.results).toHaveLength(body.has_more ? 20 : body.results.length);
      codes.push(...body.results.map(({ code }: { code: string }) => code));
      more = body.has_more;
    }
    expect(codes.length).toBeGreaterThan(20);
    expect(new Set(codes).size).toBe(codes.length);
    expect((await search({ ...weeks, page: 10_000 })).body).toMatchObject({ total: 0, results: [], has_more: false });
  });

  it.each(COUNTRIES)('finds words without accents and case in %s, and nothing for an unknown word', async (country) => {
    const all = await search({ country });
    const word = all.body.results.map(({ name }: { name: string }) => /\p{L}{6,}/u.exec(name)?.[0]).find(Boolean) as string;
    const folded = word.normalize('NFD').replace(/\p{M}/gu, '');
    const [as, plain] = [
      await search({ country, keyword: word.toUpperCase() }),
      await search({ country, keyword: ` ${folded.toLowerCase()} ` }),
    ];
    expect(as.body.results.length).toBeGreaterThan(0);
    expect(plain.body.results).toEqual(as.body.results);
    const none = await search({ country, keyword: 'xyzzyplugh' });
    expect([none.status, none.body.total, none.body.results, none.body.has_more]).toEqual([200, 0, [], false]);
  });

  it.each(COUNTRIES)('accepts a range of days in %s', async (country) => {
    const recent = await search({ country, date_from: daysAgo(10), date_to: daysAgo(0) });
    expect(recent.status).toBe(200);
    expect(recent.body.results.length).toBeGreaterThan(0);
    const one = await search({ country, date_from: daysAgo(3), date_to: daysAgo(3) });
    expect(one.status).toBe(200);
    expect(one.body.results.length).toBeLessThanOrEqual(recent.body.results.length);
  });

  it('ignores empty fields', async () => {
    const bare = await search({ country: 'CO' });
    const empty = await search({ country: ' co ', keyword: '  ', date_from: null, date_to: '', page: null });
    expect(empty.body).toEqual(bare.body);
  });

  it.each([
    ['no country', {}, 'country'],
    ['a country that is none', { country: 12 }, 'country'],
    ['an ISO date', { country: 'CO', date_from: '2026-11-01' }, 'date_from'],
    ['a day that is not in the calendar', { country: 'CO', date_to: '31/02/2026' }, 'date_to'],
    ['a day in the future', { country: 'CO', date_from: '01/01/2126' }, 'date_from'],
    ['dates in the wrong order', { country: 'CO', date_from: daysAgo(1), date_to: daysAgo(2) }, 'date_from'],
    ['a page before the first', { country: 'CO', page: 0 }, 'page'],
    ['half a page', { country: 'CO', page: 1.5 }, 'page'],
    ['a keyword that is no text', { country: 'CO', keyword: ['a'] }, 'keyword'],
    ['a keyword without end', { country: 'CO', keyword: 'a'.repeat(201) }, 'keyword'],
  ])('rejects %s', async (_, body, field) => {
    const answer = await search(body);
    expect([answer.status, answer.body.code, answer.body.errors?.[0]?.field]).toEqual([422, 'invalid_input', field]);
  });

  it('rejects other countries', async () => {
    const { status, body } = await search({ country: 'PE', keyword: 'papel' });
    expect([status, body.code]).toEqual([422, 'unsupported_country']);
  });

  it('requires the module tenders', async () => {
    const { status, body } = await search({ country: 'CL' }, await app.keyFor('kyb'));
    expect([status, body.code]).toEqual([403, 'module_not_enabled']);
  });
});
