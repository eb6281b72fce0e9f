import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies } from '../../../src/sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { TRANSPORTS } from './support.ts';

const WATCHED = companies.slice(0, 40).map(({ cnpj }) => cnpj);
const MONITORS = 40;
/** Each level multiplies the answer by 40: 2.5 million identifiers for about 30 points, by the sizes assumed before it runs. */
const NESTED = `{ company(identifier: "${WATCHED[0]}") { monitors { companies(first: 100) { nodes { monitors { identifiers } } } } } }`;

let app: TestApp;
beforeAll(async () => {
  // One point a minute comes back, so that what an operation cost can be read off.
  app = await testApp({ env: { QUIPU_PLANS: JSON.stringify({ standard: { graphql: { perMinute: 1 } } }) } });
  for (let i = 0; i < MONITORS; i += 1) {
    const { status } = await app.post('/v1/monitor/subscriptions', {
      identifiers: WATCHED,
      country: 'BR',
      webhook_url: `${app.sandbox?.url}/_control/webhooks/budget`,
    });
    expect(status).toBe(200);
  }
});
afterAll(() => app.close());

describe.each(Object.entries(TRANSPORTS))('the answer of an operation over %s', (_, over) => {
  it('ends with one COST_TOO_HIGH where its lists hold more than was assumed', async () => {
    const { codes, body } = await over(app)(NESTED);
    expect(codes).toEqual(['COST_TOO_HIGH']);
    expect(body.data).toBeNull();
  });
});

describe('the budget of an answer', () => {
  it('leaves other operations of the same moment alone', async () => {
    const small = () => app.query(`{ company(identifier: "${WATCHED[1]}") { name monitors { identifiers } } }`);
    const [nested, ...others] = await Promise.all([app.query(NESTED), ...Array.from({ length: 5 }, small)]);
    expect(nested?.body.errors).toHaveLength(1);
    for (const { body } of others) {
      expect(body.errors).toBeUndefined();
      expect(body.data.company.monitors).toHaveLength(MONITORS);
    }
  });

  it('charges the key what the answer cost beyond the points that were computed', async () => {
    const { body } = await app.query('{ __typename }');
    const before: number = body.extensions.cost.remaining;
    const { extensions } = (
      await app.query(`{ company(identifier: "${WATCHED[0]}") { monitors { companies(first: 1) { nodes { name } } } } }`)
    ).body;
    expect(extensions.cost.actual).toBeGreaterThan(extensions.cost.requested);
    const after: number = (await app.query('{ __typename }')).body.extensions.cost.remaining;
    expect(before - after).toBe(extensions.cost.actual + 1);
  });

  it('gives a list of 500 items in memory as a whole', async () => {
    const ids = Array.from({ length: 500 }, (_, i) => WATCHED[i % WATCHED.length]);
    const { body } = await app.query(
      'query ($ids: [String!]!) { companies(identifiers: $ids) { id identifier formattedIdentifier modules country } }',
      { ids },
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.companies.map(({ identifier }: { identifier: string }) => identifier)).toEqual(ids);
  });
});
