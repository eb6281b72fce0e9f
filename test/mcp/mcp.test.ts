import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { buildSchema } from '../../src/graphql/schema.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { resolvers } from '../../src/modules/index.ts';
import { type TestApp, testApp } from '../support/app.ts';

/** The tools for agents, called by the client of the SDK over HTTP. */

let app: TestApp;
let url: URL;
beforeAll(async () => {
  app = await testApp({ env: { QUIPU_PLANS: '{"tight":{"sanctions":{"rate":{"perMinute":1,"burst":1}}}}' } });
  await app.server.listen({ port: 0, host: '127.0.0.1' });
  url = new URL(`http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}/mcp`);
}, 60_000);
afterAll(() => app.close());

const DEBARRED = companyByScenario('debarred-ceis').cnpj;
const CHILEAN = chileanByScenario('cl-clean').rut;

async function connect(key = app.key, headers: Record<string, string> = { 'X-API-Key': key }): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
  readonly data: any;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
  readonly extensions: { readonly cost: { readonly counted: object } };
}

/** Calls a tool. Text and structured content of its result are the same. */
async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Answer & { readonly isError: boolean }> {
  const { content, structuredContent, isError = false } = (await client.callTool({ name, arguments: args })) as CallToolResult;
  expect(JSON.parse(textOf(content))).toEqual(structuredContent);
  return { ...(structuredContent as unknown as Answer), isError };
}

/** The text of the first part. */
const textOf = ([part]: readonly object[]): string => (part as { readonly text: string }).text;

const codesOf = ({ errors = [] }: Answer): readonly string[] => errors.map(({ extensions }) => extensions.code);

/** The text of a result that the SDK refused before the tool ran. */
async function refusalOf(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content, isError } = (await client.callTool({ name, arguments: args })) as CallToolResult;
  expect(isError).toBe(true);
  return textOf(content);
}

describe('the tools', () => {
  it('are listed with a description and a bounded input', async () => {
    const { tools } = await (await connect()).listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    for (const { description = '', inputSchema, annotations } of tools) {
      expect(description).toMatch(/Modules?: /);
      expect(inputSchema.additionalProperties).toBe(false);
      for (const [name, property] of Object.entries(inputSchema.properties ?? {}))
        expect([name, isBounded(property)]).toEqual([name, true]);
      expect(annotations?.readOnlyHint).toBe(!JSON.stringify(inputSchema).includes('listNews'));
    }
  });

  it('describe their results, as the client of the SDK checks them', async () => {
    const client = await connect();
    const { tools } = await client.listTools(); // from now on the client compares structured content with the schemas
    for (const { name, outputSchema } of tools) {
      expect([name, outputSchema?.type]).toEqual([name, 'object']);
      expect(Object.keys(outputSchema?.properties ?? {})).toEqual(['data', 'errors', 'extensions']);
    }
    const results = [
      await call(client, 'check_company', { identifier: DEBARRED }),
      await call(client, 'explain_verdict', { identifier: DEBARRED }),
      await call(client, 'explain_verdict', { identifier: CHILEAN }),
      await call(client, 'search_companies', { name: 'ficticia' }),
      await call(client, 'screen_names', { identifier: '900123456-8', name: 'Comercializadora Macondo Ficticio' }),
      await call(client, 'search_tenders', { country: 'BR' }),
      await call(client, 'supplier_orders', { identifier: CHILEAN }),
      await call(client, 'watch_companies', { country: 'BR', identifiers: [DEBARRED] }),
      await call(client, 'list_monitors', {}),
      await call(client, 'list_changes', {}),
      await call(client, 'check_company', { identifier: 'nothing' }),
    ];
    expect(results.map(({ isError }) => isError)).toEqual([...Array(10).fill(false), true]);
  });

  // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1626 and https://github.com/VibiumDev/vibium/issues/85: agent programs turn a
  // text of digits into a number, and a number into a text.
  it('accept digits as a number, and numbers and booleans as texts', async () => {
    const client = await connect();
    const checked = await call(client, 'check_company', { identifier: Number(DEBARRED), country: null });
    expect(checked).toMatchObject({ isError: false, data: { company: { compliance: { riskLevel: 'MEDIUM' } } } });
    const found = await call(client, 'search_tenders', { country: 'cl', first: '2', keyword: null });
    expect(found.data.searchTenders.nodes).toHaveLength(2);
    const args = { country: 'BR', identifiers: [Number(DEBARRED)], listNews: 'true', candidateNews: 'false' };
    const { id } = (await call(client, 'watch_companies', args)).data.createMonitor.monitor;
    const { nodes } = (await call(client, 'list_monitors', { first: '100' })).data.monitors;
    expect(nodes).toContainEqual(expect.objectContaining({ id, listNews: true, candidateNews: false }));
  });

  it('are documents that the schema answers', () => {
    const schema = buildSchema(resolvers);
    expect(TOOLS.map(({ document }) => validate(schema, parse(document)))).toEqual(TOOLS.map(() => []));
  });

  it('check and explain a Brazilian company, counted as one consolidated check each', async () => {
    const client = await connect();
    const checked = await call(client, 'check_company', { identifier: DEBARRED });
    expect(checked).toMatchObject({
      isError: false,
      data: { company: { country: 'BR', compliance: { riskLevel: 'MEDIUM', completeness: 'COMPLETE' } } },
      extensions: { cost: { counted: { COMPLIANCE_BR: 1 } } },
    });
    const explained = await call(client, 'explain_verdict', { identifier: DEBARRED });
    expect(explained.data.company.compliance.riskReasons).toEqual(checked.data.company.compliance.riskReasons);
    expect(explained.data.company.compliance.checks.debarment).toMatchObject({ isDebarred: true, records: [{ source: 'CEIS' }] });
    expect(explained.extensions.cost.counted).toEqual({ COMPLIANCE_BR: 1 });
  });

  it('check companies of Chile and Colombia by their own checks', async () => {
    const client = await connect();
    const chilean = await call(client, 'check_company', { identifier: CHILEAN, country: 'CL' });
    expect(chilean).toMatchObject({ isError: false, data: { company: { compliance: { riskLevel: 'LOW', completeness: 'COMPLETE' } } } });
    expect(chilean.extensions.cost.counted).toEqual({ COMPLIANCE: 1 });
    const colombian = await call(client, 'explain_verdict', { identifier: '900123456-8' });
    expect([colombian.isError, colombian.data.company.compliance.checks.sanctions.isSanctioned]).toEqual([false, false]);
  });

  it('return the public record of a company, counted once', async () => {
    const { data, extensions } = await call(await connect(), 'company_registration', { identifier: DEBARRED });
    expect(extensions.cost.counted).toEqual({ KYB: 1 });
    expect(data.company.registration).toMatchObject({ capital: '100000', legalNature: { code: '2062' }, address: { region: 'SP' } });
  });

  it('search companies by name, and return the next page', async () => {
    const client = await connect();
    const name = (await call(client, 'explain_verdict', { identifier: CHILEAN })).data.company.compliance.checks.kyb.companyName;
    const { data, isError } = await call(client, 'search_companies', { name, first: 1 });
    expect([isError, data.searchCompanies.nodes]).toEqual([false, [expect.objectContaining({ name })]]);
    const after = data.searchCompanies.pageInfo.endCursor;
    const next = await call(client, 'search_companies', { name, first: 1, after });
    expect(next.data.searchCompanies.nodes).not.toEqual(data.searchCompanies.nodes);
  });

  it('screen the names of a company, and a name that is given', async () => {
    const client = await connect();
    const named = await call(client, 'screen_names', { identifier: '900123456-8', name: 'Comercializadora Macondo Ficticio' });
    expect(named.isError).toBe(false);
    expect(named.data.company.sanctions.possibleMatches).toEqual([expect.objectContaining({ list: 'OFAC_SDN', decision: 'MATCH' })]);
    const unnamed = await call(client, 'screen_names', { identifier: CHILEAN });
    expect(unnamed.data.company.sanctions.possibleMatches).toEqual([]);
  });

  it('find calls for tenders and the orders of a supplier', async () => {
    const client = await connect();
    const found = await call(client, 'search_tenders', { country: 'CL', first: 2 });
    expect(found.data.searchTenders.nodes).toHaveLength(2);
    const supplier = await call(client, 'supplier_orders', { identifier: CHILEAN });
    expect(supplier).toMatchObject({
      isError: false,
      data: { company: { tenders: { totalCount: expect.any(Number), nodes: expect.any(Array) } } },
    });
  });

  it('watch companies without a webhook, and return changes after a cursor', async () => {
    const client = await connect(await app.keyFor('monitor'));
    const created = await call(client, 'watch_companies', { country: 'BR', identifiers: [DEBARRED] });
    expect(created).toMatchObject({ isError: false, data: { createMonitor: { monitor: { country: 'BR', checks: { companies: 1 } } } } });
    const { id } = created.data.createMonitor.monitor;
    const listed = await call(client, 'list_monitors', {});
    expect(listed.data.monitors.nodes).toEqual([expect.objectContaining({ id })]);
    const changes = await call(client, 'list_changes', { monitorIds: [id] });
    expect(changes).toMatchObject({ isError: false, data: { changes: { nodes: [], pageInfo: { hasNextPage: false } } } });
  });
});

describe('a refused call', () => {
  it('names the module that the key lacks, beside what was answered', async () => {
    const client = await connect(await app.keyFor('kyb'));
    const answer = await call(client, 'check_company', { identifier: CHILEAN });
    expect(answer.isError).toBe(true);
    expect(codesOf(answer)).toEqual(['MODULE_NOT_ENABLED']);
    expect(answer.data.company).toMatchObject({ country: 'CL', compliance: null });
    expect(answer.extensions.cost.counted).toEqual({});
    expect(codesOf(await call(client, 'list_monitors', {}))).toEqual(['MODULE_NOT_ENABLED']);
  });

  it('names a tax id that is none, and creates no monitor for it', async () => {
    const client = await connect();
    expect(codesOf(await call(client, 'check_company', { identifier: '99.030.001/0001-47' }))).toEqual(['INVALID_INPUT']);
    const bad = await call(client, 'watch_companies', { country: 'BR', identifiers: ['1'] });
    expect([bad.isError, codesOf(bad)]).toEqual([true, ['INVALID_INPUT']]);
  });

  it('says when the rate limit of the plan is reached', async () => {
    const { key } = await app.keys.create({ name: 'tight', modules: ['sanctions'], plan: 'tight' });
    const client = await connect(key);
    expect((await call(client, 'screen_names', { identifier: '900123456-8', name: 'ACME' })).isError).toBe(false);
    expect(codesOf(await call(client, 'screen_names', { identifier: '900123456-8', name: 'ACME' }))).toEqual(['RATE_LIMITED']);
  });

  it.each([
    ['check_company', {}],
    ['check_company', { identifier: '9'.repeat(1_000) }],
    ['check_company', { identifier: DEBARRED, contry: 'BR' }],
    ['search_tenders', { country: 'AR' }],
    ['check_company', { identifier: 3.5 }],
    ['check_company', { identifier: 2 ** 60 }],
    ['check_company', { identifier: -1 }],
    ['check_company', { identifier: true }],
    ['search_companies', { name: 'a', first: 101 }],
    ['search_companies', { name: 'a', first: '101' }],
    ['search_companies', { name: 'a', first: '1e1' }],
    ['search_companies', { name: 'a', first: 'five' }],
    ['watch_companies', { country: 'BR', identifiers: [DEBARRED], listNews: 'yes' }],
    ['search_companies', { name: 'x'.repeat(201) }],
    ['screen_names', { identifier: DEBARRED, name: 'x'.repeat(501) }],
    ['watch_companies', { country: 'BR', identifiers: Array.from({ length: 501 }, () => DEBARRED) }],
    ['list_changes', { after: 'x'.repeat(501) }],
  ])('of %s with %o is refused before it runs', async (name, args) => {
    expect(await refusalOf(await connect(), name, args)).toContain(`Invalid arguments for tool ${name}`);
  });

  it('of an unknown tool names it', async () => {
    expect(await refusalOf(await connect(), 'drop_tables', {})).toContain('drop_tables not found');
  });
});

describe('the key of a call', () => {
  it.each([
    ['that is unknown', { 'X-API-Key': 'sk_unknown_key_of_nobody' }, 'invalid_api_key'],
    ['that is missing', {}, 'missing_api_key'],
  ])('%s is answered with 401', async (_, headers, code) => {
    await expect(connect('', headers)).rejects.toMatchObject({ code: 401, message: expect.stringContaining(code) });
  });

  it('may be a bearer token', async () => {
    const client = await connect('', { Authorization: `Bearer ${app.key}` });
    expect((await client.listTools()).tools).toHaveLength(TOOLS.length);
  });

  it('that runs trusted documents only runs all tools, and no other document', async () => {
    const { key } = await app.keys.create({ name: 'bound', modules: ['monitor'], trustedOnly: true });
    expect((await call(await connect(key), 'list_monitors', {})).isError).toBe(false);
    expect((await app.query('{ __typename }', {}, key)).body.errors[0].extensions.code).toBe('DOCUMENT_NOT_TRUSTED');
  });

  it('that is revoked is refused at the next message', async () => {
    const { key, id } = await app.keys.create({ name: 'short', modules: ['monitor'] });
    const client = await connect(key);
    await app.keys.revoke(id);
    await expect
      .poll(
        () =>
          client.ping().then(
            () => 200,
            ({ code }) => code,
          ),
        { timeout: 15_000 },
      )
      .toBe(401);
  }, 20_000);
});

describe('the endpoint', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

  it('answers one message with JSON, also to a client that accepts nothing else', async () => {
    expect(await app.post('/mcp', ping)).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
  });

  it('refuses lists of messages, other methods, an Idempotency-Key, foreign pages and a key in the URL', async () => {
    const headers = { 'x-api-key': app.key };
    expect((await app.post('/mcp', [ping, ping])).status).toBe(400);
    expect((await app.post('/mcp', { nothing: 1 })).status).toBe(400);
    expect((await app.server.inject({ method: 'GET', url: '/mcp', headers })).statusCode).toBe(405);
    const send = (url: string, more = {}) => app.server.inject({ method: 'POST', url, headers: { ...headers, ...more }, payload: ping });
    expect((await send('/mcp', { 'idempotency-key': 'a' })).statusCode).toBe(422);
    expect((await send('/mcp', { origin: 'https://elsewhere.example' })).json().code).toBe('origin_not_allowed');
    expect((await send(`/mcp?api_key=${app.key}`)).statusCode).toBe(401);
  });
});

/** True for a property that has a maximum size, itself or by its values. */
function isBounded(property: unknown): boolean {
  const { type, maxLength, maximum, maxItems, enum: values, pattern, items, anyOf, properties } = property as Record<string, unknown>;
  if (values || type === 'boolean' || maximum !== undefined || maxLength !== undefined) return true;
  if (type === 'array') return maxItems !== undefined && isBounded(items);
  return anyOf || properties ? Object.values(anyOf ?? properties ?? {}).every(isBounded) : pattern !== undefined;
}
