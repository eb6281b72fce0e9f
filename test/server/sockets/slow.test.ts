import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { append } from '../../modules/monitor/feed-support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { until } from '../../support/until.ts';
import { follow, listening, type Message, openSocket, type RawSocket, subscriberCount } from './support.ts';

let app: TestApp;
let host: string;
let keyId: string;
/** Only the tests move it: the events are written at the speed of the machine, which may need the 5 s of a lagging subscriber itself. */
const clock = { now: Date.now() };
beforeAll(async () => {
  app = await testApp({ listsTried: false, now: () => clock.now });
  host = await listening(app);
  keyId = (await app.keys.find(app.key))?.keyId ?? '';
});
afterAll(() => app.close());

/** Subscription to events of about 16 kB each. */
const FAT = 'subscription { companyChanged { id cursor changedFields { from } } }';
const fat = (count: number) => append(app.db, count, { keyId, fields: [{ field: 'activity', from: 'x'.repeat(16_000), to: null }] });

const numbers = (ids: readonly string[]) => ids.map((id) => `evt_${id.replaceAll('-', '')}`);

/** Writes 1,200 events, so that a subscriber that does not read lags; waits until `reading` has received them all. */
async function flood(reading: RawSocket): Promise<readonly string[]> {
  const sent: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    sent.push(...(await fat(100)));
    await until(() => reading.messages.length === sent.length + 1);
  }
  return sent;
}

const receivedChanges = ({ messages }: RawSocket): readonly Message[] =>
  messages.filter(({ type }) => type === 'next').map(({ payload }) => payload.data.companyChanged);

describe('SB-05 a subscriber that does not read', () => {
  it('is closed with 1013 once it lags, and the others get every event', async () => {
    const reading = await openSocket(host, app.key);
    const stalled = await openSocket(host, app.key);
    await follow(app, reading, 'changes', FAT);
    await follow(app, stalled, 'changes', FAT);
    stalled.net().pause();
    const sent = [...(await flood(reading))];
    expect(subscriberCount(app)).toBe(2);
    clock.now += 5_000; // the service measures 5 s without a read
    await until(() => subscriberCount(app) === 1);
    await until(() => app.server.connectionCounts().sockets === 1); // although the client answers no close frame
    sent.push(...(await fat(1)));
    await until(() => receivedChanges(reading).length === sent.length);
    expect(receivedChanges(reading).map(({ id }) => id)).toEqual(numbers(sent));
    reading.ws.terminate();
    await until(() => subscriberCount(app) === 0);
  });

  it('receives its last cursor with the close code, and resumes from it without loss', async () => {
    const reading = await openSocket(host, app.key);
    const stalled = await openSocket(host, app.key);
    await follow(app, reading, 'changes', FAT);
    await follow(app, stalled, 'changes', FAT);
    stalled.net().pause();
    const sent = await flood(reading);
    clock.now += 5_000;
    await until(() => subscriberCount(app) === 1);
    stalled.net().resume();
    const { code, reason } = await stalled.closed;
    expect(code).toBe(1013);
    const before = receivedChanges(stalled);
    expect(before.slice(-2).map(({ cursor }) => `LAGGED; resume with after: ${cursor}`)).toContain(reason);
    expect(stalled.messages.at(-1)).toMatchObject({ type: 'error', payload: [{ extensions: { code: 'LAGGED' } }] });
    const again = await openSocket(host, app.key);
    await follow(app, again, 'changes', FAT.replace('companyChanged', `companyChanged(after: "${before.at(-1).cursor}")`));
    await until(() => receivedChanges(again).length + before.length === sent.length);
    expect([...before, ...receivedChanges(again)].map(({ id }) => id)).toEqual(numbers(sent));
    reading.ws.terminate();
    again.ws.terminate();
    await until(() => subscriberCount(app) === 0);
  });

  it('of an event stream is closed with LAGGED', async () => {
    const reading = await openSocket(host, app.key);
    await follow(app, reading, 'changes', FAT);
    const headers = { 'x-api-key': app.key, accept: 'text/event-stream' };
    const stream = await new Promise<IncomingMessage>((resolve) => {
      get(`http://${host}/graphql?query=${encodeURIComponent(FAT)}`, { headers }, resolve);
    });
    await until(() => subscriberCount(app) === 2);
    stream.pause();
    await flood(reading);
    clock.now += 5_000;
    await until(() => subscriberCount(app) === 1);
    let text = '';
    for await (const part of stream) text += part;
    expect(text).toContain('"code":"LAGGED"');
    expect(text.trimEnd().endsWith('event: complete\ndata:')).toBe(true);
    reading.ws.terminate();
    await until(() => subscriberCount(app) === 0);
  });
});

it('a client that reads slowly gets the whole of a long answer by an event stream', async () => {
  const plans = { standard: { graphql: { ceiling: 100_000, burst: 1_000_000, perMinute: 1_000_000 } } };
  const generous = await testApp({ listsTried: false, env: { QUIPU_PLANS: JSON.stringify(plans) } });
  onTestFinished(() => generous.close());
  const { keyId } = (await generous.keys.find(generous.key)) ?? expect.fail();
  await append(generous.db, 100, { keyId, fields: [{ field: 'activity', from: 'x'.repeat(16_000), to: null }] });
  const fields = Array.from({ length: 8 }, (_, n) => `a${n}: changes(first: 100) { nodes { changedFields { from } } }`);
  const url = `http://${await listening(generous)}/graphql?query=${encodeURIComponent(`{ ${fields.join(' ')} }`)}`;
  const headers = { 'x-api-key': generous.key, accept: 'text/event-stream' };
  const answer = await new Promise<IncomingMessage>((resolve) => get(url, { headers, agent: false }, resolve));
  answer.pause();
  await delay(3_000); // longer than a client has to read the last words of a stream
  const stream = await text(answer);
  expect(stream.length).toBeGreaterThan(12_000_000); // more than the buffers of both sockets hold
  expect(stream.trimEnd().endsWith('event: complete\ndata:')).toBe(true);
});
