import { randomUUID } from 'node:crypto';
import {
  type GraphQLInputType,
  GraphQLNonNull,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { expect } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { type IdKind, toPublicId } from '../../src/domain/public-ids.ts';
import { buildSchema } from '../../src/graphql/schema.ts';
import { resolvers } from '../../src/modules/index.ts';
import { toChangeCursor } from '../../src/modules/monitor/domain/log-position.ts';
import { type TestAnswer, type TestApp, testApp } from './app.ts';
import { testDb } from './db.ts';
import { type SilentProxy, silentProxy } from './silent-proxy.ts';

const cnpj = companies[0]?.cnpj ?? '';

/** One key sends all requests of a test: more mutations at once than a plan has points for. */
const PLANS = { standard: { graphql: { perMinute: 1_000_000_000, burst: 1_000_000_000 }, compliance_br: { rate: null } } };

/**
 * A service whose connection to the database can be cut or fall silent, a request of each kind that needs the database, and some that are
 * answered from memory.
 */
export async function appBehindProxy(): Promise<TestApp & { readonly proxy: SilentProxy; readonly requests: () => readonly Request[] }> {
  const { url, close } = await testDb();
  const proxy = await silentProxy(url);
  const app = await testApp({ env: { DATABASE_URL: proxy.url, QUIPU_PLANS: JSON.stringify(PLANS) }, patience: 1 });
  const webhook = `${app.sandbox?.url}/_control/webhooks/without-database`;
  const created = await app.post('/v1/monitor/subscriptions', { identifiers: [cnpj], country: 'BR', webhook_url: webhook });
  const id: string = created.body.subscription_id;
  const cached = cachedRequests(app);
  for (const { name, send } of cached) expect([name, await send()]).toEqual([name, null]);
  return {
    ...app,
    proxy,
    requests: () => [...mutations(app, id, webhook), ...otherRequests(app, id, webhook), ...cached],
    async close() {
      await app.close();
      proxy.close();
      await close();
    },
  };
}

export interface Request {
  readonly name: string;
  /** Outcome without the database. */
  readonly outcome: 'SERVICE_UNAVAILABLE' | null;
  /** Settles with the error code of the answer; null for an answer without an error. */
  send(): Promise<string | null>;
}

/** Each mutation of the schema, with valid arguments. */
function mutations(app: TestApp, id: string, webhook: string): readonly Request[] {
  const fields = buildSchema(resolvers).getMutationType()?.getFields() ?? {};
  return Object.values(fields).map(({ name, args, type }) => {
    const given = args.filter((arg) => isNonNullType(arg.type) || isInputObjectType(getNamedType(arg.type)));
    const declared = given.map((arg) => `$${arg.name}: ${arg.type}`);
    const query = `mutation(${declared}) { ${name}(${given.map((arg) => `${arg.name}: $${arg.name}`)}) ${isObjectType(getNamedType(type)) ? '{ __typename }' : ''} }`;
    const variables = Object.fromEntries(given.map((arg) => [arg.name, sampleOf(arg.name, arg.type, { id: idFor(name) ?? id, webhook })]));
    return {
      name: `mutation ${name}`,
      outcome: 'SERVICE_UNAVAILABLE',
      send: async () => codeOf(await app.query(query.replace('mutation()', 'mutation').replace(`${name}()`, name), variables)),
    };
  });
}

/** Returns an id for the mutation `name`; null for the id of a monitor. */
function idFor(name: string): string | null {
  const kind = ID_KINDS.find(([mutation]) => mutation.test(name))?.[1];
  return kind ? toPublicId(kind, randomUUID()) : null;
}
const ID_KINDS: readonly (readonly [mutation: RegExp, kind: IdKind])[] = [
  [/Screening/, 'screening'],
  [/unconfirmMatch/, 'confirmation'],
  [/Match/, 'dismissal'],
  [/Note/, 'note'],
  [/MailSubscription/, 'mailSubscription'],
];

function sampleOf(name: string, type: GraphQLInputType, known: { id: string; webhook: string }): unknown {
  if (type instanceof GraphQLNonNull) return sampleOf(name, type.ofType, known);
  if (isListType(type)) return [sampleOf(name, type.ofType, known)];
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
    return Object.fromEntries(fields.map((field) => [field.name, sampleOf(field.name, field.type, known)]));
  }
  if (isEnumType(type)) return (type.getValues().find((one) => one.name === 'BR') ?? type.getValues()[0])?.name;
  if (/identifier/i.test(name)) return cnpj;
  if (name === 'email') return 'ana@example.com';
  if (name === 'timeZone') return 'America/Bogota';
  if (/url/i.test(name)) return known.webhook;
  if (/delivery/i.test(name)) return toPublicId('delivery', randomUUID());
  return /after|cursor/i.test(name) ? toChangeCursor({ position: 1, epoch: null }) : known.id;
}

/** Creates a REST request. Without the database it is refused. */
const restOf =
  (app: TestApp) =>
  (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object): Request => ({
    name: `${method} ${url}`,
    outcome: 'SERVICE_UNAVAILABLE',
    async send() {
      const answer = await app.server.inject({ method, url, headers: { 'x-api-key': app.key }, ...(payload && { payload }) });
      return answer.statusCode < 300 ? null : JSON.parse(answer.body).code.toUpperCase();
    },
  });

function otherRequests(app: TestApp, id: string, webhook: string): readonly Request[] {
  const rest = restOf(app);
  return [
    rest('POST', '/v1/monitor/subscriptions', { identifiers: [cnpj], country: 'BR', webhook_url: webhook }),
    rest('GET', '/v1/monitor/subscriptions'),
    rest('GET', '/v1/usage'),
    rest('DELETE', `/v1/monitor/subscriptions/${id}`),
  ];
}

/** Checks whose answers are in memory once each was sent. */
function cachedRequests(app: TestApp): readonly Request[] {
  const rest = restOf(app);
  const query = `{ company(identifier: "${cnpj}") { kyb { companyName } } }`;
  return [
    { ...rest('POST', '/v1/compliance-br', { cnpj }), outcome: null },
    { ...rest('POST', '/v1/kyb', { identifier: cnpj, country: 'BR' }), outcome: null },
    { name: 'query', outcome: null, send: async () => codeOf(await app.query(query)) },
  ];
}

const codeOf = ({ body }: TestAnswer): string | null => body.errors?.[0]?.extensions.code ?? null;
