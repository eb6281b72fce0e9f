import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { COEFFICIENTS } from '../../bench/capacity/coefficients.ts';
import { cpuMsOf } from '../../bench/harness/cpu-time.ts';
import { endCursorOf } from '../../src/modules/monitor/domain/log-position.ts';
import { readStreamHead } from '../../src/modules/monitor/store/change-log.ts';
import { appendUntil } from '../modules/monitor/feed-support.ts';
import { needsPooler, pooledDb } from '../support/pooler.ts';
import { needsRedis, redisOfTest } from '../support/redis.ts';
import { isFull, rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { startClient } from './load/clients.ts';
import { requester } from './load/requests.ts';
import { paced, startService } from './load/service.ts';
import { expectSimilar } from './load/similar.ts';

const SECONDS = rounds(30);
const REQUESTS_PER_SECOND = 100;
const EVENT_PAUSE_MS = 1_000;

describe('the CPU time of a web process behind a pooler, at a rate that leaves most of a core free', {
  ...needsPooler,
  ...needsRedis,
}, () => {
  it('is measured for requests, idle sockets and events; in a full run it is that of the capacity model within 40 %', async () => {
    const { url: REDIS_URL } = await redisOfTest();
    const { db: database, pooler } = await pooledDb();
    const env = { REDIS_URL, DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url };
    const { db, processes, newKey } = await startService({ env, database });
    const [{ url, pid } = { url: '', pid: 0 }] = processes;
    /** Runs work. Settles with what it returns, the seconds that it took, and the milliseconds of CPU time in each. */
    async function cpuOf<T>(work: (isOver: () => boolean) => Promise<T>) {
      const [before, from] = [cpuMsOf(pid), performance.now()];
      const result = await work(() => performance.now() - from >= 1_000 * SECONDS);
      const seconds = (performance.now() - from) / 1_000;
      return { ms: (cpuMsOf(pid) - before) / seconds, seconds, result };
    }
    async function keysWithSockets(count: number, sockets: number) {
      const keys = await Promise.all(Array.from({ length: count }, newKey));
      const after = endCursorOf(await readStreamHead(db));
      const clients = keys.flatMap(({ key }) => Array.from({ length: sockets }, () => startClient(() => url, key, after)));
      await until(() => clients.every(({ at }) => at !== null));
      return { keys, sockets, received: () => clients.reduce((sum, { received }) => sum + received.length, 0) };
    }
    /** Milliseconds of an event that all sockets of its key receive. */
    async function eventsOf({ keys, sockets, received }: Awaited<ReturnType<typeof keysWithSockets>>) {
      const { ms, seconds, result } = await cpuOf((isOver) => appendUntil(isOver, db, keys, EVENT_PAUSE_MS));
      const events = result.flat().length;
      await until(() => received() === events * sockets);
      return { msOfEvent: ((ms - open.ms) * seconds) / events };
    }
    const nothing = () => sleep(1_000 * SECONDS);
    const ask = requester(url, (await newKey()).key);
    await cpuOf((isOver) => paced(REQUESTS_PER_SECOND, isOver, ask)); // compiles code and fills caches

    const idle = await cpuOf(nothing);
    const asking = await cpuOf((isOver) => paced(REQUESTS_PER_SECOND, isOver, ask));
    expect(new Set(asking.result.map(({ result }) => result))).toEqual(new Set(['right']));

    const [many, one] = [await keysWithSockets(30, 20), await keysWithSockets(100, 1)];
    await sleep(2_000);
    const open = await cpuOf(nothing);
    const sendingMany = await eventsOf(many);
    const sendingOne = await eventsOf(one);

    // An event to n sockets costs event + n × message.
    const message = (sendingMany.msOfEvent - sendingOne.msOfEvent) / (many.sockets - one.sockets);
    const costs = {
      idle: idle.ms,
      request: (asking.ms - idle.ms) / REQUESTS_PER_SECOND,
      socket: (open.ms - idle.ms) / (many.keys.length * many.sockets + one.keys.length * one.sockets),
      event: sendingOne.msOfEvent - message,
      message,
    };
    console.log(JSON.stringify(costs));
    if (!isFull) return;
    expectSimilar(costs.idle, COEFFICIENTS.idleCpuMs.value);
    expectSimilar(costs.request, COEFFICIENTS.requestCpuMs.value + COEFFICIENTS.companyCpuMs.value);
    expectSimilar(costs.socket, COEFFICIENTS.socketCpuMs.value);
    expectSimilar(costs.event, COEFFICIENTS.eventCpuMs.value);
    expectSimilar(costs.message, COEFFICIENTS.messageCpuMs.value);
  });
});
