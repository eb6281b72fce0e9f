import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { type Role, type RoleRule, roleFor } from '../../src/domain/roles.ts';
import { buildSchema } from '../../src/graphql/schema.ts';
import { modules, resolvers } from '../../src/modules/index.ts';
import { coreRoutes } from '../../src/rest/account-routes.ts';
import type { Route } from '../../src/rest/route.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { fieldOperations } from '../support/field-operations.ts';
import { urlOf } from '../support/route-urls.ts';

const { cnpj } = companyByScenario('clean');
const schema = buildSchema(resolvers);
const routes: readonly Route[] = [...coreRoutes, ...modules.flatMap((module) => module.routes)];
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

/** Endpoints of other methods than GET that check or read and change nothing. */
const READS = [
  '/v1/beneficial-owners',
  '/v1/compliance',
  '/v1/compliance-br',
  '/v1/connection',
  '/v1/contract-fines',
  '/v1/debarment',
  '/v1/enrich',
  '/v1/group',
  '/v1/group-findings',
  '/v1/kyb',
  '/v1/labor',
  '/v1/other-companies',
  '/v1/owners',
  '/v1/sanctions',
  '/v1/search',
  '/v1/tax-health',
  '/v1/tech',
  '/v1/tenders',
  '/v1/tenders/awarded',
  '/v1/tenders/search',
  '/v1/validate/email',
];
/** Bodies of endpoints that change something; the others need none. */
const BODIES: Readonly<Record<string, object>> = {
  '/v1/monitor/subscriptions': { identifiers: [cnpj], country: 'BR', webhook_url: 'https://example.com/hook' },
  '/v1/screenings': { identifiers: [cnpj] },
};

let app: TestApp;
const keys: Partial<Record<Role, string>> = {};
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  for (const role of ['read', 'decide', 'administer'] as const)
    keys[role] = (await app.keys.create({ name: role, account: 'test', modules: MODULES, role })).key;
}, 60_000);
afterAll(() => app.close());

const operations = fieldOperations(schema, cnpj).filter(({ field }) => field.startsWith('Mutation.'));
const rules = new Map(mutations.map(({ name, extensions }) => [`Mutation.${name}`, extensions.role as RoleRule]));
/** Returns the error of a mutation by a key with this role; undefined if it succeeds. */
const errorOf = async (role: Role, query: string) => (await app.query(query, {}, keys[role])).body.errors?.[0]?.extensions;

async function send({ method, path, role: rule = 'read' }: Route, role: Role) {
  const body = BODIES[path] ?? {};
  const hasBody = method === 'POST' || method === 'PATCH';
  const url = urlOf(path, 'mon_00000000000000000000000000000000');
  const headers = { 'x-api-key': keys[role] ?? '', ...(hasBody && { 'content-type': 'application/json' }) };
  const answer = await app.server.inject({ method, url, headers, ...(hasBody && { payload: JSON.stringify(body) }) });
  return { status: answer.statusCode, code: answer.json().code, needed: roleFor(rule, body) };
}

describe('the role of a key', () => {
  it('AK-07 is declared by every mutation', () => {
    expect(mutations.filter(({ extensions }) => extensions.role === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('AK-07 is declared by every endpoint, except those that only read or check', () => {
    const undeclared = routes.filter(({ method, role }) => method !== 'GET' && role === undefined).map(({ path }) => path);
    expect(undeclared.toSorted()).toEqual(READS);
    expect(routes.filter(({ method, role }) => method === 'GET' && role !== undefined)).toEqual([]);
  });

  it.each(operations.map(({ field, query }) => [field, query] as const))('AK-07 read is refused %s', async (field, query) => {
    const needed = roleFor(rules.get(field) ?? 'read', {});
    expect(await errorOf('read', query)).toMatchObject({ code: 'ROLE_NOT_ALLOWED', role: needed.toUpperCase() });
    const byDecide = await errorOf('decide', query);
    expect(byDecide?.code === 'ROLE_NOT_ALLOWED').toBe(needed === 'administer');
    expect((await errorOf('administer', query))?.code).not.toBe('ROLE_NOT_ALLOWED');
  });

  it.each(routes.filter(({ role }) => role !== undefined).map((one) => [`${one.method} ${one.path}`, one] as const))(
    'AK-07 read is refused %s',
    async (_, one) => {
      const { needed, ...byRead } = await send(one, 'read');
      expect(byRead).toEqual({ status: 403, code: 'role_not_allowed' });
      expect((await send(one, 'decide')).code === 'role_not_allowed').toBe(needed === 'administer');
      expect((await send(one, 'administer')).code).not.toBe('role_not_allowed');
    },
  );

  it('AK-07 read is refused the tool that watches companies', async () => {
    const call = { name: 'watch_companies', arguments: { country: 'BR', identifiers: [cnpj] } };
    const answer = await app.server.inject({
      method: 'POST',
      url: '/mcp',
      headers: { 'x-api-key': keys.read ?? '', accept: 'application/json, text/event-stream' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    });
    expect(answer.json().result).toMatchObject({
      isError: true,
      structuredContent: { errors: [{ extensions: { code: 'ROLE_NOT_ALLOWED', role: 'DECIDE' } }] },
    });
  });

  it('read may check companies and read everything', async () => {
    const query = `{ company(identifier: "${cnpj}") { kyb { status } } dismissedMatches { nodes { id } } monitors { nodes { id } } apiKey { role } }`;
    const { body } = await app.query(query, {}, keys.read);
    expect(body.errors).toBeUndefined();
    expect(body.data.apiKey).toEqual({ role: 'READ' });
  });

  it('AK-07 decide may watch companies without a webhook, and neither set, remove nor reformat one', async () => {
    const create = `mutation ($input: CreateMonitorInput!) { createMonitor(input: $input) { monitor { id } } }`;
    const input = { identifiers: [cnpj], country: 'BR' };
    const { body } = await app.query(create, { input }, keys.decide);
    const id = body.data.createMonitor.monitor.id;
    const withWebhook = { ...input, webhookUrl: 'https://example.com/hook' };
    const refused = [{ extensions: { code: 'ROLE_NOT_ALLOWED', role: 'ADMINISTER' } }];
    expect((await app.query(create, { input: withWebhook }, keys.decide)).body.errors).toMatchObject(refused);
    const update = `mutation ($input: UpdateMonitorInput!) { updateMonitor(input: $input) { monitor { id } } }`;
    const change = (more: object) => app.query(update, { input: { id, ...more } }, keys.decide);
    expect((await change({ listNews: true })).body.data.updateMonitor.monitor.id).toBe(id);
    for (const webhook of [{ webhookUrl: null }, { webhookFormat: 'SLACK' }, { webhookLanguage: 'ES' }])
      expect((await change(webhook)).body.errors).toMatchObject(refused);
  });

  it('is everything for a key that was created before roles', async () => {
    const { id, key } = await app.keys.create({ name: 'old', account: 'test', modules: MODULES, role: 'read' });
    await app.db.raw('UPDATE api_keys SET role = DEFAULT WHERE id = ?', [id]);
    expect((await app.keys.find(key))?.role).toBe('administer');
  });
});
