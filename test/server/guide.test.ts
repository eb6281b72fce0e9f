import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
});
afterAll(() => app.close());

const get = (url: string, headers: Readonly<Record<string, string>> = {}) => app.server.inject({ method: 'GET', url, headers });

describe('an unknown path', () => {
  it.each([
    ['/v1/complianceBr', '/v1/compliance-br'],
    ['/v1/compliance_br', '/v1/compliance-br'],
    ['/v1/Compliance-BR', '/v1/compliance-br'],
    ['/v1/complience-br?x=1', '/v1/compliance-br'],
    ['/compliance-br', '/v1/compliance-br'],
    ['/v1/taxHealth', '/v1/tax-health'],
    ['/v1/tenders/serch', '/v1/tenders/search'],
    ['/v1/monitors/subscriptions', '/v1/monitor/subscriptions'],
    ['/graphl', '/graphql'],
  ])('gets 404 with the path that was probably meant: %s', async (url, meant) => {
    const { statusCode, body } = await app.server.inject({ method: 'POST', url, payload: {}, headers: { 'x-api-key': app.key } });
    expect([statusCode, JSON.parse(body).code, JSON.parse(body).detail]).toEqual([
      404,
      'not_found',
      `There is nothing at this path. Did you mean ${meant}? GET /v1 lists the endpoints.`,
    ]);
  });

  it.each(['/wp-login.php', `/${'x'.repeat(5_000)}`])('gets 404 without a suggestion where none is near', async (url) => {
    expect((await get(url)).json().detail).toBe('There is nothing at this path. GET /v1 lists the endpoints.');
  });
});

describe('GET /v1', () => {
  it('lists the endpoints and where they are described, without a key', async () => {
    const { statusCode, body } = await get('/v1');
    const { endpoints, ...rest } = JSON.parse(body);
    expect([statusCode, rest]).toEqual([200, { documentation: '/docs/api-rest', openapi: '/openapi.json' }]);
    expect(endpoints).toContainEqual({
      method: 'POST',
      path: '/v1/compliance-br',
      summary: expect.any(String),
      module: 'compliance_br',
    });
  });
});

describe('/.well-known/security.txt', () => {
  it('names a contact and a date of expiry to come, in the form of RFC 9116', async () => {
    const { statusCode, headers, body } = await get('/.well-known/security.txt');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(body).toMatch(/^Contact: https:\/\/\S+$/m);
    expect(Date.parse(/^Expires: (.+)$/m.exec(body)?.[1] ?? '')).toBeGreaterThan(Date.now());
  });
});

describe('an API key as Authorization: Bearer', () => {
  const { cnpj } = companyByScenario('clean');
  const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
  const body = { query: '{ sources { name } }' };

  it.each([
    ['REST', '/v1/labor', { identifier: cnpj, country: 'BR' }],
    ['GraphQL', '/graphql', body],
    ['MCP', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
  ])('is accepted by %s, and refused where it is wrong', async (_, url, payload) => {
    const accept = 'application/json, text/event-stream;q=0.1';
    const ask = (token: string) => app.server.inject({ method: 'POST', url, payload, headers: { ...bearer(token), accept } });
    expect((await ask(app.key)).body).not.toContain('api_key');
    expect([401, 403]).toContain((await ask('sk_wrong')).statusCode);
  });

  it('gives way to X-API-Key', async () => {
    const headers = { ...bearer('sk_wrong'), 'x-api-key': app.key };
    expect((await app.server.inject({ method: 'POST', url: '/graphql', payload: body, headers })).statusCode).toBe(200);
  });
});
