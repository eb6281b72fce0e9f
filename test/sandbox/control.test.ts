import { describe, expect, it, onTestFinished } from 'vitest';
import { FAULT_MODES, Faults } from '../../sandbox/server/faults.ts';
import { startSandbox } from '../../sandbox/server/server.ts';
import { companies, companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanCompanies } from '../../sandbox/world/chile/world.ts';
import { colombianCompanies } from '../../sandbox/world/colombia.ts';
import { foreignCompanies } from '../../sandbox/world/foreign-companies.ts';
import { testApp } from '../support/app.ts';
import { sandboxForFile, simulators } from './support.ts';

const server = sandboxForFile();

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await server.get(`/_control/${path}`, { method, body: text });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
const statusOf = async (scenario: string): Promise<number> =>
  (await server.get(`/receita_federal/${companyByScenario(scenario).cnpj}`)).status;

describe('the failure switches', () => {
  it('are set, read and cleared over HTTP, for one source or for all', async () => {
    expect(await call('PUT', 'faults/receita_federal', { mode: 'status_500' })).toEqual({
      status: 200,
      body: { source: 'receita_federal', mode: 'status_500' },
    });
    await call('PUT', 'faults/ceis', { mode: '429', ms: 5_000 });
    expect(await statusOf('clean')).toBe(500);
    expect((await call('GET', 'faults')).body).toMatchObject({
      faults: { receita_federal: { mode: 'status_500' }, CEIS: { mode: 'rate_limited', ms: 5_000 } },
    });
    expect((await call('DELETE', 'faults/receita_federal')).body).toEqual({ faults: { CEIS: { mode: 'rate_limited', ms: 5_000 } } });
    expect(await statusOf('clean')).toBe(200);
    expect((await call('DELETE', 'faults')).body).toEqual({ faults: {} });
  });

  it('apply to the first `times` requests only', async () => {
    server.sandbox.faults.set('receita_federal', { mode: 'status_500', times: 2 });
    expect([await statusOf('clean'), await statusOf('clean'), await statusOf('clean')]).toEqual([500, 500, 200]);
    expect(server.sandbox.faults.get('receita_federal')).toBeNull();
  });

  it('apply to the paths that contain `match` and count only those', async () => {
    const { cnpj } = companyByScenario('alphanumeric');
    server.sandbox.faults.set('receita_federal', { mode: 'status_500', match: cnpj.toLowerCase(), times: 1 });
    expect([await statusOf('clean'), await statusOf('alphanumeric'), await statusOf('alphanumeric')]).toEqual([200, 500, 200]);
  });

  it('affect the source that they name and not another', async () => {
    server.sandbox.faults.set('OFAC_SDN', { mode: 'down' });
    expect((await server.get('/un_consolidated/consolidated.xml')).status).toBe(200);
    await expect(server.get('/ofac_sdn/SDN.XML')).rejects.toThrow();
  });

  it('list every mode', async () => {
    expect(Object.keys((await call('GET', 'faults')).body.modes ?? {})).toEqual(FAULT_MODES);
    expect(FAULT_MODES).toHaveLength(24);
  });

  it.each([
    {
      what: 'an unknown source',
      path: 'faults/nowhere',
      body: { mode: 'down' },
      status: 404,
      error: /no simulated source "nowhere".*receita_federal, opencnpj, CEIS, CNEP/,
    },
    {
      what: 'an unknown mode',
      body: { mode: 'toString' },
      status: 400,
      error: /no failure mode "toString".*down, slow, hung.*429, short_body/,
    },
    { what: 'no mode', body: {}, status: 400, error: /needs a mode/ },
    { what: 'no JSON', body: 'down', status: 400, error: /not JSON/ },
    { what: 'no object', body: '"down"', status: 400, error: /is a JSON object/ },
    { what: 'an unknown field', body: { mode: 'down', for: 3 }, status: 400, error: /no field "for".*mode, ms, times, match/ },
    { what: 'a negative delay', body: { mode: 'slow', ms: -1 }, status: 400, error: /ms is a whole number/ },
    { what: 'a text for a number', body: { mode: 'down', times: '3' }, status: 400, error: /times is a whole number from 1/ },
    { what: 'a number for a text', body: { mode: 'down', match: 3 }, status: 400, error: /match is a part of a path/ },
  ])('refuse $what with $status and an error message', async ({ path = 'faults/ceis', body, status, error }) => {
    expect(await call('PUT', path, body)).toEqual({ status, body: { error: expect.stringMatching(error) } });
    expect(server.sandbox.faults.list()).toEqual({});
  });

  it('refuse an unknown source and accept an alias when code sets them', () => {
    const faults = new Faults(['CEIS']);
    expect(() => faults.set('CNEP', { mode: 'down' })).toThrow('There is no simulated source "CNEP". There are: CEIS.');
    expect(() => faults.get('CNEP')).toThrow('no simulated source');
    faults.set('ceis', { mode: 'short_body' });
    expect(faults.list()).toEqual({ CEIS: { mode: 'truncated' } });
    faults.set('CEIS', null);
    expect(faults.take('CEIS', '/')).toBeNull();
  });
});

describe('the control API', () => {
  it('lists every scenario with its CNPJ and name, and the companies of other countries', async () => {
    const { body } = await call('GET', 'companies');
    const listed = body.companies as { scenario: string; country: string; cnpj: string | null; name: string }[];
    expect(listed.filter(({ country }) => country === 'BR')).toMatchObject(
      companies.map(({ scenario, cnpj, name }) => ({ scenario, cnpj, name })),
    );
    const abroad = listed.filter(({ country }) => country !== 'BR');
    expect(abroad.map(({ scenario }) => scenario)).toEqual(
      [...foreignCompanies, ...chileanCompanies, ...colombianCompanies].map(({ scenario }) => scenario),
    );
    expect(abroad.find(({ scenario }) => scenario === 'co-sanctioned')).toMatchObject({ cnpj: null, identifier: '999.200.001-0' });
    expect(abroad.find(({ scenario }) => scenario === 'cl-same-digits')).toMatchObject({ country: 'CL', identifier: '99.910.000-7' });
    expect(abroad.find(({ scenario }) => scenario === 'cl-clean')).toMatchObject({ country: 'CL', cnpj: null, identifier: '67.000.001-K' });
  });

  it('lists the requested paths of a source, refused and failed requests included', async () => {
    const before = server.sandbox.requestsTo('CNEP').length;
    await server.get('/cnep/20200101');
    server.sandbox.faults.set('CNEP', { mode: 'down' });
    await server.get('/cnep/20261121').catch(() => undefined);
    expect(server.sandbox.requestsTo('cnep').slice(before)).toEqual(['/20200101', '/20261121']);
    expect((await call('GET', 'requests/CNEP')).body).toEqual({ source: 'CNEP', requests: server.sandbox.requestsTo('CNEP') });
    expect((await call('GET', 'requests/nowhere')).status).toBe(404);
  });

  it.each([
    ['GET', 'nothing'],
    ['POST', 'faults'],
    ['PUT', 'faults'],
    ['GET', 'requests'],
  ])('answers %s %s with 404 and the available operations', async (method, path) => {
    const body = method === 'GET' ? undefined : '{}';
    expect(await call(method, path, body)).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('PUT /_control/faults/{source}') },
    });
  });
});

describe('the sandbox server', () => {
  it('listens on 127.0.0.1 and answers 404 or 400 to a path that it does not serve', async () => {
    expect(server.sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await server.get('/somewhere/else')).status).toBe(404);
    expect((await server.get('/receita_federal/%ff')).status).toBe(400);
  });

  it('fails with EADDRINUSE when its port is in use', async () => {
    const port = Number(new URL(server.sandbox.url).port);
    await expect(startSandbox({ simulators, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('keeps the last 10,000 requests of a source', async () => {
    const quick = { name: 'QUICK', handle: () => ({ status: 200, body: '' }) };
    const sandbox = await startSandbox({ simulators: [quick] });
    for (let batch = 0; batch < 101; batch += 1) {
      await Promise.all(Array.from({ length: 100 }, async (_, i) => (await fetch(`${sandbox.url}/quick/${batch * 100 + i}`)).text()));
    }
    expect(sandbox.requestsTo('QUICK')).toHaveLength(10_000);
    expect(sandbox.requestsTo('QUICK')).not.toContain('/0');
    await sandbox.close();
  });

  it('drops the connection and logs the error when a simulator throws', async () => {
    const errors: unknown[] = [];
    const broken = {
      name: 'BROKEN',
      handle: () => {
        throw new Error('no answer');
      },
    };
    const sandbox = await startSandbox({
      simulators: [broken],
      log: { debug: () => undefined, error: (fact: unknown) => errors.push(fact) } as never,
    });
    await expect(fetch(`${sandbox.url}/broken/`)).rejects.toThrow();
    expect(errors).toMatchObject([{ err: { message: 'no answer' } }]);
    await sandbox.close();
  });
});

describe('the control API behind the gateway, for pages', () => {
  it('changes the made-up world for any valid key, and for nobody without one', async () => {
    const app = await testApp({ listsTried: false });
    onTestFinished(() => app.close());
    const { cnpj } = companyByScenario('clean');
    const ask = (method: 'GET' | 'PATCH' | 'DELETE', path: string, options: object = {}) =>
      app.server.inject({ method, url: `/sandbox/${path}`, headers: { 'x-api-key': app.key }, ...options });
    const changed = await ask('PATCH', `companies/${cnpj}`, { payload: { status: 'BAIXADA' } });
    expect([changed.statusCode, changed.json()]).toEqual([200, expect.objectContaining({ cnpj, status: 'BAIXADA' })]);
    expect((await ask('GET', `companies/${cnpj}`)).json()).toMatchObject({ status: 'BAIXADA' });
    expect((await ask('DELETE', `companies/${cnpj}`)).json()).toMatchObject({ status: 'ATIVA' });
    expect((await ask('PATCH', `companies/${cnpj}`, { payload: { colour: 'red' } })).statusCode).toBe(400);
    expect((await ask('GET', 'faults')).json()).toMatchObject({ faults: {}, sources: expect.arrayContaining(['receita_federal', 'dns']) });
    expect((await ask('GET', 'faults', { headers: {} })).json()).toMatchObject({ code: 'missing_api_key' });
    expect((await ask('GET', 'faults', { headers: { 'x-api-key': 'sk_wrong' } })).statusCode).toBe(403);
    const foreign = { headers: { 'x-api-key': app.key, origin: 'https://elsewhere.example' } };
    expect((await ask('GET', 'faults', foreign)).json()).toMatchObject({ code: 'origin_not_allowed' });
    const own = { headers: { 'x-api-key': app.key, origin: 'http://quipu.example', host: 'quipu.example' } };
    expect((await ask('GET', 'faults', own)).statusCode).toBe(200);
  });

  it('does not exist in live mode', async () => {
    const app = await testApp({ env: { QUIPU_SOURCES: 'live', QUIPU_DNS_SERVERS: '127.0.0.1:9' }, listsTried: false });
    onTestFinished(() => app.close());
    const { statusCode } = await app.server.inject({ method: 'GET', url: '/sandbox/faults', headers: { 'x-api-key': app.key } });
    expect(statusCode).toBe(404);
  });
});
