import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { type TestAnswer, type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ env: { QUIPU_EXECUTIONS: '3', QUIPU_EXECUTIONS_PER_KEY: '2' } });
});
afterAll(() => app.close());

const QUICK = '{ companies(identifiers: ["00000000000191"]) { identifier } }';
const SLOW = '{ apiKey { usage { module used } } }';

/** Requests that wait for a lock until `release`. */
async function locked() {
  const trx = await app.db.transaction();
  await trx.raw('LOCK TABLE usage_counters IN ACCESS EXCLUSIVE MODE');
  onTestFinished(async () => void (await trx.rollback()));
  return { release: () => trx.rollback() };
}
const graphql = (key: string) => app.query(SLOW, {}, key);
const rest = async (key: string): Promise<TestAnswer> => {
  const { statusCode, headers, body } = await app.server.inject({ url: '/v1/usage', headers: { 'x-api-key': key } });
  return { status: statusCode, headers, body: JSON.parse(body) };
};
const settle = () => new Promise((resolve) => setTimeout(resolve, 100));

describe('executions in progress', () => {
  it('of one key wait in a short queue, and get 429 beyond it, over GraphQL and REST, while another key is answered', async () => {
    const [key, other] = [await app.keyFor('kyb'), await app.keyFor('kyb')];
    await Promise.all([graphql(key), rest(other)]); // both keys are cached
    const { release } = await locked();
    const waiting = [graphql(key), rest(key), graphql(key), rest(key)];
    await settle();

    const byRest = await rest(key);
    expect([byRest.status, byRest.body.code, byRest.headers['retry-after']]).toEqual([429, 'rate_limited', '1']);
    const byGraphql = await graphql(key);
    expect([byGraphql.status, byGraphql.headers['retry-after']]).toEqual([429, '1']);
    expect(byGraphql.body.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', requestId: expect.any(String) } }]);
    expect((await app.query(QUICK, {}, other)).body.data.companies).toHaveLength(1);

    await release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('of all keys wait in a short queue, and get 503 with Retry-After beyond it', async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, () => app.keyFor('kyb')));
    await Promise.all(keys.map((key) => rest(key)));
    const { release } = await locked();
    const waiting = keys.slice(0, 3).map((key) => rest(key));
    await settle();
    waiting.push(...keys.slice(0, 3).map((key) => graphql(key)));
    await settle();

    const byRest = await rest(keys[3] ?? '');
    expect([byRest.status, byRest.body.code, byRest.headers['retry-after']]).toEqual([503, 'service_unavailable', '2']);
    const byGraphql = await app.query(QUICK, {}, keys[3]);
    expect([byGraphql.status, byGraphql.headers['retry-after']]).toEqual([503, '2']);
    expect(byGraphql.body.errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);

    await release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(6).fill(200));
  });
});

describe('a pool without a free connection', () => {
  it('is SERVICE_UNAVAILABLE for what reads over it, and does not concern keys and metering', async () => {
    const key = await app.keyFor('kyb', 'monitor'); // unknown to the cache: it is read now
    const held: Knex.Transaction[] = [];
    onTestFinished(async () => void (await Promise.all(held.map((trx) => trx.rollback()))));
    for (let i = 0; i < 10; i += 1) held.push(await app.db.transaction());

    const kyb = await app.post('/v1/kyb', { identifier: companies[0]?.cnpj, country: 'BR' }, key);
    expect([kyb.status, (await rest(key)).status]).toEqual([200, 200]);
    const read = await app.query('{ monitors(first: 1) { nodes { id } } }', {}, key);
    expect(read.body.errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 } }]);
    const monitor = { identifiers: [companies[0]?.cnpj], country: 'BR', webhook_url: `${app.sandbox?.url}/_control/webhooks/executions` };
    const created = await app.post('/v1/monitor/subscriptions', monitor, key);
    expect([created.status, created.body.code, created.headers['retry-after']]).toEqual([503, 'service_unavailable', '2']);
  });
});
