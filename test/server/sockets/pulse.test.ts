import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { rounds } from '../../support/rounds.ts';
import { until } from '../../support/until.ts';
import { follow, listening, openSocket, subscribe, subscriberCount } from './support.ts';

let app: TestApp;
let host: string;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  host = await listening(app);
});
afterAll(() => app.close());

describe('SB-06 a finished subscription', () => {
  it('releases its subscriber and its operation, also after hundreds of rounds', async () => {
    for (let round = 0; round < rounds(20); round += 1) {
      const socket = await openSocket(host, app.key);
      for (let n = 0; n < 24; n += 1) socket.send(subscribe(String(n)));
      for (let n = 0; n < 24; n += 1) socket.send({ id: String(n), type: 'complete' });
      socket.send({ type: 'ping' });
      while ((await socket.received()).type !== 'pong');
      await until(() => subscriberCount(app) === 0 && app.server.connectionCounts().operations === 0);
      expect(app.server.connectionCounts().sockets).toBe(1);
      socket.ws.terminate();
      await until(() => app.server.connectionCounts().sockets === 0);
    }
  });

  it('is released when its client completes it while no event comes, and when the socket breaks', async () => {
    const socket = await openSocket(host, app.key);
    await follow(app, socket, 'one');
    socket.send({ id: 'one', type: 'complete' });
    await until(() => subscriberCount(app) === 0);
    await follow(app, socket, 'one');
    socket.ws.terminate();
    await until(() => subscriberCount(app) === 0);
  });
});
