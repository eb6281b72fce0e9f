import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import type { TestApp } from '../../support/app.ts';
import { appWithChile } from '../tax-health/chile.ts';

const SEARCH = `query ($name: String!, $country: Country = CL, $first: Int, $after: String) {
  searchCompanies(name: $name, country: $country, first: $first, after: $after) {
    nodes { name score company { identifier country kyb { status } } }
    edges { cursor } pageInfo { hasNextPage endCursor } isTruncated freshness { dataAsOf cached }
  } }`;

let app: TestApp;
beforeAll(async () => {
  app = await appWithChile();
  await vi.waitUntil(async () => (await search({ name: 'panaderia' })).errors === undefined, { timeout: 60_000, interval: 100 }); // the index follows the copy
}, 120_000);
afterAll(() => app.close());

const search = async (variables: Record<string, unknown>, key?: string) => (await app.query(SEARCH, variables, key)).body;

describe('Query.searchCompanies', () => {
  it('finds a company by a misspelled part of its name, with what the registry says about it', async () => {
    const { searchCompanies } = (await search({ name: 'Panadería la maraqueta' })).data;
    expect(searchCompanies.nodes[0]).toMatchObject({
      name: chileanByScenario('cl-clean').name,
      company: { identifier: chileanByScenario('cl-clean').rut, country: 'CL', kyb: { status: 'ACTIVE' } },
    });
    expect(searchCompanies).toMatchObject({ isTruncated: false, freshness: { dataAsOf: expect.stringMatching(/^\d{4}-/) } });
  });

  it('continues after a cursor', async () => {
    const all = (await search({ name: 'nadie', first: 100 })).data.searchCompanies;
    expect(all.nodes.length).toBeGreaterThan(1);
    const first = (await search({ name: 'nadie', first: 1 })).data.searchCompanies;
    expect(first.pageInfo.hasNextPage).toBe(true);
    const next = (await search({ name: 'nadie', first: 1, after: first.pageInfo.endCursor })).data.searchCompanies;
    expect([...first.nodes, ...next.nodes]).toEqual(all.nodes.slice(0, 2));
  });

  it('is an empty page for a name that nobody has', async () => {
    expect((await search({ name: 'xqwzk' })).data.searchCompanies).toMatchObject({ nodes: [], pageInfo: { hasNextPage: false } });
  });

  it.each([
    [{ name: ' - ' }, 'INVALID_INPUT', 'name'],
    [{ name: 'a'.repeat(201) }, 'INVALID_INPUT', 'name'],
    [{ name: 'uno '.repeat(13) }, 'INVALID_INPUT', 'name'],
    [{ name: 'sol', first: 0 }, 'INVALID_INPUT', 'first'],
    [{ name: 'sol', after: 'x' }, 'INVALID_INPUT', 'after'],
    [{ name: 'sol', country: 'CO' }, 'UNSUPPORTED_COUNTRY', 'country'],
    [{ name: 'sol', country: 'BR' }, 'SOURCE_NOT_CONFIGURED', undefined],
  ])('refuses %o', async (variables, code, field) => {
    const { data, errors } = await search(variables);
    expect([data.searchCompanies, errors[0].extensions.code, errors[0].extensions.field]).toEqual([null, code, field]);
  });

  it('counts one check of the module kyb a page, and is refused without the module', async () => {
    const [withKyb, without] = [await app.keyFor('kyb'), await app.keyFor('owners')];
    const query = `{ searchCompanies(name: "comercial", country: CL) { nodes { name } } }`;
    const usage = '{ apiKey { usage { module used } } }';
    expect((await app.query(query, {}, withKyb)).body.errors).toBeUndefined();
    expect((await app.query(usage, {}, withKyb)).body.data.apiKey.usage).toContainEqual({ module: 'KYB', used: 1 });
    expect((await app.query(query, {}, without)).body.errors[0].extensions.code).toBe('MODULE_NOT_ENABLED');
  });
});
