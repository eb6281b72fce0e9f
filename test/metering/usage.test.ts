import { parseDictionary } from 'structured-headers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { MODULES, type ModuleName } from '../../src/domain/catalogue.ts';
import { cnpjCheckDigits } from '../../src/domain/check-digits.ts';
import { DEBARMENT_LISTS } from '../../src/modules/debarment/domain.ts';
import { LABOR_LISTS } from '../../src/modules/labor/domain.ts';
import { SANCTIONS_LISTS } from '../../src/modules/sanctions/domain.ts';
import { type TestAnswer, type TestApp, testApp } from '../support/app.ts';
import { appWithFaults } from '../support/app-with-faults.ts';

/** Plans without a rate limit for consolidated checks. */
const UNLIMITED = JSON.stringify({ standard: { compliance_br: { rate: null } } });

const clock = { offset: 0 };
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ env: { QUIPU_PLANS: UNLIMITED }, now: () => Date.now() + clock.offset });
});
afterAll(() => app.close());
beforeEach(() => {
  clock.offset = 0;
});

const [one, two, three, four] = companies.map(({ cnpj }) => cnpj);
const month = () => new Date(Date.now() + clock.offset).toISOString().slice(0, 7);

/** Module → answers counted for a key this month; the sum of the rows and the counters must be equal. */
async function counted(key: string): Promise<Readonly<Record<string, number>>> {
  const { body } = await get('/v1/usage', key);
  const reported = body.usage.filter(({ used }: { used: number }) => used > 0);
  const { rows } = await app.db.raw(
    `SELECT e.module, sum(e.quantity)::int AS used FROM usage_events e JOIN api_keys k ON k.id = e.key_id
     JOIN api_key_secrets s ON s.key_id = k.id WHERE s.last_four = ? AND e.month = ? GROUP BY 1`,
    [key.slice(-4), `${month()}-01`],
  );
  const byRows = Object.fromEntries(rows.map(({ module, used }: { module: string; used: number }) => [module, used]));
  expect(Object.fromEntries(reported.map(({ module, used }: { module: string; used: number }) => [module, used]))).toEqual(byRows);
  return byRows;
}

async function get(url: string, key: string) {
  const answer = await app.server.inject({ url, headers: { 'x-api-key': key } });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
}

/** What an answer says was counted for it: the header, and the extension of a GraphQL answer, which are equal. */
function reported({ headers, body }: TestAnswer): Readonly<Record<string, unknown>> {
  const dictionary = parseDictionary(String(headers['usage-counted'] ?? ''));
  const inHeader = Object.fromEntries([...dictionary].map(([module, [count]]) => [module, count]));
  const extension = body?.extensions?.cost?.counted ?? null;
  if (extension) expect(lowerCase(extension)).toEqual(inHeader);
  return inHeader;
}

const lowerCase = (counts: object) => Object.fromEntries(Object.entries(counts).map(([module, count]) => [module.toLowerCase(), count]));

const compliance = (cnpj: unknown, key: string) => app.post('/v1/compliance-br', { cnpj }, key);
const all = () => app.keyFor(...MODULES);
const check = (cnpj: string | undefined, alias = 'c') => `${alias}: company(identifier: "${cnpj}") { compliance { riskLevel } }`;

describe('the usage count', () => {
  it.each<readonly [string, (key: string) => Promise<TestAnswer>, Partial<Record<ModuleName, number>>]>([
    ['a consolidated check', (key) => compliance(one, key), { compliance_br: 1 }],
    ['the same check from the cache', (key) => compliance(one, key), { compliance_br: 1 }],
    ['an unknown company', (key) => compliance(`97${cnpj('000007')}`, key), { compliance_br: 1 }],
    ['a check by GraphQL', (key) => app.query(`{ ${check(one)} }`, {}, key), { compliance_br: 1 }],
    ['two companies by alias', (key) => app.query(`{ ${check(one, 'a')} ${check(two, 'b')} }`, {}, key), { compliance_br: 2 }],
    ['one company by two aliases', (key) => app.query(`{ ${check(one, 'a')} ${check(one, 'b')} }`, {}, key), { compliance_br: 1 }],
    [
      'one company written in two ways',
      (key) => app.query(`{ ${check(one, 'a')} ${check(pretty(one), 'b')} }`, {}, key),
      { compliance_br: 1 },
    ],
    [
      'one field under two names',
      (key) => app.query(`{ company(identifier: "${one}") { a: compliance { riskLevel } b: compliance { completeness } } }`, {}, key),
      { compliance_br: 1 },
    ],
    [
      'a list with one company twice',
      (key) => app.query(`{ companies(identifiers: ["${one}", "${two}", "${one}"]) { compliance { riskLevel } } }`, {}, key),
      { compliance_br: 2 },
    ],
    [
      'four aliases of three companies',
      (key) => app.query(`{ ${[one, two, three, two].map((id, i) => check(id, `c${i}`)).join(' ')} }`, {}, key),
      { compliance_br: 3 },
    ],
    ['a single check', (key) => app.post('/v1/kyb', { identifier: four, country: 'BR' }, key), { kyb: 1 }],
    [
      'a consolidated check and one of its single checks',
      (key) => app.query(`{ company(identifier: "${one}") { compliance { riskLevel } kyb { status } } }`, {}, key),
      { compliance_br: 1, kyb: 1 },
    ],
    [
      'five single checks',
      (key) =>
        app.query(
          `{ company(identifier: "${one}") { kyb { status } debarment { isDebarred } sanctions { isSanctioned } labor { hasViolations } owners { count } } }`,
          {},
          key,
        ),
      { kyb: 1, debarment: 1, sanctions: 1, labor: 1, owners: 1 },
    ],
    ['a tender search', (key) => app.post('/v1/tenders/search', { country: 'CO', keyword: 'a' }, key), { tenders: 1 }],
    [
      'a company without any check',
      (key) => app.query(`{ ${`company(identifier: "${one}") { identifier }`} sources { name } }`, {}, key),
      {},
    ],
    ['a request for the usage', (key) => get('/v1/usage', key), {}],
    ['a malformed identifier', (key) => compliance('99.030.001/0001-47', key), {}],
    ['a missing field', (key) => compliance(undefined, key), {}],
    ['a company of another country', (key) => app.post('/v1/owners', { identifier: '76.123.456-0', country: 'CL' }, key), {}],
    ['a company without owners on record', (key) => app.post('/v1/owners', { identifier: `97${cnpj('000008')}`, country: 'BR' }, key), {}],
  ])('MT-01 MT-02 is as expected for %s', async (_, work, expected) => {
    const key = await all();
    const answer = await work(key);
    expect(await counted(key)).toEqual(expected);
    expect(reported(answer)).toEqual(expected);
  });

  it('is one row for each module of a request, with the number of its answers', async () => {
    const key = await all();
    const query = `{ companies(identifiers: ${JSON.stringify([one, two, three])}) { compliance { riskLevel } kyb { status } } }`;
    expect((await app.query(query, {}, key)).body.errors).toBeUndefined();
    await app.drainUsage();
    const { rows } = await app.db.raw(
      `SELECT module, quantity, question_hash FROM usage_events JOIN api_key_secrets USING (key_id) WHERE last_four = ? ORDER BY module`,
      [key.slice(-4)],
    );
    expect(rows).toEqual([
      { module: 'compliance_br', quantity: 3, question_hash: null },
      { module: 'kyb', quantity: 3, question_hash: null },
    ]);
  });

  it('MT-02 excludes requests that are refused for a missing module or an unknown key', async () => {
    const key = await app.keyFor('kyb');
    expect((await compliance(one, key)).status).toBe(403);
    expect((await compliance(one, 'sk_unknown')).status).toBe(403);
    expect(await counted(key)).toEqual({});
  });

  it('MT-02 excludes failed checks, consolidated checks without any working source, and rate-limited requests', async () => {
    const names = ['receita_federal', ...DEBARMENT_LISTS, ...LABOR_LISTS, ...SANCTIONS_LISTS];
    const broken = await appWithFaults(Object.fromEntries(names.map((name) => [name, 'down'])));
    onTestFinished(() => broken.close());
    const statuses = new Set<number>();
    for (let i = 0; i < 100; i += 1) {
      statuses.add((await broken.post('/v1/compliance-br', { cnpj: one })).status);
      expect((await broken.post('/v1/kyb', { identifier: one, country: 'BR' })).status).toBe(503);
    }
    expect(statuses).toEqual(new Set([200, 429]));
    await broken.drainUsage();
    expect(await broken.db('usage_events')).toEqual([]);
  }, 60_000);
});

describe('the month', () => {
  it('MT-03 has the exact price of 1,500 answers beyond the included volume, with 64 concurrent clients', async () => {
    const key = await app.keyFor('compliance_br');
    const clients = Array.from({ length: 64 }, async (_, i) => {
      for (let nth = i; nth < 2_000; nth += 64) expect((await compliance(one, key)).status).toBe(200);
    });
    await Promise.all(clients);
    const usage = { module: 'compliance_br', included: 500, used: 2_000, overage: 1_500, amount: '450.00', currency: 'USD' };
    const reported = {
      month: month(),
      plan: 'standard',
      usage: [{ ...usage, overage_price: '0.30' }],
      total_amount: '450.00',
      currency: 'USD',
      refusals: { count: 0, since: expect.any(String) },
    };
    expect((await get('/v1/usage', key)).body).toEqual(reported);
    const graph = await app.query(
      '{ apiKey { name modules plan expiresAt usage { module included used overage overagePrice amount currency } limits { module perMinute burst } } }',
      {},
      key,
    );
    expect(graph.body.data.apiKey).toEqual({
      ...{ name: 'test', modules: ['COMPLIANCE_BR'], plan: 'standard', expiresAt: null, limits: [] },
      usage: [{ ...usage, module: 'COMPLIANCE_BR', overagePrice: '0.30' }],
    });
  }, 120_000);

  it('MT-06 is the UTC month of the time of the request', async () => {
    const key = await app.keyFor('compliance_br');
    const expected: Record<string, number> = {};
    const nextYear = new Date().getUTCFullYear() + 1; // the other tests of this file count before its end
    for (let year = nextYear + 1; year < nextYear + 5; year += 1) {
      for (let index = 0; index < 12; index += 1) {
        const midnight = Date.UTC(year, index, 1);
        for (const aside of [-2_000, -1, 0, 2_000]) {
          clock.offset = midnight + aside - Date.now();
          const at = month();
          await compliance(one, key);
          // The clock continues to run: a request sent in the last millisecond of a month may start in the next month.
          if (aside !== -1) expected[at] = (expected[at] ?? 0) + 1;
        }
      }
    }
    const used = async () => {
      await app.drainUsage();
      const { rows } = await app.db.raw("SELECT to_char(month, 'YYYY-MM') AS month, at, quantity FROM usage_events WHERE at > ?", [
        new Date(Date.UTC(nextYear, 11, 31)),
      ]);
      return rows as { month: string; at: Date; quantity: number }[];
    };
    const rows = await used();
    expect(rows.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(48 * 4);
    expect(rows.filter(({ month, at }) => at.toISOString().slice(0, 7) !== month)).toEqual([]);
    for (const [at, least] of Object.entries(expected)) {
      const { body } = await get(`/v1/usage?month=${at}`, key);
      expect(body.usage[0].used).toBeGreaterThanOrEqual(least);
    }
  }, 120_000);

  it('is refused when it is malformed, and selects the usage when it is valid', async () => {
    const key = await app.keyFor('kyb');
    expect(await get('/v1/usage?month=2026-13', key)).toMatchObject({ status: 422, body: { errors: [{ field: 'month' }] } });
    const graph = await app.query('{ apiKey { usage(month: "May") { used } } }', {}, key);
    expect(graph.body.errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT', field: 'month' });
    expect((await get('/v1/usage?month=2020-01', key)).body).toMatchObject({ month: '2020-01', usage: [{ module: 'kyb', used: 0 }] });
  });

  it('GQ-08 contains only the usage of the requesting key', async () => {
    const [mine, other] = [await app.keyFor('kyb'), await app.keyFor('kyb')];
    await app.post('/v1/kyb', { identifier: one, country: 'BR' }, mine);
    expect([await counted(mine), await counted(other)]).toEqual([{ kyb: 1 }, {}]);
  });
});

/** Six digits → the CNPJ of a company in no registry, without its first two digits. */
function cnpj(middle: string): string {
  const base = `${middle}0001`;
  return base + cnpjCheckDigits(`97${base}`);
}

const pretty = (id = ''): string => id.replace(/^(..)(...)(...)(....)(..)$/, '$1.$2.$3/$4-$5');
