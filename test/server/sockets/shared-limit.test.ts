import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Caller } from '../../../src/context.ts';
import { type Session, Sessions } from '../../../src/server/graphql/sessions.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { memoryLog } from '../../support/log.ts';
import { needsRedis, redisOfTest, type TestRedis } from '../../support/redis.ts';
import { testDbWithLists } from '../../support/sandbox-lists.ts';
import { addAbandonedLease, connected, limitsOn } from '../../support/shared-limits.ts';
import { until } from '../../support/until.ts';
import { CHANGES, listening, rawSocket } from './support.ts';

const caller = (keyId: string): Caller => ({ keyId, secretHash: keyId, modules: new Set() }) as unknown as Caller;

const sessionOf = (keyId: string): Session => ({
  kind: 'socket',
  caller: caller(keyId),
  accessRules: () => [],
  operations: () => 0,
  close: () => undefined,
});

/** Keys stay valid. */
const authenticator = { stillValid: async (ids: readonly string[]) => new Map(ids.map((id) => [id, caller(id)])) };

/** The sessions of two processes, the first of which can die. */
async function processes(server: TestRedis) {
  const all = [limitsOn(server).limits, limitsOn(server).limits] as const;
  await connected(all);
  const [first, second] = all.map((limits) => new Sessions(authenticator, memoryLog().log, limits));
  const client = new Redis(server.url);
  onTestFinished(() => client.disconnect());
  return { all, first: first!, second: second!, client };
}

/** Opens so many sessions of a key. @returns those for which it has room */
async function open(sessions: Sessions, count: number, keyId = 'a key'): Promise<readonly Session[]> {
  const opened = Array.from({ length: count }, () => sessionOf(keyId));
  const added = await Promise.all(opened.map((session) => sessions.add(session)));
  return opened.filter((_, i) => added[i]);
}

describe('SB-03 sockets and event streams of a key at two processes', needsRedis, () => {
  it('are 20 together, and one more after another has closed', async () => {
    const { first, second } = await processes(await redisOfTest());
    const [here, there] = await Promise.all([open(first, 30), open(second, 30)]);
    expect(here.length + there.length).toBe(20);
    expect(await open(first, 1, 'another key')).toHaveLength(1);
    for (const session of here) first.remove(session);
    for (const session of there) second.remove(session);
    const again = [await open(second, 17), await open(first, 5)];
    expect(again.map(({ length }) => length)).toEqual([17, 3]);
  });

  it('of a process that died are free again some seconds later, and those of the other are not', async () => {
    const { first, second, client } = await processes(await redisOfTest());
    const mine = await open(first, 5);
    const [name = ''] = await client.keys('quipu:limits:sessions:*');
    for (let i = 0; i < 15; i += 1) await addAbandonedLease(client, name, `a socket ${i} of a process that died`);
    expect(await open(second, 1)).toHaveLength(0);
    await sleep(8_000);
    expect(await open(second, 20)).toHaveLength(15);
    for (const session of mine) first.remove(session);
  }, 40_000);

  it('are 20 at each while Redis is away, and count together again some seconds after it is back', async () => {
    const server = await redisOfTest();
    const { all, first, second, client } = await processes(server);
    const before = await open(first, 4);
    await server.kill();
    const [here, there] = await Promise.all([open(first, 30), open(second, 30)]);
    expect([before.length + here.length, there.length]).toEqual([20, 20]);
    await server.start();
    await connected(all);
    const count = async () => client.zcard((await client.keys('quipu:limits:sessions:*'))[0] ?? '');
    await expect.poll(count, { timeout: 15_000 }).toBe(40);
    for (const session of there.slice(0, 15)) second.remove(session);
    expect(await open(second, 1)).toHaveLength(0);
    for (const session of [...before, ...here].slice(0, 10)) first.remove(session);
    await expect.poll(count).toBe(15);
    expect(await open(second, 20)).toHaveLength(5);
  }, 40_000);

  it('are refused with 4429 and 429 by each of two services', async () => {
    const server = await redisOfTest();
    const db = await testDbWithLists();
    onTestFinished(() => db.close());
    const start = () => testApp({ db, env: { REDIS_URL: server.url }, listsTried: false });
    const apps = [await start(), await start()] as const;
    onTestFinished(async () => void (await Promise.all(apps.map((app) => app.close()))));
    const hosts = await Promise.all(apps.map(listening));
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    await expect.poll(() => client.zcard('quipu:limits:processes'), { timeout: 10_000 }).toBe(2);
    const key = await apps[0].keyFor('monitor');
    const sockets = Array.from({ length: 24 }, (_, i) => rawSocket(hosts[i % 2]!));
    for (const socket of sockets) {
      await socket.opened;
      socket.send({ type: 'connection_init', payload: { key } });
    }
    const codes = await Promise.all(
      sockets.map(({ received, closed }) => Promise.race([received().then(() => null), closed.then(({ code }) => code)])),
    );
    const body = JSON.stringify({ query: CHANGES });
    const headers = { 'x-api-key': key, accept: 'text/event-stream', 'content-type': 'application/json' };
    const stream = await fetch(`http://${hosts[0]}/graphql`, { method: 'POST', headers, body });
    // A Redis that gets no time on a busy machine counts as away, and each process counts alone.
    const isWell = (app: TestApp) => !app.lines.some(({ msg }) => /Redis is away/.test(String(msg)));
    if (apps.every(isWell)) {
      expect(codes.filter((code) => code === 4429)).toHaveLength(4);
      expect(stream.status).toBe(429);
    }
    await stream.body?.cancel();
    for (const { ws } of sockets) ws.terminate();
    await until(() => apps.every((app) => app.server.connectionCounts().sockets === 0));
  }, 60_000);
});
