import { GraphQLError } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { formatErrors } from '../../../src/server/graphql/execute.ts';
import { subscribe } from '../../modules/monitor/api-requests.ts';
import { publishChange } from '../../modules/monitor/feed-support.ts';
import { brazilian } from '../../modules/monitor/support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { memoryLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';
import { withoutJournal } from '../../support/usage-journal.ts';
import { follow, listening, openSocket, subscriberCount } from './support.ts';

let app: TestApp;
let host: string;
const { cnpj } = companyByScenario('clean');
beforeAll(async () => {
  app = await testApp();
  host = await listening(app);
  await subscribe(app, { identifiers: [cnpj] });
});
afterAll(() => app.close());

const QUERY = 'subscription { companyChanged { cursor company { labor { hasViolations } } } }';

describe('a subscription that ends because an event cannot be counted', () => {
  it('says why, with the cursor before that event, on a socket and on an event stream', async () => {
    const socket = await openSocket(host, app.key);
    await follow(app, socket, 'changes', QUERY);
    const stream = await fetch(`http://${host}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': app.key },
      body: JSON.stringify({ query: QUERY }),
    });
    let text = '';
    const read = (async () => {
      for await (const chunk of stream.body ?? []) text += Buffer.from(chunk).toString();
    })();
    await until(() => text.includes(':subscribed'));
    await publishChange(app.db, brazilian(cnpj), Date.now());
    const first = socket.messages.length + 1;
    await until(() => socket.messages.length === first && text.includes('event: next'));
    const { cursor } = socket.messages.at(-1).payload.data.companyChanged;

    await withoutJournal(app, async () => {
      await publishChange(app.db, brazilian(cnpj), Date.now());
      await until(() => socket.messages.some(({ type }) => type === 'error'));
    });
    const { payload } = socket.messages.find(({ type }) => type === 'error');
    expect(payload).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE', cursor, requestId: expect.any(String) } }]);
    await read;
    const last = JSON.parse(text.slice(text.lastIndexOf('data: {') + 6).split('\n', 1)[0] ?? '');
    expect(last.errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE', cursor } }]);
    expect(subscriberCount(app)).toBe(0);
  });
});

describe('an internal error', () => {
  it.each([
    ['with a place', new GraphQLError('x', { originalError: new TypeError('secret'), path: ['a'] })],
    ['without one', new GraphQLError('x', { originalError: new TypeError('secret') })],
    ['of an executor', new GraphQLError('x', { extensions: { code: 'INTERNAL_SERVER_ERROR' }, originalError: new Error('secret') })],
  ])('%s is masked, and logged with the request id', (_, error) => {
    const { log, lines } = memoryLog();
    expect(formatErrors([error], { requestId: 'request-1', language: 'en' }, log)).toMatchObject([
      { extensions: { code: 'INTERNAL', requestId: 'request-1' } },
    ]);
    expect(lines).toMatchObject([{ level: 50, reqId: 'request-1' }]);
  });
});

describe('a subscription whose socket the service is closing', () => {
  it('ends at its next event without an error in the log', async () => {
    const socket = await openSocket(host, app.key);
    await follow(app, socket, 'changes', QUERY);
    const subscribers = subscriberCount(app);
    const before = app.lines.length;
    socket.net().pause(); // the client does not confirm the close frame, so the socket stays in the state CLOSING
    socket.send('{}'); // it closes with 4400
    await publishChange(app.db, brazilian(cnpj), Date.now());
    await until(() => subscriberCount(app) < subscribers);
    expect(app.lines.slice(before).filter(({ level }) => level === 50)).toEqual([]);
  });
});
