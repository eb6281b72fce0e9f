import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { composeServices as composeByApollo } from '@apollo/composition';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { composeServices as composeByGuild } from '@theguild/federation-composition';
import { buildSchema, execute, parse } from 'graphql';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ROOT } from './command.ts';
import { createKey } from './keys.ts';
import { createMonitor, DELIVERIES } from './monitor.ts';
import { CHILEAN, DEBARRED, SANCTIONED } from './portfolio.ts';

/** The service as a subgraph of a graph with two others, behind a router. */

const KEYS = '@link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])';

/** A subgraph that refers to companies by country and tax id, and has no fields of them. */
const SUPPLIERS = `extend schema ${KEYS}
enum Country { BR CL CO }
type PageInfo @shareable { hasNextPage: Boolean! }
type Company @key(fields: "country identifier", resolvable: false) { country: Country! identifier: String! }
type Supplier @key(fields: "number") { number: ID! company: Company! }
type Query { suppliers: [Supplier!]! }`;

/** A subgraph that adds a field to companies, by their id. */
const NOTES = `extend schema ${KEYS}
type Company @key(fields: "id") { id: ID! note: String }
type Query { noted: [Company!]! }`;

const COMPANIES = [DEBARRED, SANCTIONED].map((identifier) => ({ __typename: 'Company', country: 'BR', identifier }));

const servers: Server[] = [];
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

/** Serves a schema over HTTP, in the simplest form that a router takes. */
const serve = (sdl: string, rootValue: object): Promise<string> => {
  const entities = 'extend type Query { _entities(representations: [_Any!]!): [_Entity]! } scalar _Any union _Entity = Company';
  const schema = buildSchema(`${sdl.replace(/extend schema .*\n/, '')}\n${entities}`, { assumeValidSDL: true });
  return listen(
    createServer(async (request, response) => {
      const { query, variables } = (await json(request)) as { query: string; variables?: object };
      const result = await execute({ schema, document: parse(query), rootValue, variableValues: { ...variables } });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
    }),
  );
};

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
  readonly data: any;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

const direct = `${inject('url')}/graphql`;
let ownKey: string;
async function ask(url: string, query: string, variables = {}, key = ownKey): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  return (await answer.json()) as Answer;
}

let subgraphs: { name: string; url: string; typeDefs: ReturnType<typeof parse> }[];
beforeAll(async () => {
  ownKey = await createKey('federation');
  const sdl = (await ask(direct, '{ _service { sdl } }')).data._service.sdl;
  const suppliers = { suppliers: () => COMPANIES.map((company, number) => ({ number, company })) };
  const notes = {
    noted: () => [],
    _entities: ({ representations }: { representations: readonly { id: string }[] }) =>
      representations.map(({ id }) => ({ __typename: 'Company', id, note: `about ${id}` })),
  };
  subgraphs = [
    { name: 'quipu', url: direct, typeDefs: parse(sdl) },
    { name: 'suppliers', url: await serve(SUPPLIERS, suppliers), typeDefs: parse(SUPPLIERS) },
    { name: 'notes', url: await serve(NOTES, notes), typeDefs: parse(NOTES) },
  ];
});

describe.each([
  ['@apollo/composition', () => composeByApollo(subgraphs)],
  ['@theguild/federation-composition', () => composeByGuild(subgraphs)],
])('the graph composed by %s, behind the router', (_, compose) => {
  let router: string;
  beforeAll(async () => {
    const { supergraphSdl, errors } = compose();
    expect(errors ?? []).toEqual([]);
    const gateway = createGatewayRuntime({
      supergraph: supergraphSdl ?? '',
      logging: false,
      maskedErrors: false,
      propagateHeaders: { fromClientToSubgraphs: ({ request }) => ({ 'x-api-key': request.headers.get('x-api-key') ?? '' }) },
    });
    router = await listen(createServer(gateway));
  });

  it('joins the fields of companies in three subgraphs', async () => {
    const { data, errors } = await ask(router, '{ suppliers { number company { identifier note debarment { isDebarred } } } }');
    expect(errors).toBeUndefined();
    expect(data.suppliers).toEqual([
      { number: '0', company: { identifier: DEBARRED, note: expect.stringMatching(/^about \w+$/), debarment: { isDebarred: true } } },
      { number: '1', company: { identifier: SANCTIONED, note: expect.stringMatching(/^about \w+$/), debarment: { isDebarred: false } } },
    ]);
  });

  it('forwards the key: an unknown one is refused by the service', async () => {
    const { data, errors } = await ask(router, '{ suppliers { company { debarment { isDebarred } } } }', {}, 'sk_unknown');
    expect(data?.suppliers?.[0]?.company?.debarment ?? null).toBeNull();
    expect(JSON.stringify(errors)).toMatch(/API key is not valid|INVALID_API_KEY|403/);
  });

  it('passes the events of a subscription on, with the key', async () => {
    const { monitorId, sendTest } = await createMonitor('router');
    const client = createClient({ url: router, headers: { 'x-api-key': inject('key') }, retryAttempts: 0 });
    const events = client.iterate({ query: DELIVERIES, variables: { monitorId } });
    const received = sendTest(events.next());
    expect(await received).toMatchObject({ value: { data: { deliveryUpdated: { id: expect.any(String) } } } });
    await events.return?.();
  });

  it.each([
    ['compliance', { identifier: DEBARRED }],
    ['portfolio', { identifiers: [DEBARRED, SANCTIONED] }],
    ['everything', { identifier: DEBARRED, country: 'BR' }],
    ['everything', { identifier: CHILEAN, country: 'CL' }],
    ['owners-walk', { identifier: DEBARRED }],
    ['changes', {}],
    ['sources', {}],
    ['watch', { input: { country: 'BR', identifiers: [DEBARRED] } }],
  ])('answers the operation %s of %o as the service does', async (name, variables) => {
    const query = readFileSync(`${ROOT}/schema/operations/${name}.graphql`, 'utf8');
    const [here, there] = [await ask(direct, query, variables), await ask(router, query, variables)];
    expect(steady(there.data)).toEqual(steady(here.data));
    expect(there.errors?.map(({ message }) => message)).toEqual(here.errors?.map(({ message }) => message));
  });
});

/** Without what differs between two requests: times, and the id and the secret of a new monitor. */
const steady = (data: unknown): unknown =>
  JSON.parse(
    JSON.stringify(data, (name, value) =>
      /^(generatedAt|cached|stale|cursor|last\w+At|checkedAt|secret)$/.test(name) || /^mon_/.test(String(value)) ? null : value,
    ),
  );
