import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE } from '../../support/hostile-documents.ts';
import { BODIES, BYTES, COMPANY, HEADERS, OPERATIONS, VARIABLES } from './graphql-requests.ts';
import { bothPaths, type Pair, pairOf, plainHeaders, plansOf, type Sent, withHeaders } from './support.ts';

let pair: Pair;
let key: string;
beforeAll(async () => {
  pair = await pairOf({ QUIPU_PLANS: plansOf({}) });
  key = pair.short.app.key;
});
afterAll(() => pair.close());

const sentBytes = (body: string | Buffer): Sent => ({ path: '/graphql', body, headers: plainHeaders(key) });
const sentBody = (body: unknown): Sent => sentBytes(JSON.stringify(body));
const plain = (query: string): Sent => sentBody({ query, variables: VARIABLES });

describe('a request to /graphql', () => {
  it.each(OPERATIONS)('has the same answer and log lines on both paths with the operation of %s', async (_, query) => {
    const { short, full } = await bothPaths(pair, plain(query));
    expect(short).toEqual(full);
  });

  it.each(HOSTILE)('has the same answer on both paths with %s', async (_, query, variables = {}) => {
    const { short, full } = await bothPaths(pair, sentBody({ query, variables }));
    expect(short).toEqual(full);
  });

  it.each(BODIES)('has the same answer on both paths with %s', async (_, body) => {
    const { short, full } = await bothPaths(pair, sentBody(body));
    expect(short).toEqual(full);
  });

  it.each(BYTES)('has the same answer on both paths with a body of %s', async (_, body) => {
    const { short, full } = await bothPaths(pair, sentBytes(body));
    expect(short).toEqual(full);
  });

  it.each(HEADERS)('has the same answer on both paths with %s', async (_, own) => {
    const { short, full } = await bothPaths(pair, withHeaders(plain(COMPANY), own));
    expect(short).toEqual(full);
    const refused = await bothPaths(pair, withHeaders(sentBody({ query: '{ nothing }' }), own));
    expect(refused.short).toEqual(refused.full);
  });

  it.each(['/graphql/', '/graphql?x=1', `/graphql?api_key=sk_${'0'.repeat(38)}`, '/GraphQL', '//graphql'])(
    'has the same answer on both paths at %s',
    async (at) => {
      const { short, full } = await bothPaths(pair, { ...plain(COMPANY), path: at });
      expect(short).toEqual(full);
    },
  );

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('has the same answer on both paths with the method %s', async (method) => {
    const { short, full } = await bothPaths(pair, { ...plain(COMPANY), method });
    expect(short).toEqual(full);
  });

  it('has the same answer on both paths as a GET with its query in the URL', async () => {
    const at = `/graphql?query=${encodeURIComponent(COMPANY)}`;
    const { short, full } = await bothPaths(pair, {
      path: at,
      method: 'GET',
      body: '',
      headers: { 'x-api-key': key, 'apollo-require-preflight': '1' },
    });
    expect(short.status).toBe(200);
    expect(short).toEqual(full);
  });
});
