import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

const CNPJ = '11.222.333/0001-81';
let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const ENDPOINTS = ['/v1/kyb', '/v1/owners', '/v1/debarment', '/v1/labor', '/v1/sanctions'];

describe('bad input to REST', () => {
  it.each(
    ENDPOINTS.flatMap((path) => [
      { path, body: {}, field: 'identifier' },
      { path, body: { identifier: CNPJ }, field: 'country' },
      { path, body: { identifier: 42, country: 'BR' }, field: 'identifier' },
      { path, body: { identifier: '', country: 'BR' }, field: 'identifier' },
      { path, body: { identifier: null, country: 'BR' }, field: 'identifier' },
      { path, body: { identifier: '11.222.333/0001-80', country: 'BR' }, field: 'identifier' },
      { path, body: { identifier: 'x'.repeat(100_000), country: 'BR' }, field: 'identifier' },
      { path, body: { identifier: CNPJ, country: 'Brazil' }, field: 'country' },
      { path, body: [], field: 'body' },
      { path, body: '"text"', field: 'body' },
      { path, body: 'null', field: 'identifier' },
    ]),
  )('is 422 and names the field: $path $field $body', async ({ path, body, field }) => {
    const answer = await app.post(path, body);
    expect(answer).toMatchObject({
      status: 422,
      body: { status: 422, code: 'invalid_input', errors: expect.arrayContaining([{ field, message: expect.any(String) }]) },
    });
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  it('names the expected check digits', async () => {
    const { body } = await app.post('/v1/compliance-br', { cnpj: '11.222.333/0001-80' });
    expect(body).toMatchObject({ code: 'invalid_input', detail: expect.stringContaining('81'), errors: [{ field: 'cnpj' }] });
  });

  it.each(ENDPOINTS)('is 422 unsupported_country for a country that %s does not serve', async (path) => {
    const country = path === '/v1/sanctions' ? 'AR' : 'CO';
    expect(await app.post(path, { identifier: CNPJ, country })).toMatchObject({ status: 422, body: { code: 'unsupported_country' } });
  });

  it.each([
    ['that is not JSON', '{"identifier":', 400, 'malformed_body'],
    ['that is empty', '', 400, 'malformed_body'],
    ['over 1 MiB', `{"identifier":"${'1'.repeat(1024 * 1024)}"}`, 413, 'body_too_large'],
    ['with more than 5,000 fields', withFields(5_001), 400, 'malformed_body'],
    ['with 5,000 fields on lines of their own, and one more', withFields(5_001).replaceAll(':', ' :\n'), 400, 'malformed_body'],
    ['with 50,000 objects', `{"identifier":[${Array(50_000).fill('{}').join()}]}`, 400, 'malformed_body'],
    ['with 50,000 lists', `{"identifier":[${Array(50_000).fill('[]').join()}]}`, 400, 'malformed_body'],
    ['that would change the prototype', '{"__proto__":{"identifier":"x"}}', 400, 'malformed_body'],
  ])('refuses a body %s', async (_, body, status, code) => {
    expect(await app.post('/v1/kyb', body)).toMatchObject({ status, body: { code } });
  });

  it('does not read the body of a request for an unknown path, which needs no key', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await app.server.inject({ method: 'POST', url: '/v1/nothing', headers, payload: '{' });
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
  });

  it('reads a text of 6,000 names, objects and lists as one value', async () => {
    const body = { identifier: CNPJ, note: `"a":{}[]\\`.repeat(6_000) };
    expect(await app.post('/v1/kyb', body)).toMatchObject({ status: 422, body: { code: 'invalid_input' } });
  });

  it('reads a body with 5,000 fields, and refuses those that it does not know', async () => {
    expect(await app.post('/v1/kyb', withFields(5_000))).toMatchObject({ status: 422, body: { code: 'invalid_input' } });
  });

  it('refuses another media type, an unknown path and a wrong method with different codes', async () => {
    const headers = { 'x-api-key': app.key };
    const text = await app.server.inject({
      method: 'POST',
      url: '/v1/kyb',
      headers: { ...headers, 'content-type': 'text/plain' },
      payload: 'x',
    });
    const path = await app.server.inject({ method: 'POST', url: '/v1/nothing', headers });
    const method = await app.server.inject({ method: 'GET', url: '/v1/kyb', headers });
    expect([text, path, method].map((answer) => [answer.statusCode, answer.json().code])).toEqual([
      [415, 'unsupported_media_type'],
      [404, 'not_found'],
      [405, 'method_not_allowed'],
    ]);
    expect(method.headers.allow).toBe('POST');
  });

  it.each(['/v1', '/healthz', '/readyz', '/llms.txt'])('names the methods of %s, which has no POST', async (url) => {
    const answer = await app.server.inject({ method: 'POST', url, headers: { 'x-api-key': app.key } });
    expect([answer.statusCode, answer.headers.allow, answer.json().code]).toEqual([405, 'GET, HEAD', 'method_not_allowed']);
  });
});

/** A body with so many fields. */
const withFields = (count: number): string =>
  JSON.stringify({ identifier: CNPJ, ...Object.fromEntries(Array.from({ length: count - 1 }, (_, i) => [`field${i}`, i])) });

describe('a URL that cannot be read', () => {
  it('is 400 with a request id, and is not repeated in the response', async () => {
    const answer = await app.server.inject({ method: 'POST', url: '/v1/%zz', headers: { 'x-api-key': app.key } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'bad_request', request_id: expect.any(String) });
    expect(answer.body).not.toContain('%zz');
  });
});

describe('bad input to GraphQL', () => {
  it('is refused with more values in its variables than any operation can use', async () => {
    const { status, body } = await app.post('/graphql', { query: '{ __typename }', variables: { v: Array(100_500).fill(1) } });
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'TOO_MANY_VARIABLES']);
    expect(body.errors[0].message).toContain('100,500');
  });

  it.each([
    ['a malformed id', '{ company(identifier: "11222333000180") { id } }'],
    ['an id of no form', '{ company(identifier: "ACME") { id } }'],
    ['an id of another country', '{ company(identifier: "11222333000181", country: CL) { id } }'],
    ['a node of nothing', '{ node(id: "bm90aGluZw") { id } }'],
  ])('is INVALID_INPUT on the field for %s', async (_, query) => {
    const { status, body } = await app.query(query);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: expect.any(Object),
      errors: [{ extensions: { code: 'INVALID_INPUT', requestId: expect.any(String) } }],
    });
    expect(Object.values(body.data)).toEqual([null]);
  });

  it('returns the valid companies of a list beside the error', async () => {
    const { body } = await app.query('{ companies(identifiers: ["11222333000181", "bad", "76.371.864-6"]) { identifier country } }');
    expect(body.data.companies).toEqual([
      { identifier: '11222333000181', country: 'BR' },
      null,
      { identifier: '763718646', country: 'CL' },
    ]);
    expect(body.errors).toMatchObject([{ path: ['companies', 1], extensions: { code: 'INVALID_INPUT' } }]);
  });

  it('refuses more than 500 companies', async () => {
    const { body } = await app.query('query ($ids: [String!]!) { companies(identifiers: $ids) { id } }', {
      ids: Array(501).fill('11222333000181'),
    });
    expect(body.errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', field: 'identifiers' } }]);
  });

  it.each([
    ['a syntax error', '{ company(', 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['no query', '', 'BAD_REQUEST'],
    ['no query at all', undefined, 'BAD_REQUEST'],
  ])('is 400 for %s, with the request id', async (_, query, code) => {
    const { status, body } = await app.post('/graphql', { query });
    expect([status, body.errors[0].extensions.code]).toEqual([400, code]);
    expect(body.errors[0].extensions.requestId).toBeTruthy();
  });

  it.each(['mutation { x }', 'subscription { x }'])('is a client error for %s', async (query) => {
    const { body } = await app.query(query);
    expect(body.errors).toMatchObject([
      { extensions: { code: expect.stringMatching(/^(BAD_REQUEST|GRAPHQL_VALIDATION_FAILED)$/), requestId: expect.any(String) } },
    ]);
  });

  it('is 400 in the GraphQL error format for a body that is not JSON', async () => {
    expect(await app.post('/graphql', '{')).toMatchObject({ status: 400, body: { errors: [{ extensions: { code: 'MALFORMED_BODY' } }] } });
  });

  it('GQ-10 shows no internal details in the errors of three queries', async () => {
    const bodies = await Promise.all(['{ company(', '{ nothing }', '{ company(identifier: "x") { id } }'].map((query) => app.query(query)));
    expect(JSON.stringify(bodies.map(({ body }) => body))).not.toMatch(/stack|node_modules|\.ts:|select |127\.0\.0\.1|postgres/i);
  });
});
