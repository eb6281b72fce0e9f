import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listening, openSocket, subscribe, subscriberCount } from '../server/sockets/support.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { needsMinutes, rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';

let app: TestApp;
let host: string;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  host = await listening(app);
});
afterAll(() => app.close());

describe('SB-06 the server', () => {
  it('closes sockets without pongs within 60 s, and keeps a socket open that answers pings', needsMinutes, async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => app.keyFor('monitor')));
    const dead = await Promise.all(
      keys.slice(1).flatMap((key) => Array.from({ length: 20 }, () => openSocket(host, key, { autoPong: false }))),
    );
    const alive = await openSocket(host, keys[0] ?? '');
    for (const socket of [...dead, alive]) socket.send(subscribe('1'));
    await until(() => subscriberCount(app) === dead.length + 1);
    const since = performance.now();
    await until(() => app.server.connectionCounts().sockets === 1);
    expect(performance.now() - since).toBeLessThan(60_000);
    await new Promise((resolve) => setTimeout(resolve, 45_000));
    expect(alive.ws.readyState).toBe(alive.ws.OPEN);
    expect(app.server.connectionCounts()).toEqual({ sockets: 1, streams: 0, operations: 1 });
    alive.ws.terminate();
    await until(() => subscriberCount(app) === 0);
  });

  it('retains less than 2 MiB of heap and at most five more resources after 10,000 subscriptions', async () => {
    const cycle = async () => {
      const socket = await openSocket(host, app.key);
      for (let n = 0; n < 48; n += 1) socket.send(subscribe(String(n)));
      await until(() => subscriberCount(app) === 48);
      socket.net().resetAndDestroy();
      await until(() => subscriberCount(app) === 0 && app.server.connectionCounts().sockets === 0);
    };
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const heap = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    for (let n = 0; n < 20; n += 1) await cycle();
    const timers = process.getActiveResourcesInfo().length;
    const before = heap();
    for (let n = 0; n < rounds(210); n += 1) await cycle();
    expect(heap() - before).toBeLessThan(2 * 1024 * 1024);
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(timers + 5);
  });
});
