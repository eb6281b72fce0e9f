import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { LEAKS } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
});
afterAll(() => app.close());

const CREATE =
  'mutation { createMonitor(input: { identifiers: ["00000000000191"], country: BR, webhookUrl: "http://127.0.0.1:9/" }) { monitor { id } } }';
const JSON_BODY = JSON.stringify({ query: CREATE });
const FORM_BODY = new URLSearchParams({ query: CREATE }).toString();
const MULTIPART = `--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n${CREATE}\r\n--x--\r\n`;
const monitors = async (): Promise<number> => Number((await app.db('monitors').count('* as n').first())?.n);

const SIMPLE: readonly (readonly [type: string | undefined, body: string])[] = [
  ['text/plain', JSON_BODY],
  ['TEXT/PLAIN', JSON_BODY],
  ['text/plain; charset=utf-8', JSON_BODY],
  ['text/plain; charset=application/json', JSON_BODY],
  ['text/plain;application/json', JSON_BODY],
  ['application/x-www-form-urlencoded', FORM_BODY],
  ['Application/X-WWW-Form-Urlencoded; charset=UTF-8', FORM_BODY],
  ['application/x-www-form-urlencoded, application/json', JSON_BODY],
  ['multipart/form-data; boundary=x', MULTIPART],
  ['Multipart/Form-Data; boundary=application/json', MULTIPART],
  [undefined, JSON_BODY],
  ['', JSON_BODY],
];

describe('GQ-06 cross-site request forgery', () => {
  it.each(SIMPLE.flatMap(([type, body]) => [['POST', type, body] as const, ['GET', type, body] as const]))(
    'runs nothing by %s with content type %o',
    async (method, type, body) => {
      const before = await monitors();
      const answer = await app.server.inject({
        method,
        url: method === 'GET' ? `/graphql?query=${encodeURIComponent(CREATE)}` : '/graphql',
        headers: { 'x-api-key': app.key, ...(type !== undefined && { 'content-type': type }) },
        ...(method === 'POST' && { payload: Buffer.from(body) }),
      });
      expect([400, 405, 415]).toContain(answer.statusCode);
      expect(answer.body).not.toContain('"data":{');
      expect(await monitors()).toBe(before);
    },
  );

  it('runs no mutation by GET even with the header that no page can send', async () => {
    const url = `/graphql?query=${encodeURIComponent(CREATE)}`;
    const answer = await app.server.inject({ url, headers: { 'x-api-key': app.key, 'apollo-require-preflight': '1' } });
    expect([answer.statusCode, answer.headers.allow, await monitors()]).toEqual([405, 'POST', 0]);
  });

  it('runs a query by GET with that header', async () => {
    const headers = { 'x-api-key': app.key, 'apollo-require-preflight': '1' };
    const answer = await app.server.inject({ url: '/graphql?query={__typename}', headers });
    expect([answer.statusCode, answer.json().data]).toEqual([200, { __typename: 'Query' }]);
  });

  it.each([0, 1, 2, 100])('runs no batch of %i', async (count) => {
    const { status, body } = await app.post('/graphql', Array(count).fill({ query: CREATE }));
    expect([status, body.errors[0].extensions.code, await monitors()]).toEqual([400, 'BAD_REQUEST', 0]);
  });

  it.each(['PUT', 'PATCH', 'DELETE'] as const)('is refused with %s', async (method) => {
    const answer = await app.server.inject({ method, url: '/graphql', headers: { 'x-api-key': app.key }, payload: { query: CREATE } });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, POST']);
  });

  it('SC-01 is limited to a body of 1 MiB', async () => {
    const frame = JSON.stringify({ query: '{ __typename }', extensions: { x: '' } });
    const body = (bytes: number) => frame.replace('"x":""', `"x":"${'x'.repeat(bytes - frame.length)}"`);
    expect((await app.post('/graphql', body(1024 * 1024))).status).toBe(200);
    const { status, body: refused } = await app.post('/graphql', body(1024 * 1024 + 1));
    expect([status, refused.errors[0].extensions.code]).toEqual([413, 'BODY_TOO_LARGE']);
  });
});

/** Bodies near what is expected, of every JSON type. */
const nearBody = fc.record(
  {
    query: fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.constantFrom('{__typename}', '{', '', '{company(identifier:"1"){id}}', '\u0000'),
      fc.jsonValue(),
    ),
    variables: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    operationName: fc.oneof(fc.string(), fc.jsonValue()),
    extensions: fc.oneof(
      fc.record({ persistedQuery: fc.jsonValue() }),
      fc.record({ persistedQuery: fc.record({ version: fc.jsonValue(), sha256Hash: fc.jsonValue() }) }),
      fc.jsonValue(),
    ),
    documentId: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'application/json;',
      'text/plain',
      'application/graphql',
      '*/*',
      ';',
    ),
    accept: fc.constantFrom(
      '*/*',
      'application/json',
      'application/graphql-response+json',
      'text/event-stream',
      'text/html',
      'image/png',
      ';q=',
      '',
    ),
    'accept-encoding': fc.string(),
    'idempotency-key': fc.string({ maxLength: 300 }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
  },
  { requiredKeys: ['content-type'] },
);

describe('GQ-05 GQ-10 any request body', () => {
  const answers = async (payload: string | Buffer, sent: Record<string, string>) => {
    const answer = await app.server.inject({ method: 'POST', url: '/graphql', headers: { ...sent, 'x-api-key': app.key }, payload });
    expect(answer.statusCode).toBeLessThan(500);
    expect(answer.body.replace(/"message":"Syntax Error[^"]*"/, '')).not.toMatch(LEAKS);
    return answer.statusCode < 400;
  };

  it('is answered without an internal error: JSON of every shape', async () => {
    await fc.assert(
      fc.asyncProperty(nearBody, headers, async (body, sent) => void (await answers(JSON.stringify(body), sent as Record<string, string>))),
      { numRuns: 400 },
    );
  }, 120_000);

  it('is answered without an internal error: bytes that are not JSON', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        headers,
        async (bytes, sent) => void (await answers(Buffer.from(bytes), sent as Record<string, string>)),
      ),
      { numRuns: 200 },
    );
  }, 120_000);

  it.each([undefined, 'one-key'])('is answered when it is nested deeper than the stack, with Idempotency-Key %s', async (key) => {
    for (const body of [
      '['.repeat(200_000) + ']'.repeat(200_000),
      `{"query":"{__typename}","variables":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    ])
      expect(await answers(body, { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) })).toBe(false);
  });

  it('is distinguished from a syntax error, which is a 400', async () => {
    const { status, body } = await app.query('{ company(');
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'GRAPHQL_PARSE_FAILED']);
  });
});
