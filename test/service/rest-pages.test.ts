import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { modules } from '../../src/modules/index.ts';
import { call, PATH, publishChanges, subscribe, world } from '../modules/monitor/api-requests.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { loadSandboxMonths } from '../support/registry-copy.ts';
import { urlOf as companyUrlOf } from '../support/route-urls.ts';

/** The lists of `/v1` that have pages: path → member of the reply with the items, and the member that named the position of old clients. */
const LISTS: Readonly<Record<string, { readonly items: string; readonly old?: (item: Item) => string | number }>> = {
  '/v1/evidence': { items: 'evidence', old: ({ receipt }) => receipt.sequence },
  '/v1/monitor/subscriptions': { items: 'subscriptions', old: ({ subscription_id: id }) => id },
  '/v1/monitor/subscriptions/:id/deliveries': { items: 'deliveries', old: ({ delivery_id: id }) => id },
  '/v1/companies/:country/:id/branches': { items: 'branches' },
  '/v1/companies/:country/:id/holdings': { items: 'holdings' },
  '/v1/changes': { items: 'changes', old: ({ cursor }) => cursor },
  '/v1/screenings': { items: 'screenings' },
  '/v1/screenings/:id/results': { items: 'results' },
  '/v1/screenings/:id/rejected': { items: 'rejected' },
  '/v1/companies/:country/:id/history': { items: 'changes' },
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
type Item = any;

const propertiesOf = (shape: z.ZodType): readonly string[] =>
  Object.keys((z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as { properties?: object }).properties ?? {});

const { cnpj } = companyByScenario('clean');
const unread = '99.010.001/0001-85';

describe('the lists of /v1', () => {
  let app: TestApp;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    app = await testApp({ env: { QUIPU_RECEITA_MODE: 'copy-then-live' } });
    await loadSandboxMonths(app);
    for (let n = 0; n < 3; n += 1) await app.post('/v1/compliance-br', { cnpj, receipt: true });
    for (let n = 0; n < 3; n += 1) ids.monitor = (await subscribe(app, { identifiers: [world[n]] })).subscription_id;
    for (const one of world.slice(0, 3)) await publishChanges(app, [one]); // the third company is that of the last monitor
    for (let n = 0; n < 2; n += 1) await app.post(`${PATH}/${ids.monitor}/test`, {});
    for (let n = 0; n < 3; n += 1) {
      const { body } = await app.post('/v1/screenings', { identifiers: [cnpj, unread, unread, unread], country: 'BR' });
      ids.screening = body.screening_id;
    }
  }, 120_000);
  afterAll(() => app.close());

  const { cnpj: changed } = companyByScenario('clean-software');
  const urlOf = (path: string): string =>
    path.endsWith('/history')
      ? `/v1/companies/BR/${changed}/history`
      : companyUrlOf(path, (path.startsWith(PATH) ? ids.monitor : ids.screening) ?? '');
  const get = (path: string, query: string) => call(app, 'GET', `${urlOf(path)}?${query}`);

  /** Reads the pages of a list, one item each. `positionOf` returns the position after a page. */
  async function pagesOf(path: string, positionOf: (body: Item) => string | number): Promise<readonly Item[]> {
    const pages: Item[] = [];
    for (let after: string | number | null = null; ; after = positionOf(pages.at(-1))) {
      const { status, body } = await get(path, `limit=1${after === null ? '' : `&after=${after}`}`);
      expect(status).toBe(200);
      pages.push(body);
      if (!body.has_more) return pages;
    }
  }

  it('are all routes whose replies have pages, but the search of tenders, which numbers them', () => {
    const paged = modules.flatMap(({ routes }) => routes).filter(({ reply }) => propertiesOf(reply).includes('has_more'));
    expect(
      paged
        .filter(({ method }) => method === 'GET')
        .map(({ path }) => path)
        .sort(),
    ).toEqual(Object.keys(LISTS).sort());
    expect(paged.filter(({ method }) => method !== 'GET').map(({ path }) => path)).toEqual([
      ...['/v1/search', '/v1/other-companies', '/v1/tenders/search'],
    ]);
    const lists = paged.filter(({ method }) => method === 'GET');
    expect(lists.filter(({ reply }) => !propertiesOf(reply).includes('next_after'))).toEqual([]);
    expect(lists.filter(({ body }) => !['limit', 'after'].every((name) => propertiesOf(body).includes(name)))).toEqual([]);
  });

  it.each(Object.keys(LISTS))('%s has 1 to 100 items in a page, and refuses other sizes', async (path) => {
    expect((await get(path, 'limit=100')).status).toBe(200);
    for (const limit of ['0', '101', '-1', '1.5', 'x', '']) {
      const { status, body } = await get(path, `limit=${limit}`);
      expect({ status, ...body }).toMatchObject({ status: 422, code: 'invalid_input', errors: [{ field: 'limit' }] });
    }
  });

  it.each(Object.keys(LISTS))('%s refuses a text that is no cursor of it', async (path) => {
    const foreign = Buffer.from(JSON.stringify(['another', '1'])).toString('base64url');
    for (const after of ['x', '-1', foreign, 'mon_00000000000000000000000000000001', 'a'.repeat(257)]) {
      const { status, body } = await get(path, `after=${after}`);
      expect({ status, ...body }).toMatchObject({ status: 422, code: 'invalid_input', errors: [{ field: 'after' }] });
    }
  });

  it.each([
    '/v1/evidence',
    '/v1/monitor/subscriptions',
    '/v1/monitor/subscriptions/:id/deliveries',
    '/v1/screenings',
    '/v1/screenings/:id/rejected',
    '/v1/companies/:country/:id/history',
  ])('%s continues after next_after, without a gap or a repetition', async (path) => {
    const { items } = LISTS[path] ?? { items: '' };
    const { body: whole } = await get(path, '');
    const pages = await pagesOf(path, ({ next_after }) => next_after);
    expect(pages).toHaveLength(3);
    expect(pages.map(({ has_more }) => has_more)).toEqual([true, true, false]);
    expect(pages.flatMap((page) => page[items])).toEqual(whole[items]);
    const end = await get(path, `after=${pages.at(-1).next_after}`);
    expect(end.body).toMatchObject({ [items]: [], has_more: false, next_after: null });
  });

  it.each(Object.entries(LISTS).flatMap(([path, { items, old }]) => (old ? [{ path, items, old }] : [])))(
    '$path continues after the value of the last item, as clients of earlier versions send it',
    async ({ path, items, old }) => {
      const byCursor = await pagesOf(path, ({ next_after }) => next_after);
      expect(await pagesOf(path, (page) => old(page[items].at(-1)))).toEqual(byCursor);
    },
  );
});
