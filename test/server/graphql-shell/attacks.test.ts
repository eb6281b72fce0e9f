import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { overHttp, overSocket, times } from './support.ts';

/** The twelve checks of graphql-cop against the service in live mode, which hides its schema. */
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ listsTried: false, env: { QUIPU_INTROSPECTION: 'false' } });
});
afterAll(() => app.close());

const get = (query: string, key: string | null) =>
  app.server.inject({ url: `/graphql?query=${encodeURIComponent(query)}`, headers: key === null ? {} : { 'x-api-key': key } });
const ran = (body: unknown): boolean => JSON.stringify(body).includes('"data":{');

describe.each(['without a key', 'with an ordinary key'])('GQ-02 a known attack %s', (who) => {
  const key = () => (who === 'without a key' ? null : app.key);
  const ask = async (query: string) => (await app.post('/graphql', { query }, key())).body;
  /** What tells the service's name, fields or stack. */
  const tells = async (query: string, pattern: RegExp) => pattern.test(JSON.stringify(await ask(query)));

  it.each([
    ['alias overloading', `{ ${times(101, (i) => `alias${i}: __typename`)} }`],
    ['directive overloading', `{ __typename ${'@aa'.repeat(10)}${'@bb'.repeat(10)} }`],
    ['field duplication', `{ ${'__typename '.repeat(500)} }`],
    [
      'circular introspection',
      '{ __schema { types { fields { type { fields { type { fields { type { fields { type { name } } } } } } } } } } }',
    ],
    ['introspection', getIntrospectionQuery()],
  ])('does not work: %s', async (_, query) => {
    expect(ran(await ask(query))).toBe(false);
  });

  it('does not work: batches of ten', async () => {
    expect(ran((await app.post('/graphql', Array(10).fill({ query: '{ __typename }' }), key())).body)).toBe(false);
  });

  it('does not work: suggestions of fields', async () => {
    expect(await tells('{ compani { id } __schem { x } }', /did you mean|companies|__schema/i)).toBe(false);
    const value = 'query ($c: Country) { company(identifier: "1", country: $c) { id } }';
    const { body } = await app.post('/graphql', { query: value, variables: { c: 'BRR' } }, key());
    expect(JSON.stringify(body)).not.toMatch(/did you mean/i);
  });

  it('does not work: traces in answers', async () => {
    expect(await tells('{ __typename }', /"tracing"/)).toBe(false);
  });

  it('does not work: unhandled errors', async () => {
    expect(await tells('{ company(identifier: 1) { id', /stack|exception|node_modules/i)).toBe(false);
  });

  it('does not work: queries by GET without a header that makes a browser ask first', async () => {
    expect(ran((await get('{ __typename }', key())).json())).toBe(false);
  });

  it('does not work: mutations by GET', async () => {
    expect(ran((await get('mutation { __typename }', key())).json())).toBe(false);
  });

  it('does not work: forms in place of JSON', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...(key() && { 'x-api-key': app.key }) };
    const answer = await app.server.inject({ method: 'POST', url: '/graphql', headers, payload: 'query={__typename}' });
    expect(ran(answer.json())).toBe(false);
  });

  it('does not work: a console', async () => {
    const page = await app.server.inject({ url: '/graphql', headers: { accept: 'text/html' } });
    expect(page.body).not.toMatch(/type Query|riskReasons.*fields|__schema/);
  });
});

describe('GQ-09 a client without a valid key', () => {
  it.each([null, 'sk_unknown', ''])('gets the same response to every operation with the key %o', async (key) => {
    const asked = [
      '{ __typename }',
      getIntrospectionQuery(),
      '{ compani',
      '{ compani { id } }',
      'x'.repeat(20_000),
      '{ company(identifier: "1") { id } }',
    ];
    const answers = [];
    for (const query of asked) {
      const { status, body } = await app.post('/graphql', { query }, key);
      const [{ message, extensions }] = body.errors;
      answers.push(JSON.stringify([status, message, extensions.code, Object.keys(body)]));
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/403|429/);
  });

  it('GQ-09 gets the same when introspection is on for clients with a key', async () => {
    const open = await testApp({ listsTried: false });
    const { status, body } = await open.query(getIntrospectionQuery(), {}, null);
    expect([status, body.data]).toEqual([403, undefined]);
    for (const ask of [overHttp(open), overSocket(open)]) {
      expect((await ask(getIntrospectionQuery())).body.data.__schema.queryType.name).toBe('Query');
      expect((await ask('{ compani { id } }')).messages[0]).toMatch(/Did you mean/);
    }
    await open.close();
  });

  it('GQ-09 the setting shuts sockets, too', async () => {
    expect((await overSocket(app)('{ __schema { queryType { name } } }')).status).toBe(400);
    expect((await overSocket(app)('{ compani { id } }')).messages[0]).not.toMatch(/Did you mean/);
    expect((await overHttp(app)('{ __typename company(identifier: "00000000000191") { __typename } }')).status).toBe(200);
  });
});
