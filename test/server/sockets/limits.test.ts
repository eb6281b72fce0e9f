import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { inFullRun } from '../../support/rounds.ts';
import { until } from '../../support/until.ts';
import { byteSocket, CHANGES, closeCode, follow, frame, listening, openSocket, rawSocket, subscribe, subscriberCount } from './support.ts';

let app: TestApp;
let host: string;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  host = await listening(app);
});
afterAll(() => app.close());

const nobody = () => app.server.connectionCounts().sockets === 0;

const stream = (key: string) =>
  fetch(`http://${host}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': key, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: CHANGES }),
  });

describe('SB-03 limits', () => {
  it('allow 20 sockets and event streams per key together, and one more after another has closed', async () => {
    const key = await app.keyFor('monitor');
    const sockets = await Promise.all(Array.from({ length: 18 }, () => openSocket(host, key)));
    const streams = await Promise.all([stream(key), stream(key)]);
    const over = rawSocket(host);
    await over.opened;
    over.send({ type: 'connection_init', payload: { key } });
    expect((await over.closed).code).toBe(4429);
    expect((await stream(key)).status).toBe(429);
    await openSocket(host, app.key);
    await streams[0]?.body?.cancel();
    await until(() => app.server.connectionCounts().streams === 1);
    sockets.push(await openSocket(host, key));
    for (const { ws } of sockets) ws.terminate();
    await streams[1]?.body?.cancel();
    await until(() => app.server.connectionCounts().streams === 0 && subscriberCount(app) === 0);
  });

  it('allow 50 operations per socket; one more closes it', async () => {
    const socket = await openSocket(host, app.key);
    for (let n = 1; n <= 50; n += 1) socket.send(subscribe(String(n)));
    await until(() => subscriberCount(app) === 50);
    expect(app.server.connectionCounts().operations).toBe(50);
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // another second, another 50 messages
    socket.send({ id: '50', type: 'complete' });
    await until(() => subscriberCount(app) === 49);
    await follow(app, socket, '51');
    socket.send(subscribe('52'));
    expect((await socket.closed).code).toBe(4429);
    await until(() => subscriberCount(app) === 0);
  });

  it('count correctly when sockets open and break at random moments', async () => {
    await until(nobody);
    const [address = '', port] = host.split(':');
    const init = JSON.stringify({ type: 'connection_init', payload: { key: app.key } });
    const rounds = inFullRun(1_250, 25); // of eight sockets
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(
        Array.from({ length: 8 }, async (_, n) => {
          const socket = n === 0 ? createConnection(Number(port), address).on('error', () => undefined) : await byteSocket(host);
          if (n > 1) socket.write(frame(Buffer.from(init)));
          if (n > 3) socket.write(frame(Buffer.from(JSON.stringify(subscribe('1')))));
          if (n > 5) await new Promise((resolve) => setTimeout(resolve, n * (round % 25) * 0.1));
          socket.resetAndDestroy();
        }),
      );
    }
    await until(() => nobody() && subscriberCount(app) === 0);
    expect(app.server.connectionCounts()).toEqual({ sockets: 0, streams: 0, operations: 0 });
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(host, app.key)));
    expect(app.server.connectionCounts().sockets).toBe(20);
    for (const { ws } of sockets) ws.terminate();
  }, 300_000);
});

describe('SB-04 messages', () => {
  it('of more than 64 KiB in fragments, or of more than 128 fragments, close with 1009', async () => {
    const part = Buffer.alloc(40_000, 'x');
    expect(await closeCode(host, frame(part, { fin: false }), frame(part, { opcode: 0 }))).toBe(1009);
    const tiny = frame(Buffer.from('x'), { fin: false, opcode: 0 });
    expect(await closeCode(host, frame(Buffer.from('x'), { fin: false }), ...Array.from({ length: 200 }, () => tiny))).toBe(1009);
  });

  it('more than 50 a second close with 4429, pings of the frame layer too', async () => {
    const socket = await openSocket(host, app.key);
    for (let n = 0; n < 51; n += 1) socket.send({ type: 'ping' });
    expect((await socket.closed).code).toBe(4429);
    expect(socket.messages.filter(({ type }) => type === 'pong').length).toBeLessThanOrEqual(50);
    const pings = await openSocket(host, app.key);
    for (let n = 0; n < 51; n += 1) pings.ws.ping();
    expect((await pings.closed).code).toBe(4429);
  });

  it('that are compressed are refused, because compression was not negotiated', async () => {
    expect(await closeCode(host, frame(Buffer.from('x'), { rsv1: true }))).toBe(1002);
    const socket = await openSocket(host, app.key, { perMessageDeflate: true });
    expect(socket.ws.extensions).toBe('');
  });
});
