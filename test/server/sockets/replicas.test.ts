import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { until } from '../../support/until.ts';
import { receivedChanges, resumeAtRandom, write } from './resuming.ts';
import { follow, listening, openSocket, type RawSocket, replicaOf, subscriberCount } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
});
afterAll(() => app.close());

describe('SB-07 replicas', () => {
  it('send every change once and in one order, while their LISTEN connections are repeatedly terminated', async () => {
    const apps = [app, await replicaOf(app)];
    const sockets: RawSocket[] = [];
    for (const one of apps)
      for (let n = 0; n < 10; n += 1) {
        const socket = await openSocket(await listening(one), app.key);
        await follow(one, socket);
        sockets.push(socket);
      }
    const sent: string[] = [];
    for (let n = 0; n < 60; n += 1) {
      if (n >= 20 && n < 40)
        await app.db.raw(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%quipu_changes%'",
        );
      sent.push(...(await write(app, 5)));
      await sleep(10);
    }
    await until(() => sockets.every((socket) => receivedChanges(socket).length === sent.length));
    for (const socket of sockets) expect(receivedChanges(socket).map(({ id }) => id)).toEqual(sent);
    for (const { ws } of sockets) ws.terminate();
    await until(() => apps.every((one) => subscriberCount(one) === 0));
  });
});

describe('SB-08 a client that resumes', () => {
  it('receives each change once, however often it is disconnected, and from any replica', async () => {
    await resumeAtRandom(app, [await listening(app), await listening(await replicaOf(app))], 30);
  });
});
