import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../sandbox/world/colombia.ts';
import { MODULES, type ModuleName } from '../../src/domain/catalogue.ts';
import type { Country } from '../../src/domain/company.ts';
import { type AccessRule, moduleFor } from '../../src/graphql/access.ts';
import { buildSchema } from '../../src/graphql/schema.ts';
import { modules, resolvers } from '../../src/modules/index.ts';
import type { Route } from '../../src/rest/route.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { urlOf } from '../support/route-urls.ts';

const CNPJ = '00.000.000/0001-91';
let app: TestApp;
const clock = { offset: 0 };
beforeAll(async () => {
  app = await testApp({ now: () => Date.now() + clock.offset });
});
afterAll(() => app.close());

const routes = modules.flatMap((module) => module.routes);
const RUT = chileanByScenario('cl-clean').rut;
const BODIES: Readonly<Record<string, unknown>> = {
  '/v1/compliance-br': { cnpj: CNPJ },
  '/v1/compliance': { identifier: RUT, country: 'CL' },
  '/v1/tax-health': { identifier: RUT, country: 'CL' },
  '/v1/contract-fines': { identifier: colombianByScenario('co-fined').nit, country: 'CO' },
  '/v1/tenders/awarded': { rut: RUT },
  '/v1/tenders/search': { country: 'CL', keyword: 'hospital' },
  '/v1/connection': { from: { identifier: CNPJ, country: 'BR' }, to: { identifier: CNPJ, country: 'BR' } },
  '/v1/search': { name: 'panaderia', country: 'CL' },
  '/v1/other-companies': { identifier: CNPJ, country: 'BR', owner: { identifier: CNPJ } },
  '/v1/validate/email': { email: 'a@gmail.com' },
  '/v1/tech': { domain: 'pagina-sencilla.cl' },
  '/v1/monitor/subscriptions': { identifiers: [CNPJ], country: 'BR', webhook_url: 'http://127.0.0.1:9/hook' },
  '/v1/screenings': { identifiers: [CNPJ] },
};
/** Endpoints that need one of these modules besides their own. */
const ALSO_ONE_OF: Readonly<Record<string, readonly ModuleName[]>> = { '/v1/group-findings': ['sanctions', 'debarment', 'labor'] };
const bodyOf = (path: string) => BODIES[path] ?? { identifier: CNPJ, country: 'BR' };
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** Sends a route its valid body or another one, with a key or none (null). */
async function ask({ method, path }: Route, key: string | null, { from = '127.0.0.1', body = JSON.stringify(bodyOf(path)) } = {}) {
  const headers = { ...(key !== null && { 'x-api-key': key }), ...(method === 'POST' && { 'content-type': 'application/json' }) };
  const url = urlOf(path, 'mon_00000000000000000000000000000000');
  const answer = await app.server.inject({ method, url, headers, remoteAddress: from, ...(method === 'POST' && { payload: body }) });
  return { status: answer.statusCode, body: answer.json() };
}

/** Fields of Company that are objects and are answered for Brazil, each with the module that it needs. */
const companyFields = Object.values((buildSchema(resolvers).getType('Company') as GraphQLObjectType).getFields())
  .filter(
    ({ type, extensions }) => isObjectType(getNamedType(type)) && ((extensions.countries as readonly Country[]) ?? ['BR']).includes('BR'),
  )
  .map(({ name, extensions }) => ({ name, module: moduleFor('BR', extensions.access as AccessRule) }));
const fieldOf = (module: ModuleName) => companyFields.find((field) => field.module === module)?.name;
const select = (module: ModuleName) => ROOTS[module] ?? `{ company(identifier: "${CNPJ}") { ${fieldOf(module)} { __typename } } }`;
/** Queries for the modules without a field on a Brazilian company. */
const ROOTS: Readonly<Partial<Record<ModuleName, string>>> = {
  compliance: `{ company(identifier: "${RUT}", country: CL) { compliance { riskLevel } } }`,
  tax_health: `{ company(identifier: "${RUT}", country: CL) { taxHealth { status } } }`,
  validate: '{ validateEmail(email: "a@gmail.com") { valid } }',
  tech: '{ techStack(domain: "pagina-sencilla.cl") { url } }',
  monitor: '{ monitors { nodes { id } } }',
  screening: '{ screenings { nodes { id } } }',
};
/** Whether the response is a refusal because the key lacks the module. */
const isRefused = (codes: readonly string[]) => codes.some((code) => code.toUpperCase() === 'MODULE_NOT_ENABLED');

describe('an API key', () => {
  it.each(routes.map((route) => [nameOf(route), route] as const))(
    'AK-03 is required on %s, which answers 403 missing_api_key before it parses the body',
    async (_name, route) => {
      expect(await ask(route, null, { body: '{' })).toMatchObject({ status: 403, body: { code: 'missing_api_key' } });
    },
  );

  it('AK-03 gets the same response when it is unknown, malformed, expired or revoked', async () => {
    const { key: expired } = await app.keys.create({ name: 'expired', modules: MODULES, expiresAt: Date.now() - 1_000 });
    const revoked = await app.keys.create({ name: 'revoked', modules: MODULES });
    await app.keys.revoke(revoked.id);
    const unknown = app.key.slice(0, -1) + (app.key.endsWith('a') ? 'b' : 'a');
    for (const [i, key] of [unknown, 'sk_', 'nonsense', expired, revoked.key].entries()) {
      const address = (n: number) => `192.0.2.${20 * i + n}`; // one address per request, below the limit of bad keys
      for (const [n, route] of routes.entries()) {
        const { status, body } = await ask(route, key, { from: address(n) });
        expect([status, { ...body, request_id: '' }]).toEqual([
          403,
          {
            type: 'urn:quipu:problem:invalid_api_key',
            title: 'API key not valid',
            status: 403,
            detail: 'This API key is not valid: it is unknown, expired or revoked.',
            code: 'invalid_api_key',
            request_id: '',
          },
        ]);
      }
      expect(await app.query('{ sources { name } }', {}, key, address(routes.length))).toMatchObject({
        status: 403,
        body: { errors: [{ message: expect.any(String), extensions: { code: 'INVALID_API_KEY', requestId: expect.any(String) } }] },
      });
    }
  });

  it('is required before a GraphQL document is parsed', async () => {
    for (const body of ['{', '{"query":"{"}', '{"query":"{ sources { name } }"}', '']) {
      const answer = await app.post('/graphql', body, null);
      expect(answer).toMatchObject({ status: 403, body: { errors: [{ extensions: { code: 'MISSING_API_KEY' } }] } });
      expect(Object.keys(answer.body)).toEqual(['errors']);
    }
  });

  it.each(['/graphql/', '/graphql/?operationName=a'])('is required on %s, too, by an error in the form of GraphQL', async (url) => {
    const answer = await app.post(url, { query: '{ sources { name } }' }, null);
    expect(answer).toMatchObject({ status: 403, body: { errors: [{ extensions: { code: 'MISSING_API_KEY' } }] } });
  });

  it('AK-03 is refused in a URL and is not in the log', async () => {
    for (const url of [`/v1/kyb?api_key=${app.key}`, `/graphql?key=${app.key}&query={sources{name}}`]) {
      const answer = await app.server.inject({ method: url.startsWith('/v1') ? 'POST' : 'GET', url, headers: { 'x-api-key': app.key } });
      expect(answer.statusCode).toBe(403);
    }
    await app.server.inject({ method: 'POST', url: `/v1/kyb/${app.key}` });
    expect(JSON.stringify(app.lines)).not.toContain(app.key);
  });

  it('AK-04 is refused five seconds after its revocation, and has its new modules five seconds after an update', async () => {
    const { id, key } = await app.keys.create({ name: 'short', modules: ['kyb'] });
    const kyb = () => app.post('/v1/kyb', bodyOf('/v1/kyb'), key);
    expect((await kyb()).status).toBe(200);
    await app.keys.update(id, { modules: ['owners'] });
    clock.offset += 5_000;
    expect((await kyb()).body.code).toBe('module_not_enabled');
    await app.keys.revoke(id);
    clock.offset += 5_000;
    expect((await kyb()).body.code).toBe('invalid_api_key');
  });

  it('AK-05 GQ-07 gives access to its own modules only, for every module and every pair, in REST and GraphQL', async () => {
    const served = [...new Set(routes.map(({ module }) => module))];
    const sets = served.flatMap((one, i) => [[one], ...served.slice(i + 1).map((other) => [one, other])]);
    for (const set of sets) {
      const key = await app.keyFor(...set);
      for (const route of routes) {
        const { module, orModule = module } = route;
        const also = ALSO_ONE_OF[route.path];
        const has = set.includes(module) || set.includes(orModule);
        const rest = await ask(route, key);
        const graph = await app.query(select(module), {}, key);
        const graphCodes = (graph.body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);
        expect([set, module, isRefused([rest.body.code ?? '']), isRefused(graphCodes)]).toEqual([
          set,
          module,
          !has || also?.some((one) => set.includes(one)) === false,
          !set.includes(module),
        ]);
        if (!has) expect([rest.status, graph.status]).toEqual([403, 200]);
      }
    }
  });

  it('returns the other fields of a GraphQL response when it lacks a module', async () => {
    const key = await app.keyFor('debarment');
    const { body } = await app.query(`{ company(identifier: "${CNPJ}") { identifier debarment { isDebarred } kyb { status } } }`, {}, key);
    expect(body.data.company).toEqual({ identifier: '00000000000191', debarment: { isDebarred: false }, kyb: null });
    expect(body.errors).toMatchObject([{ path: ['company', 'kyb'], extensions: { code: 'MODULE_NOT_ENABLED', module: 'KYB' } }]);
  });

  it('takes the name of a company from kyb, without it from owners, and gives none to a key with labor', async () => {
    const company = companyByScenario('clean');
    const name = async (...set: ModuleName[]) =>
      (await app.query(`{ company(identifier: "${company.cnpj}") { name } }`, {}, await app.keyFor(...set))).body;
    const [fromBoth, fromKyb, fromOwners] = [await name('owners', 'kyb'), await name('kyb'), await name('owners')];
    expect(fromBoth.data.company.name).toMatch(/\w/);
    expect([fromKyb.data, fromOwners.data]).toEqual([fromBoth.data, fromBoth.data]);
    expect([fromBoth, fromKyb, fromOwners].map(({ extensions }) => extensions.cost.counted)).toEqual([
      { KYB: 1 },
      { KYB: 1 },
      { OWNERS: 1 },
    ]);
    expect((await name('labor')).errors).toMatchObject([{ extensions: { code: 'MODULE_NOT_ENABLED', module: 'KYB' } }]);
  });
});

describe('health', () => {
  it('reports ok, and readiness after the first sync of the lists', async () => {
    expect((await app.server.inject('/healthz')).json()).toEqual({ status: 'ok' });
    const ready = await app.server.inject('/readyz');
    expect([ready.statusCode, ready.json().checks]).toEqual([
      200,
      { database: true, migrations: true, lists_tried: true, jobs: true, running: true },
    ]);
  });
});
