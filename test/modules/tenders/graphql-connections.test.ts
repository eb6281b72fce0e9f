import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cnpjOf } from '../../../sandbox/world/brazil/company.ts';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../../sandbox/world/colombia.ts';
import type { TestApp } from '../../support/app.ts';
import { tendersApp } from './core-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await tendersApp();
}, 120_000);
afterAll(() => app.close());

const COMPANIES = {
  CL: chileanByScenario('cl-supplier').rut,
  BR: companyByScenario('clean-software').cnpj,
  CO: colombianByScenario('co-supplier').nit,
} as const;
interface Notice {
  readonly closesAt: string | null;
  readonly publishedAt: string | null;
}
const COUNTRIES = Object.keys(COMPANIES) as (keyof typeof COMPANIES)[];

const PAGE = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const WHOLE = `totalCount source coverage freshness { fetchedAt dataAsOf cached stale expiresAt } ${PAGE}`;
const ORDER = 'code name status total { amount currency } date buyer buyerTaxId tenderCode supplierTaxId url';

const company = (country: keyof typeof COMPANIES, fields: string) =>
  app.query(`{ company(identifier: "${COMPANIES[country]}", country: ${country}) { ${fields} } }`);
const DECIMAL = /^\d+(\.\d+)?$/;
/** RFC 3339 with the offsets that a country may have. */
const LOCAL_TIME = {
  CL: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-0[34]:00$/,
  BR: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-03:00$/,
  CO: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-05:00$/,
};
const invalid = (field: string) => expect.objectContaining({ code: 'INVALID_INPUT', field });

/** Reads all pages of a connection with `ask` and returns the codes. */
async function walk(ask: (after: string | null) => Promise<{ edges: { cursor: string; node: { code: string } }[]; pageInfo: never }>) {
  const codes: string[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const { edges, pageInfo }: Awaited<ReturnType<typeof ask>> = await ask(after);
    const { hasNextPage, hasPreviousPage, endCursor } = pageInfo as { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string };
    expect([hasPreviousPage, endCursor]).toEqual([after !== null, edges.at(-1)?.cursor]);
    codes.push(...edges.map(({ node }) => node.code));
    [after, more] = [endCursor, hasNextPage];
  }
  return codes;
}

describe('Company.tenders', () => {
  it.each(COUNTRIES)('returns orders with their fields, newest first: %s', async (country) => {
    const { body } = await company(country, `tenders(first: 5) { ${WHOLE} nodes { ${ORDER} } edges { cursor node { code } } }`);
    expect(body.errors).toBeUndefined();
    const { tenders } = body.data.company;
    expect(tenders).toMatchObject({
      source: { CL: 'MERCADOPUBLICO', BR: 'PNCP', CO: 'SECOPII' }[country],
      coverage: expect.stringMatching(/\.$/),
      freshness: { fetchedAt: expect.any(String), stale: false },
      pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: tenders.edges[0].cursor },
    });
    expect(tenders.totalCount).toBeGreaterThan(20);
    expect(tenders.nodes).toHaveLength(5);
    expect(tenders.nodes.some(({ total }: { total: unknown }) => total !== null)).toBe(true);
    for (const { total, date } of tenders.nodes) {
      if (total) expect(total).toEqual({ amount: expect.stringMatching(DECIMAL), currency: expect.stringMatching(/^[A-Z]{3}$/) });
      if (date) expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
    const dates = tenders.nodes.map(({ date }: { date: string | null }) => date ?? '');
    expect(dates).toEqual(dates.toSorted().reverse());
  });

  it.each(COUNTRIES)('returns in pages the same orders as REST: %s', async (country) => {
    const codes = await walk(async (after) => {
      const args = `first: 7${after ? `, after: "${after}"` : ''}`;
      const { body } = await company(country, `tenders(${args}) { ${PAGE} edges { cursor node { code } } }`);
      return body.data.company.tenders;
    });
    const rest = await app.post('/v1/tenders', { identifier: COMPANIES[country], country });
    expect(codes).toEqual(rest.body.orders.map(({ code }: { code: string }) => code));
  });

  it('returns twenty orders by default, and an empty page for a company without orders', async () => {
    expect((await company('BR', 'tenders { nodes { code } }')).body.data.company.tenders.nodes).toHaveLength(20);
    expect((await company('BR', 'tenders(first: null) { nodes { code } }')).body.data.company.tenders.nodes).toHaveLength(20);
    const { body } = await app.query(`{ company(identifier: "11222333000181") { tenders { totalCount nodes { code } ${PAGE} } } }`);
    expect(body.data.company.tenders).toEqual({
      totalCount: 0,
      nodes: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  it('runs one SQL statement for 500 companies of a country', async () => {
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => void (/tender_rows/.test(sql) && statements.push(sql));
    app.db.on('query', note);
    const identifiers = Array.from({ length: 500 }, (_, n) => cnpjOf(String(98_000_000 + n)));
    const { body } = await app.query('query($ids: [String!]!) { companies(identifiers: $ids) { tenders { totalCount } } }', {
      ids: identifiers,
    });
    app.db.off('query', note);
    expect(body.errors).toBeUndefined();
    expect(body.data.companies.map(({ tenders }: { tenders: { totalCount: number } }) => tenders.totalCount)).toEqual(
      identifiers.map(() => 0),
    );
    expect(statements).toHaveLength(1);
  });

  it.each([
    ['first: 0', 'first'],
    ['after: "nonsense"', 'after'],
    [`after: "${Buffer.from('["order","2026-01-01"]').toString('base64url')}"`, 'after'],
    [`after: "${Buffer.from('["award","2026-01-01","1"]').toString('base64url')}"`, 'after'],
    [`after: "${Buffer.from('["order","soon","1"]').toString('base64url')}"`, 'after'],
    [`after: "${Buffer.from('["order","2026-02-31","1"]').toString('base64url')}"`, 'after'],
    [`after: "${Buffer.from('["order",null,"\\u0000"]').toString('base64url')}"`, 'after'],
    [`after: "${Buffer.from('{}').toString('base64url')}"`, 'after'],
  ])('rejects %s', async (args, field) => {
    const { body } = await company('BR', `formattedIdentifier tenders(${args}) { totalCount }`);
    expect(body.data.company).toEqual({ formattedIdentifier: expect.any(String), tenders: null });
    expect(body.errors).toMatchObject([{ path: ['company', 'tenders'], extensions: invalid(field) }]);
  });

  it('is null beside MODULE_NOT_ENABLED for a key without tenders', async () => {
    const key = await app.keyFor('kyb');
    const { body } = await app.query(
      `{ company(identifier: "${COMPANIES.CL}") { tenders { totalCount } awardedContracts { totalCount } } searchTenders(country: CL) { totalCount } }`,
      {},
      key,
    );
    expect(body.data).toEqual({ company: { tenders: null, awardedContracts: null }, searchTenders: null });
    expect(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual(
      Array(3).fill('MODULE_NOT_ENABLED'),
    );
  });
});

describe('Company.awardedContracts', () => {
  it('returns in pages the same contracts as REST', async () => {
    const fields = `${WHOLE} edges { cursor node { code name status total { amount currency } awardedAt buyer buyerTaxId } }`;
    const codes = await walk(async (after) => {
      const { body } = await company('CL', `awardedContracts(first: 2${after ? `, after: "${after}"` : ''}) { ${fields} }`);
      expect(body.errors).toBeUndefined();
      for (const { node } of body.data.company.awardedContracts.edges) {
        expect(node).toMatchObject({
          total: { amount: expect.stringMatching(DECIMAL) },
          awardedAt: expect.stringMatching(LOCAL_TIME.CL),
        });
      }
      return body.data.company.awardedContracts;
    });
    const rest = await app.post('/v1/tenders/awarded', { rut: COMPANIES.CL });
    expect(codes).toEqual(rest.body.contracts.map(({ code }: { code: string }) => code));
    expect(codes.length).toBeGreaterThan(2);
  });

  it('is null without an error outside Chile', async () => {
    const { body } = await company('BR', 'awardedContracts { totalCount }');
    expect(body.data.company.awardedContracts).toBeNull();
    expect(body.errors).toBeUndefined();
  });
});

describe('Query.searchTenders', () => {
  const NOTICE = 'code name description status closesAt publishedAt estimate { amount currency } buyer buyerTaxId url';

  it.each(COUNTRIES)('returns the same first notices as REST: %s', async (country) => {
    const codes = await walk(async (after) => {
      const args = `country: ${country}, first: 100${after ? `, after: "${after}"` : ''}`;
      const { body } = await app.query(
        `{ searchTenders(${args}) { ${WHOLE} dateFrom dateTo nodes { ${NOTICE} } edges { cursor node { code } } } }`,
      );
      expect(body.errors).toBeUndefined();
      const times = body.data.searchTenders.nodes.flatMap((one: Notice) => [one.closesAt, one.publishedAt]).filter(Boolean);
      expect(times.length).toBeGreaterThan(0);
      for (const time of times) expect(time).toMatch(LOCAL_TIME[country]);
      return body.data.searchTenders;
    });
    const { body } = await app.post('/v1/tenders/search', { country });
    expect(codes.slice(0, 20)).toEqual(body.results.map(({ code }: { code: string }) => code));
  });

  it('continues at the position of a notice that was removed', async () => {
    const gone = Buffer.from('["notice","gone",5]'.replace('5', '"5"')).toString('base64url');
    const { body } = await app.query(
      `{ all: searchTenders(country: BR) { nodes { code } } rest: searchTenders(country: BR, first: 1, after: "${gone}") { nodes { code } } }`,
    );
    expect(body.data.rest.nodes).toEqual(body.data.all.nodes.slice(5, 6));
  });

  it.each([
    ['dateFrom: "2126-01-01"', 'dateFrom'],
    ['dateFrom: "2026-11-02", dateTo: "2026-11-01"', 'dateFrom'],
    [`keyword: "${'a'.repeat(201)}"`, 'keyword'],
    [`after: "${Buffer.from('["notice","1","-1"]').toString('base64url')}"`, 'after'],
  ])('rejects %s', async (args, field) => {
    const { body } = await app.query(`{ searchTenders(country: BR, ${args}) { totalCount } }`);
    expect(body).toMatchObject({ data: { searchTenders: null }, errors: [{ extensions: invalid(field) }] });
  });

  it('uses the GraphQL names of the dates in an error of a marketplace', async () => {
    const { body } = await app.query('{ searchTenders(country: BR, dateFrom: "2020-01-01", dateTo: "2026-11-01") { totalCount } }');
    expect(body.data.searchTenders).toBeNull();
    expect(body.errors).toMatchObject([{ message: expect.not.stringContaining('date_'), extensions: invalid('dateFrom') }]);
  });
});
