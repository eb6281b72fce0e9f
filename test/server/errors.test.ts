import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { documentHash } from '../../src/auth/trusted-documents.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { createOperationValidator } from '../../src/graphql/limits/validate-operation.ts';
import { buildSchema } from '../../src/graphql/schema.ts';
import type { Loaders } from '../../src/loaders/loader.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { createExecutions } from '../../src/metering/executions.ts';
import { createPlans } from '../../src/metering/plans.ts';
import { createRateLimiter } from '../../src/metering/rate-limit.ts';
import { createContextFor } from '../../src/metering/request-context.ts';
import { modules, resolvers } from '../../src/modules/index.ts';
import { createPrepareOperation } from '../../src/server/graphql/prepare-operation.ts';
import { createServer } from '../../src/server/http.ts';
import { fieldOperations } from '../support/field-operations.ts';
import { memoryLog } from '../support/log.ts';
import { urlOf } from '../support/route-urls.ts';
import { UNREADY } from '../support/unready.ts';

/** Internal details that an error might contain and that callers must not see. */
const SECRETS = 'select * from api_keys at /srv/quipu/dist/src/db.js:12 http://10.0.0.7:5432 QUIPU_KEY_SECRET';
const LEAKS = /select|api_keys|\/srv|\.js|10\.0\.0\.7|QUIPU_|TypeError|stack|node_modules/i;

const ORIGIN = 'https://app.customer.example';

const fail = () => {
  throw new TypeError(SECRETS);
};
const broken: Loaders = { scope: () => Object.assign(async () => fail(), { isKept: () => true }) };
const routes = modules.flatMap((module) => module.routes);
const schema = buildSchema(resolvers);
const { log, lines } = memoryLog();
const validator = createOperationValidator(schema, { introspection: true });
const rateLimiter = createRateLimiter({ now: Date.now, log });
const LIST_MONITORS = TOOLS.find(({ name }) => name === 'list_monitors')?.document ?? '';
let share = 1;
const PER_KEY = 100;
const executions = createExecutions({ perKey: PER_KEY, inAll: 4 * PER_KEY }, () => share);
let keysChecked = 0;
let address: string;
let server: Awaited<ReturnType<typeof createServer>>;
beforeAll(async () => {
  server = await createServer({
    schema,
    routes,
    authenticator: {
      authenticate: async (key) => {
        keysChecked += 1;
        if (key === 'sk_database_down') throw new Error(SECRETS);
        return {
          ...{ keyId: '1', name: 'test', accountId: '1', needsApproval: false },
          modules: new Set(MODULES),
          role: 'administer',
          plan: 'standard',
          expiresAt: null,
          trustedOnly: false,
          lists: { answers: [], verdicts: [] },
          failsIncomplete: false,
          secretHash: '',
        };
      },
      known: () => null,
      stillValid: async () => new Map(),
    },
    allowedOrigins: [ORIGIN],
    contextFor: createContextFor({
      loaders: broken,
      open: fail,
      rows: { reader: () => fail },
      sources: () => Promise.reject(new TypeError(SECRETS)),
      now: Date.now,
      planOf: createPlans(),
      executions,
      rateLimiter,
      usage: { record: async () => undefined, voidRecords: () => undefined },
      usageOf: async () => [],
      usageByDay: async () => [],
      sourceHours: () => Promise.reject(new TypeError(SECRETS)),
    }),
    executions,
    deadlineMs: 12_000,
    prepareOperation: createPrepareOperation({
      schema,
      validate: validator.validate,
      documents: {
        find: (hash) => (hash === documentHash(LIST_MONITORS) ? Promise.resolve(LIST_MONITORS) : Promise.reject(new TypeError(SECRETS))),
      },
      trustedOnly: false,
      planOf: createPlans(),
      rateLimiter,
    }),
    validator,
    trustedOnly: false,
    idempotency: { begin: () => Promise.reject(new TypeError(SECRETS)), purge: async () => undefined },
    readiness: UNREADY,
    log,
  });
  address = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

const post = (url: string, payload: object, key = 'sk_any') =>
  server.inject({ method: 'POST', url, headers: { 'x-api-key': key }, payload });

/** Bodies of endpoints that do not take a Brazilian company. */
const BODIES: Readonly<Record<string, object>> = {
  ...{ '/v1/tax-health': { identifier: '96.505.760-9', country: 'CL' }, '/v1/tenders/awarded': { rut: '96.505.760-9' } },
  '/v1/connection': { from: { identifier: '00000000000191', country: 'BR' }, to: { identifier: '00000000000191', country: 'BR' } },
  ...{ '/v1/search': { name: 'panaderia', country: 'CL' }, '/v1/tech': { domain: 'example.cl' } },
  '/v1/other-companies': { identifier: '00000000000191', country: 'BR', owner: { identifier: '00000000000191' } },
  '/v1/contract-fines': { identifier: '899999068-1', country: 'CO' },
  '/v1/validate/email': { email: 'a@gmail.com' },
  '/v1/monitor/subscriptions': { identifiers: ['00000000000191'], country: 'BR', webhook_url: 'https://example.com/hook' },
  '/v1/screenings': { identifiers: ['00000000000191'] },
};

describe('an overloaded process', () => {
  it('LD-05 refuses requests with 503 and Retry-After before it looks up their key and reads their body, and answers probes of health', async () => {
    const host = new URL(address);
    const { promise: busy, resolve: end } = Promise.withResolvers<void>();
    const running = executions.run('1', () => busy);
    share = 0.001;
    const before = keysChecked;
    const answers = ['/v1/kyb', '/graphql'].map(async (path) => {
      const headers = { 'x-api-key': 'sk_any', 'content-type': 'application/json', 'content-length': 900, origin: ORIGIN };
      const sent = request(new URL(path, host), { method: 'POST', headers });
      onTestFinished(() => void sent.destroy());
      sent.write('{'); // the rest never comes
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      return { status: answer.statusCode, headers: answer.headers, body: await json(answer) };
    });
    const retryAfter = { 'retry-after': '2', 'x-request-id': expect.any(String), 'access-control-allow-origin': ORIGIN };
    expect(await Promise.all(answers)).toMatchObject([
      { status: 503, headers: retryAfter, body: { code: 'service_unavailable', status: 503, request_id: expect.any(String) } },
      {
        status: 503,
        headers: retryAfter,
        body: { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE', requestId: expect.any(String) } }] },
      },
    ]);
    expect((await server.inject('/healthz')).statusCode).toBe(200);
    expect(await upgraded(host)).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } });
    expect(keysChecked).toBe(before);

    share = 1;
    end();
    await running;
    expect((await post('/v1/kyb', {})).statusCode).toBe(422);
    expect(keysChecked).toBe(before + 1);
  });
});

describe('a key that has no room', () => {
  it('LD-05 is looked up once for all of its requests that arrive in one turn of the event loop, each of which gets 429 with Retry-After', async () => {
    const { port } = new URL(address);
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(Number(port), '127.0.0.1');
        onTestFinished(() => void socket.destroy());
        socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
        await once(socket, 'data');
        return socket;
      }),
    );
    const { promise: busy, resolve: end } = Promise.withResolvers<void>();
    onTestFinished(() => end());
    const works = Array.from({ length: 2 * PER_KEY }, () => executions.run('1', () => busy)); // half of them wait
    const before = keysChecked;
    const body = JSON.stringify({ identifier: '00000000000191' });
    const answers = sockets.map((socket) => once(socket, 'data').then(String));
    for (const socket of sockets)
      socket.write(
        `POST /v1/kyb HTTP/1.1\r\nhost: localhost\r\nx-api-key: sk_any\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    for (const answer of await Promise.all(answers))
      expect(answer).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 1\r\n[\s\S]*"code":"rate_limited"/i);
    expect(keysChecked).toBe(before + 1);

    end();
    await Promise.all(works);
    expect((await post('/v1/kyb', {})).statusCode).toBe(422);
  });
});

/** The answer to a WebSocket that is refused. */
const upgraded = (host: URL): Promise<IncomingMessage> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`ws://${host.host}/graphql`, 'graphql-transport-ws');
    socket.on('error', () => undefined);
    socket.on('unexpected-response', (_, answer) => resolve(answer));
  });

describe('an internal error', () => {
  it.each([
    ['of a tool', 'list_monitors', {}, 'INTERNAL'],
    ['of the store of documents', 'search_companies', { name: 'a' }, 'SERVICE_UNAVAILABLE'],
  ])('%s is an error of the result on /mcp, without internal details', async (_, name, args, code) => {
    const answer = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
    expect(answer.json().result).toMatchObject({ isError: true, structuredContent: { errors: [{ extensions: { code } }] } });
    expect(answer.body).not.toMatch(LEAKS);
  });

  it.each(routes)('GQ-10 is 500 internal on $method $path, with a request id and no internal details', async ({ method, path }) => {
    const body = BODIES[path] ?? { cnpj: '00000000000191', identifier: '00000000000191', country: 'BR' };
    const answer = await server.inject({
      method,
      url: urlOf(path, `${path.startsWith('/v1/evidence') ? 'evd' : 'mon'}_00000000000000000000000000000001`),
      headers: { 'x-api-key': 'sk_any' },
      ...(method === 'POST' && { payload: body }),
    });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ code: 'internal', request_id: answer.headers['x-request-id'] });
    expect(answer.body).not.toMatch(LEAKS);
  });

  /** They load nothing, or refuse these arguments. */
  const WITHOUT_LOADING = [
    ...['Query.apiKey', 'Query.company', 'Query.companies', 'Query.nodes', 'Query.screening'],
    ...['Mutation.redeliver', 'Mutation.replayMonitor', 'Company.id', 'Company.formattedIdentifier', 'Company.modules'],
  ];
  const operations = ['00000000000191', '96.505.760-9', '899999068-1'].flatMap((company) => fieldOperations(schema, company));

  it.each([...new Set(operations.map(({ field }) => field))])(
    'GQ-10 on the field %s has a code, a request id and no internal details, and is INTERNAL when what the field loads fails',
    async (field) => {
      const codes: string[] = [];
      for (const { query } of operations.filter((one) => one.field === field)) {
        const answer = await post('/graphql', { query });
        for (const { extensions } of answer.json().errors ?? []) {
          expect(extensions).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/), requestId: answer.headers['x-request-id'] });
          codes.push(extensions.code);
        }
        expect(answer.body.replaceAll('"techStack"', '')).not.toMatch(LEAKS);
      }
      expect(codes.includes('INTERNAL')).toBe(!WITHOUT_LOADING.includes(field));
    },
  );

  it('GQ-10 is INTERNAL on the sources', async () => {
    const answer = await post('/graphql', { query: '{ sources { name } }' });
    expect(answer.json()).toMatchObject({ data: null, errors: [{ extensions: { code: 'INTERNAL' } }] });
    expect(answer.body).not.toMatch(LEAKS);
  });

  it('is logged completely under the same request id', async () => {
    const { headers } = await post('/graphql', { query: '{ sources { name } }' });
    const logged = lines.filter((line) => line.reqId === headers['x-request-id'] && line.level === 50);
    expect(JSON.stringify(logged)).toContain(SECRETS);
  });

  it.each(['/v1/kyb', '/graphql'])('is 503 with Retry-After on %s when the key cannot be looked up', async (url) => {
    const answer = await post(url, {}, 'sk_database_down');
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2']);
    expect(answer.body).toMatch(/service_unavailable/i);
    expect(answer.body).not.toMatch(LEAKS);
  });

  it('makes /readyz fail, but not /healthz', async () => {
    const [ready, alive] = [await server.inject('/readyz'), await server.inject('/healthz')];
    expect([ready.statusCode, ready.json().checks, alive.statusCode]).toEqual([
      503,
      { database: false, migrations: false, lists_tried: false, jobs: true, running: true },
      200,
    ]);
  });
});

describe('refusals', () => {
  it('by the rate of a module, and of documents, wait for their turn; answers and other errors do not', async () => {
    const paced = vi.spyOn(rateLimiter, 'paceRefusal');
    onTestFinished(() => paced.mockRestore());
    const statuses = async (count: number, url: string, payload: object) => {
      const sent = await Promise.all(Array.from({ length: count }, () => post(url, payload)));
      return sent.map(({ statusCode }) => statusCode);
    };
    expect(await statuses(3, '/v1/kyb', {})).toEqual([422, 422, 422]);
    expect(await statuses(3, '/graphql', { query: '{ __typename }' })).toEqual([200, 200, 200]);
    expect(paced).not.toHaveBeenCalled();
    const limited = (await statuses(30, '/v1/compliance-br', { cnpj: '00000000000191' })).filter((status) => status === 429).length;
    expect(limited).toBeGreaterThan(0);
    expect(paced).toHaveBeenCalledTimes(limited);
    paced.mockClear();
    const { promise: busy, resolve: end } = Promise.withResolvers<void>();
    const running = Array.from({ length: 2 * PER_KEY }, () => executions.run('1', () => busy));
    expect(await statuses(1, '/v1/kyb', { identifier: '00000000000191', country: 'BR' })).toEqual([429]);
    end();
    await Promise.all(running);
    expect(paced).not.toHaveBeenCalled();
    expect(await statuses(3, '/graphql', { query: '{ nothing }' })).toEqual([400, 400, 400]);
    expect(paced.mock.calls).toEqual([['1'], ['1'], ['1']]);
  });
});
