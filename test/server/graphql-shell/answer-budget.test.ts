import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies } from '../../../sandbox/world/brazil/world.ts';
import { publishChanges } from '../../modules/monitor/api-requests.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { TRANSPORTS } from './support.ts';

const WATCHED = companies.slice(0, 40).map(({ cnpj }) => cnpj);
const MONITORS = 40;
/** The last level gives 17 values for each of 16,000 monitors, for about 2,500 points: a value costs no point before it runs. */
const VALUES = Array.from({ length: 15 }, (_, i) => `a${i}: id`).join(' ');
const NESTED = `{ company(identifier: "${WATCHED[0]}") { monitors(first: 40) { nodes { companies(first: 40) { nodes {
  monitors(first: 10) { nodes { id country ${VALUES} } } } } } } } }`;

let app: TestApp;
beforeAll(async () => {
  // One point a minute comes back, so that what an operation cost can be read off.
  const plans = { standard: { graphql: { perMinute: 1 } }, tight: { graphql: { perMinute: 1, burst: 50 } } };
  app = await testApp({ env: { QUIPU_PLANS: JSON.stringify(plans) } });
  for (let i = 0; i < MONITORS; i += 1) await watch(app.key);
});
afterAll(() => app.close());

async function watch(key: string): Promise<void> {
  const webhookUrl = `${app.sandbox?.url}/_control/webhooks/budget`;
  const { status } = await app.post('/v1/monitor/subscriptions', { identifiers: WATCHED, country: 'BR', webhook_url: webhookUrl }, key);
  expect(status).toBe(200);
}

describe.each(Object.entries(TRANSPORTS))('the answer of an operation over %s', (_, over) => {
  it('ends with one COST_TOO_HIGH where its lists hold more than was assumed', async () => {
    const { codes, body } = await over(app)(NESTED);
    expect(codes).toEqual(['COST_TOO_HIGH']);
    expect(body.data).toBeNull();
  });
});

describe('the budget of an answer', () => {
  it('leaves other operations of the same moment alone', async () => {
    const small = () => app.query(`{ company(identifier: "${WATCHED[1]}") { name monitors(first: 100) { nodes { identifiers } } } }`);
    const [nested, ...others] = await Promise.all([app.query(NESTED), ...Array.from({ length: 5 }, small)]);
    expect(nested?.body.errors).toHaveLength(1);
    for (const { body } of others) {
      expect(body.errors).toBeUndefined();
      expect(body.data.company.monitors.nodes).toHaveLength(MONITORS);
    }
  });

  it('charges the key what the answer cost beyond the points that were computed', async () => {
    await publishChanges(app, WATCHED.slice(0, 1));
    await app.db.raw(
      `INSERT INTO deliveries (id, monitor_id, key_id, change_id, event_id, body, host, partition, state, created_at, revision)
       SELECT gen_random_uuid(), monitor_id, key_id, change_id, event_id, body, host, partition, 'failed', created_at, -n * 1000 - revision
       FROM deliveries, generate_series(1, 20) AS n`,
    );
    const { body } = await app.query('{ __typename }');
    const before: number = body.extensions.cost.remaining;
    const { extensions } = (
      await app.query(`{ company(identifier: "${WATCHED[0]}") { changes(first: 1) { nodes { deliveries { monitor { id } } } } } }`)
    ).body;
    expect(extensions.cost.actual).toBeGreaterThan(extensions.cost.requested);
    const after: number = (await app.query('{ __typename }')).body.extensions.cost.remaining;
    expect(before - after).toBe(extensions.cost.actual + 1);
  });

  it('costs a point for 25 values at least, which the key owes if it has fewer points left', async () => {
    const { key } = await app.keys.create({ name: 'values', modules: ['monitor'], plan: 'tight' });
    for (let i = 0; i < MONITORS; i += 1) await watch(key);
    const { data, extensions } = (await app.query(`{ monitors(first: ${MONITORS}) { nodes { identifiers } } }`, {}, key)).body;
    expect(data.monitors.nodes.map(({ identifiers }: { identifiers: unknown[] }) => identifiers)).toEqual(Array(MONITORS).fill(WATCHED));
    const actual = 1 + Math.floor((MONITORS * (2 + WATCHED.length)) / 25); // each item and each of its fields is a value
    expect(JSON.stringify(data).length / 1_024).toBeLessThan(actual);
    expect(extensions.cost).toMatchObject({ requested: 2 + MONITORS, actual, remaining: 50 - (2 + MONITORS) });
    const next = await app.query('{ __typename }', {}, key);
    const missingPoints = actual - 50 + 1;
    expect([next.status, next.headers['retry-after']]).toEqual([429, String(missingPoints * 60)]);
  });

  it('gives a list of 9,000 values in memory as a whole, in its order', async () => {
    const ids = Array.from({ length: 500 }, (_, i) => WATCHED[i % WATCHED.length]);
    const repeated = Array.from({ length: 15 }, (_, i) => `a${i}: identifier`).join(' ');
    const { body } = await app.query(
      `query ($ids: [String!]!) { companies(identifiers: $ids) { identifier formattedIdentifier country ${repeated} } }`,
      { ids },
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.companies.map(({ identifier }: { identifier: string }) => identifier)).toEqual(ids);
  });
});
