import { parseList } from 'structured-headers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { needsRedis, type TestRedis, testRedis } from '../support/redis.ts';

const clock = { now: Date.UTC(2026, 10, 21) };
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ now: () => clock.now });
});
afterAll(() => app.close());

const [one, two, three] = companies.map(({ cnpj }) => cnpj);
const compliance = (key: string) => app.post('/v1/compliance-br', { cnpj: one }, key);

/** `"compliance_br";r=12;t=3` → [['compliance_br', { r: 12, t: 3 }]] */
const parsed = (header: unknown) => parseList(String(header)).map(([name, parameters]) => [name, Object.fromEntries(parameters)]);

describe('the limit of a module', () => {
  it('MT-09 MT-02 is in the headers of each accepted and refused answer, and a refused request is not counted', async () => {
    const key = await app.keyFor('compliance_br');
    for (let left = 19; left >= 0; left -= 1) {
      const { status, headers } = await compliance(key);
      expect(status).toBe(200);
      expect(parsed(headers.ratelimit)).toEqual([['compliance_br', { r: left, t: 1 }]]);
      expect(parsed(headers['ratelimit-policy'])).toEqual([['compliance_br', { q: 60, w: 60, burst: 20 }]]);
    }
    const refused = await compliance(key);
    expect([refused.status, refused.headers['content-type'], refused.headers['retry-after']]).toEqual([
      429,
      'application/problem+json; charset=utf-8',
      '1',
    ]);
    expect(parsed(refused.headers.ratelimit)).toEqual([['compliance_br', { r: 0, t: 1 }]]);
    expect(parsed(refused.headers['ratelimit-policy'])).toEqual([['compliance_br', { q: 60, w: 60, burst: 20 }]]);
    expect(refused.body).toMatchObject({ status: 429, code: 'rate_limited', detail: expect.stringMatching(/60 times a minute.*in 1 s/) });
    await app.drainUsage();
    const { rows } = await app.db.raw('SELECT sum(used)::int AS used FROM usage_counters');
    expect(rows).toEqual([{ used: 20 }]);
    const { body } = await app.query('{ apiKey { refusals { count since } } }', {}, key);
    expect(body.data.apiKey.refusals).toEqual({ count: 1, since: '2026-11-21T00:00:00+00:00' });
    const usage = await app.server.inject({ url: '/v1/usage', headers: { 'x-api-key': key } });
    expect(usage.json().refusals).toEqual(body.data.apiKey.refusals);
  });

  it('MT-09 refuses no client that waits for the seconds in the RateLimit header', async () => {
    const key = await app.keyFor('compliance_br');
    let refusals = 0;
    const end = clock.now + 600_000;
    while (clock.now < end) {
      const { status, headers } = await compliance(key);
      const [[, limit] = []] = parsed(headers.ratelimit) as [string, { r: number; t: number }][];
      if (status === 429) {
        refusals += 1;
        expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(limit?.t ?? 0);
      }
      if (limit?.r === 0) clock.now += limit.t * 1_000;
    }
    expect(refusals).toBe(0);
  }, 60_000);

  it('MT-09 does not exist for tenders, whose answers have no RateLimit headers', async () => {
    const key = await app.keyFor('tenders', 'kyb');
    const answers = new Set<string>();
    for (let i = 0; i < 5_000; i += 50) {
      const some = await Promise.all(
        Array.from({ length: 50 }, () => app.post('/v1/tenders/search', { country: 'CO', keyword: 'a' }, key)),
      );
      for (const { status, headers } of some) answers.add(`${status} ${headers.ratelimit} ${headers['ratelimit-policy']}`);
    }
    expect(answers).toEqual(new Set(['200 undefined undefined']));
  }, 60_000);

  it('counts one use for a GraphQL request with three companies, and reports a refusal as an error of the field', async () => {
    const key = await app.keyFor('compliance_br', 'kyb');
    const query = `{ companies(identifiers: ["${one}", "${two}", "${three}"]) { kyb { status } compliance { riskLevel } } }`;
    for (let left = 19; left >= 0; left -= 1) {
      const { headers, body } = await app.query(query, {}, key);
      expect([body.errors, parsed(headers.ratelimit)]).toEqual([undefined, [['compliance_br', { r: left, t: 1 }]]]);
    }
    const { status, body, headers } = await app.query(query, {}, key);
    expect([status, parsed(headers.ratelimit)]).toEqual([200, [['compliance_br', { r: 0, t: 1 }]]]);
    expect(body.data.companies.map((company: unknown) => company)).toEqual(Array(3).fill({ kyb: expect.anything(), compliance: null }));
    expect(body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', module: 'COMPLIANCE_BR', retryAfterSeconds: 1 });
  });
});

describe('with Redis', needsRedis, () => {
  let redis: TestRedis;
  let pair: readonly TestApp[];
  beforeAll(async () => {
    redis = await testRedis();
    const one = await testApp({ env: { REDIS_URL: redis.url } });
    pair = [one];
  });
  afterAll(async () => {
    for (const one of pair) await one.close();
    await redis.close();
  });

  it('GQ-11 reads registry entries in one statement for a limited and an unlimited field of one query', async () => {
    const [shared] = pair as [TestApp];
    const sql: string[] = [];
    shared.db.on('query', ({ sql: text }: { sql: string }) => sql.push(text));
    const query = `{ a: company(identifier: "${one}") { debarment { isDebarred } } b: company(identifier: "${two}") { compliance { riskLevel } } }`;
    await expect.poll(async () => (await shared.query(query)).body.errors).toBeUndefined();
    sql.length = 0;
    const fresh = query.replace(String(one), String(companies[10]?.cnpj)).replace(String(two), String(companies[11]?.cnpj));
    expect((await shared.query(fresh)).body.errors).toBeUndefined();
    expect(sql.filter((text) => text.includes('registry_entries'))).toHaveLength(1);
  });

  it('MT-10 answers with 200 or 429 only before and after Redis is killed', async () => {
    const [shared] = pair as [TestApp];
    const key = await shared.keyFor('compliance_br');
    const statuses: number[] = [];
    const ask = async () => {
      statuses.push((await shared.post('/v1/compliance-br', { cnpj: one }, key)).status);
    };
    await Promise.all(Array.from({ length: 30 }, ask));
    await redis.kill();
    await Promise.all(Array.from({ length: 30 }, ask));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(2 * 20 + 5);
  });
});
