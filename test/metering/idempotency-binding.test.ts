import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { idempotentRequests, LARGE_QUERY } from '../support/idempotent-requests.ts';
import { until } from '../support/until.ts';

const clock = { offset: 0 };
let app: TestApp;
beforeAll(async () => {
  const plans = JSON.stringify({ standard: { compliance_br: { rate: null } } });
  app = await testApp({ env: { QUIPU_PLANS: plans }, now: () => Date.now() + clock.offset });
});
afterAll(() => app.close());
beforeEach(() => {
  clock.offset = 0;
});

const [one, two] = companies.map(({ cnpj }) => cnpj);
const unasked = companies.at(-1)?.cnpj;
const all = () => app.keyFor(...MODULES);
const { send, rowsOf } = idempotentRequests(() => app);

describe('an Idempotency-Key', () => {
  describe('is refused for every other request, after', () => {
    const labor = (cnpj: unknown) => ({ query: `{ company(identifier: "${cnpj}") { labor { hasViolations } } }` });
    const withVariable = (identifier: unknown) => ({
      query: 'query ($identifier: ID!) { company(identifier: $identifier) { labor { hasViolations } } }',
      variables: { identifier },
    });
    const withFailing = (cnpj: unknown) => ({
      query: `{ company(identifier: "${cnpj}") { compliance { riskLevel } } techStack(domain: "127.0.0.1") { url } }`,
    });

    it.each([
      ['a 422', '/v1/compliance-br', { cnpj: '1' }, { cnpj: one }],
      ['an answer that counted nothing', '/graphql', { query: '{ sources { name } }' }, labor(one)],
      ['an answer with a field that failed', '/graphql', withFailing(one), withFailing(two)],
      [
        'an answer that asked nothing but what failed',
        '/graphql',
        { query: '{ techStack(domain: "127.0.0.1") { url } }' },
        withFailing(two),
      ],
      ['an answer with other variables', '/graphql', withVariable(one), withVariable(two)],
      ['a document that is not valid', '/graphql', { query: '{ nothing }' }, labor(one)],
      ['an answer of more than 256 KiB', '/graphql', { query: LARGE_QUERY }, { query: `${LARGE_QUERY} ` }],
    ])('%s', async (_, url, first, second) => {
      const key = await all();
      const idem = randomUUID();
      await send(key, idem, first, url);
      const before = await rowsOf(key);
      const other = await send(key, idem, second, url);
      const code = other.body.code ?? other.body.errors[0].extensions.code.toLowerCase();
      expect([other.status, code, await rowsOf(key)]).toEqual([422, 'idempotency_key_reused', before]);
    });

    it('an attempt whose process died', async () => {
      const key = await all();
      const idem = randomUUID();
      await send(key, idem, { cnpj: one });
      await app.db('idempotency_keys').where({ idem_key: idem }).update({ state: 'running', body: null, status: null });
      clock.offset = 6_000;
      expect(await send(key, idem, { cnpj: two })).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
      expect(await send(key, idem, { cnpj: one })).toMatchObject({ status: 200 });
      expect(await rowsOf(key)).toBe(1);
    });

    it('one of several different first requests that are sent at the same time', async () => {
      const key = await all();
      const idem = randomUUID();
      const answers = await Promise.all(companies.slice(3, 11).map(({ cnpj }) => send(key, idem, { cnpj })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(422)]);
      expect(await rowsOf(key)).toBe(1);
    });
  });

  it('gives no answer for free: with a field that always fails, repeats get the first answer', async () => {
    const key = await all();
    const idem = randomUUID();
    const query = { query: `{ company(identifier: "${one}") { compliance { generatedAt } } techStack(domain: "127.0.0.1") { url } }` };
    const first = await send(key, idem, query, '/graphql');
    expect([first.status, first.body.errors.length, await rowsOf(key)]).toEqual([200, 1, 1]);
    for (let i = 0; i < 5; i += 1) {
      const again = await send(key, idem, query, '/graphql');
      expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    }
    expect(await rowsOf(key)).toBe(1);
  });

  it('counts once a request that is repeated because its client left before the answer', async () => {
    const key = await all();
    const idem = randomUUID();
    const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
    const client = new AbortController();
    const lock = await app.db.transaction();
    const state = async () => (await app.db('idempotency_keys').where({ idem_key: idem }).first())?.state;
    try {
      await lock.raw('LOCK TABLE registry_entries IN ACCESS EXCLUSIVE MODE'); // three of the five checks wait
      const lost = fetch(`${url}/v1/compliance-br`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': idem },
        body: JSON.stringify({ cnpj: unasked }),
        signal: client.signal,
      });
      await until(async () => (await state()) === 'running');
      client.abort();
      await expect(lost).rejects.toThrow();
    } finally {
      await lock.commit();
    }
    await until(async () => (await state()) !== 'running');
    const again = await send(key, idem, { cnpj: unasked });
    expect([again.status, again.body.sources_failed, await rowsOf(key)]).toEqual([200, [], 1]);
  });
});
