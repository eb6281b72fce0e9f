import { companies } from '../../../sandbox/world/brazil/world.ts';
import { MODULES } from '../../../src/domain/catalogue.ts';
import type { FieldChange } from '../../../src/modules/monitor/domain/change.ts';
import { publish } from '../../../src/modules/monitor/service/publish.ts';
import type { TestAnswer, TestApp } from '../../support/app.ts';
import { brazilian } from './support.ts';

export const PATH = '/v1/monitor/subscriptions';
export const HOOK = 'https://127.0.0.1/hook';

/** Sends a request without a body. `key` is the key with all modules by default; null sends no key. */
export async function call(
  app: TestApp,
  method: 'GET' | 'DELETE' | 'HEAD' | 'PUT',
  url: string,
  key: string | null = app.key,
): Promise<TestAnswer> {
  const answer = await app.server.inject({ method, url, headers: key === null ? {} : { 'x-api-key': key } });
  return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? null : JSON.parse(answer.body) };
}

/** Sends a PATCH with the key of all modules. */
export async function patch(app: TestApp, url: string, body: unknown, key = app.key): Promise<TestAnswer> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const answer = await app.server.inject({ method: 'PATCH', url, headers, payload: JSON.stringify(body) });
  return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.body) };
}

/** CNPJs of the simulated companies. */
export const world: readonly string[] = companies.map(({ cnpj }) => cnpj);

/** The body of a POST. By default it has two simulated companies; `over` replaces members. */
export const order = (over: Readonly<Record<string, unknown>> = {}) => ({
  identifiers: world.slice(0, 2),
  country: 'BR',
  webhook_url: HOOK,
  ...over,
});

export interface Subscription {
  readonly subscription_id: string;
  readonly secret: string;
  readonly identifiers: readonly string[];
  readonly record_news?: boolean;
}

/** Creates a monitor through REST and returns the body of the response. @throws when the status is not 200 */
export async function subscribe(app: TestApp, over: Readonly<Record<string, unknown>> = {}, key = app.key): Promise<Subscription> {
  const { status, body } = await app.post(PATH, order(over), key);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

/** Creates a key of another customer with all modules. */
export const stranger = (app: TestApp): Promise<string> => app.keyFor(...MODULES);

const CLOSED: readonly FieldChange[] = [{ field: 'status', from: 'active', to: 'inactive' }];

/** Publishes the same change of each company to every monitor that watches it, as a check does. */
export async function publishChanges(app: TestApp, cnpjs: readonly string[], { fields = CLOSED, at = Date.now() } = {}): Promise<void> {
  const changes = cnpjs.map((cnpj) => ({
    company: brazilian(cnpj),
    source: fields[0]?.list ?? ('receita_federal' as const),
    fields,
  }));
  await app.db.transaction((trx) => publish(trx, changes, at));
}

/** Returns the data of a GraphQL response. @throws when the response has errors */
export async function data(app: TestApp, query: string, variables?: Record<string, unknown>, key = app.key) {
  const { body } = await app.query(query, variables, key);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
}

/** Returns path and code of each error of a GraphQL response. */
export async function codes(app: TestApp, query: string, variables?: Record<string, unknown>, key = app.key): Promise<string[]> {
  const { body } = await app.query(query, variables, key);
  return (body.errors ?? []).map(
    ({ path = [], extensions }: { path?: string[]; extensions: { code: string } }) => `${path.join('.')} ${extensions.code}`,
  );
}
