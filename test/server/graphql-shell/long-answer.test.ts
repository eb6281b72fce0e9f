import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const WATCHED = companies.slice(0, 40).map(({ cnpj }) => cnpj);
const MONITORS = 10;
/** About 1 MB of cursors. */
const LONG = `{ companies(identifiers: ${JSON.stringify(WATCHED)}) {
  monitors(first: ${MONITORS}) { nodes { id companies(first: 40) { edges { cursor } } } } } }`;

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await testApp();
  url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  for (let i = 0; i < MONITORS; i += 1) {
    const { status } = await app.post('/v1/monitor/subscriptions', {
      identifiers: WATCHED,
      country: 'BR',
      webhook_url: `${app.sandbox?.url}/_control/webhooks/long`,
    });
    expect(status).toBe(200);
  }
});
afterAll(() => app.close());

const ask = (query: string, headers: Readonly<Record<string, string>> = {}, signal: AbortSignal | null = null, variables = {}) =>
  fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': app.key, ...headers },
    body: JSON.stringify({ query, variables }),
    signal,
  });

describe('an answer of more than 512 KiB', () => {
  it('is sent in chunks, and has all data and the cost', async () => {
    const response = await ask(LONG);
    expect(response.status).toBe(200);
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    const text = await response.text();
    expect(text.length).toBeGreaterThan(512 * 1024);
    const { data, errors, extensions } = JSON.parse(text);
    expect(errors).toBeUndefined();
    expect(extensions.cost.actual).toBeGreaterThan(0);
    const edges = data.companies.map(({ monitors }: { monitors: { nodes: { companies: { edges: unknown[] } }[] } }) =>
      monitors.nodes.map((monitor) => monitor.companies.edges.length),
    );
    expect(edges).toEqual(WATCHED.map(() => Array(MONITORS).fill(WATCHED.length)));
  });

  it('has the errors of its fields, too', async () => {
    const response = await ask(LONG.replace('{ companies', '{ wrong: company(identifier: "1") { id } companies'));
    const { data, errors } = (await response.json()) as { data: { companies: unknown[] }; errors: { path: unknown }[] };
    expect(errors.map(({ path }) => path)).toEqual([['wrong']]);
    expect(data.companies).toHaveLength(WATCHED.length);
  });

  it('GQ-05 is sent in chunks for the length of its errors, too, which are those of malformed ids in many lists', async () => {
    const lists = Array.from({ length: 10 }, (_, i) => `l${i}: nodes(ids: $ids) { id }`);
    const variables = { ids: Array(500).fill('bad') };
    const response = await ask(`query ($ids: [ID!]!) { ${lists.join(' ')} }`, {}, null, variables);
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    const { data, errors } = (await response.json()) as { data: { l9: unknown[] }; errors: { path: unknown }[] };
    expect(data.l9).toEqual(Array(500).fill(null));
    expect(errors).toHaveLength(5_000);
    expect(errors.map(({ path }) => path)).toContainEqual(['l9', 499]);
  });

  it('is sent again to a request with the same Idempotency-Key, which keeps no answer of this length', async () => {
    const first = await (await ask(LONG, { 'idempotency-key': 'long' })).json();
    const second = await ask(LONG, { 'idempotency-key': 'long' });
    expect(second.headers.get('idempotent-replayed')).toBeNull();
    expect(((await second.json()) as { data: unknown }).data).toEqual((first as { data: unknown }).data);
  });

  it('ends with the connection of a client that leaves meanwhile; the next one is answered', async () => {
    const client = new AbortController();
    const response = await ask(LONG, {}, client.signal);
    client.abort();
    await expect(response.text()).rejects.toThrow();
    await sleep(50);
    expect((await ask('{ __typename }')).status).toBe(200);
  });
});

describe('the points of an answer', () => {
  const longName = 'x'.repeat(4_000);
  it.each([
    ['of names in an object', `{ apiKey { ${Array.from({ length: 3 }, (_, i) => `${longName}${i}: name`).join(' ')} } }`],
    [
      'of a list of texts',
      `{ monitors(first: 100) { nodes { ${Array.from({ length: 3 }, (_, i) => `${longName}${i}: identifiers`).join(' ')} } } }`,
    ],
    [
      'of a mutation',
      `mutation { cancelMonitor(input: { id: "mon_none" }) { monitor { id } } ${longName}: __typename ${longName}1: __typename }`,
    ],
    ['of a failed field beside a long one', `{ company(identifier: "1") { id } ${longName}: __typename ${longName}1: __typename }`],
  ])('are at least one for each KiB: %s', async (_, query) => {
    const text = await (await ask(query)).text();
    const { data, extensions } = JSON.parse(text);
    const kib = JSON.stringify(data).length / 1_024;
    expect(kib).toBeGreaterThan(7);
    expect(extensions.cost.actual).toBeGreaterThanOrEqual(Math.floor(kib));
    expect(extensions.cost.actual).toBeGreaterThan(extensions.cost.requested - 300);
  });

  it('are charged to the key', async () => {
    const { key } = await app.keys.create({ name: 'points', modules: ['monitor'] });
    const query = `{ apiKey { ${Array.from({ length: 3 }, (_, i) => `${longName}${i}: name`).join(' ')} } }`;
    const remaining = async () => {
      const { body } = await app.query(query, {}, key);
      return body.extensions.cost as { remaining: number; actual: number; requested: number };
    };
    const first = await remaining();
    expect(first.actual).toBe(1 + 11);
    expect((await remaining()).remaining).toBeLessThan(first.remaining + 1_000);
  });
});

describe('a shorter answer', () => {
  it('is sent at once, with its length', async () => {
    const response = await ask(LONG.replace('first: 40', 'first: 4'));
    const text = await response.text();
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });
});
