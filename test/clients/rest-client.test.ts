import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import createClient from 'openapi-fetch';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { command, compile, ROOT } from './command.ts';

const url = inject('url');
const headers = { 'x-api-key': inject('key') };

const DEBARRED = '99.030.001/0001-46';

/** A program of a customer. It compiles only if the generated types name the fields, the closed sets of words and the errors. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, operations, paths } from './schema.d.ts';

const client = createClient<paths>({ baseUrl: '${url}', headers: { 'x-api-key': '${inject('key')}' } });
const { data, error, response } = await client.POST('/v1/kyb', { body: { identifier: '${DEBARRED}', country: 'BR' } });
if (error) throw new Error(\`\${response.status} \${error.code}: \${error.detail}\`);
const status: 'active' | 'inactive' | 'not_found' = data.status;
const owner: components['schemas']['Owner']['entity_type'] = 'company';
const unknown: operations['getOwners']['responses'][404]['content']['application/problem+json'] | undefined = undefined;
// @ts-expect-error the debarment list knows no "not found"
const never: operations['checkDebarment']['responses'][404] = unknown;
// @ts-expect-error country is required
await client.POST('/v1/kyb', { body: { identifier: '${DEBARRED}' } });
const monitors = await client.GET('/v1/monitor/subscriptions', { params: { query: { limit: '10' } } });
const total: number | undefined = monitors.data?.total;
await client.DELETE('/v1/monitor/subscriptions/{id}', { params: { path: { id: 'mon_1' } } });
await client.POST('/v1/kyb', { params: { header: { 'Idempotency-Key': 'order-1' } }, body: { identifier: '${DEBARRED}', country: 'BR' } });
console.log(JSON.stringify({ status, owner, total, never }));
`;

const folder = await mkdtemp(path.join(import.meta.dirname, 'generated-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('openapi-typescript and openapi-fetch', () => {
  it('generate types with which a typed program compiles', async () => {
    expect(command('openapi-typescript', `${ROOT}/schema/openapi.json`, '--output', `${folder}/schema.d.ts`)).toMatchObject({ status: 0 });
    await writeFile(`${folder}/program.ts`, PROGRAM);
    expect(compile(`${folder}/program.ts`, '--module', 'nodenext', '--allowImportingTsExtensions')).toMatchObject({
      status: 0,
      stdout: '',
    });
  });

  it('make every kind of call: an answer, an error with its code, a replay', async () => {
    const client = createClient<Record<string, never>>({ baseUrl: url, headers }) as unknown as AnyClient;
    const body = { identifier: DEBARRED, country: 'BR' };
    const found = await client.POST('/v1/debarment', { body });
    expect(found).toMatchObject({ data: { is_debarred: true, country: 'BR' } });
    expect(found.response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);

    const refused = await client.POST('/v1/debarment', { body: { ...body, country: 'CO' } });
    expect(refused).toMatchObject({ error: { code: 'unsupported_country', status: 422 } });

    const repeated = { params: { header: { 'Idempotency-Key': 'clients-1' } }, body };
    const first = await client.POST('/v1/debarment', repeated);
    const second = await client.POST('/v1/debarment', repeated);
    expect(second.data).toEqual(first.data);
    expect(second.response.headers.get('idempotent-replayed')).toBe('true');
  });

  it('read and cancel a subscription through the parameters of path and query', async () => {
    const client = createClient<Record<string, never>>({ baseUrl: url, headers }) as unknown as AnyClient;
    const webhook = { identifiers: [DEBARRED], country: 'BR', webhook_url: `${inject('sandbox')}/_control/webhooks/clients` };
    const { data } = await client.POST('/v1/monitor/subscriptions', { body: webhook });
    const list = await client.GET('/v1/monitor/subscriptions', { params: { query: { limit: '1' } } });
    expect(list.data).toMatchObject({ subscriptions: [{ subscription_id: data.subscription_id }] });
    const at = { params: { path: { id: data.subscription_id } } };
    expect(await client.DELETE('/v1/monitor/subscriptions/{id}', at)).toMatchObject({ data: { status: 'cancelled' } });
    expect(await client.DELETE('/v1/monitor/subscriptions/{id}', at)).toMatchObject({ error: { code: 'subscription_not_found' } });
  });
});

/** The client without generated types, which this file cannot import since it generates them. */
type AnyClient = Readonly<
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
  Record<'GET' | 'POST' | 'DELETE', (path: string, options: object) => Promise<{ data?: any; error?: any; response: Response }>>
>;
