import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isFull, rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { requester, startClient } from './load/clients.ts';
import { paced, startService } from './load/service.ts';

const ROUNDS = rounds(50);
const REQUESTS_PER_SECOND = isFull ? 200 : 50;
const SOCKETS = isFull ? 500 : 40;
const SOCKETS_PER_KEY = 20;

it(`SC-05 ${ROUNDS} processes stop one after another under ${REQUESTS_PER_SECOND} requests a second and ${SOCKETS} sockets: no request fails, every socket is closed with 1012 and subscribes at the next process within 5 s, every process exits with 0 within 15 s`, async () => {
  const service = await startService({ processes: 0, env: { QUIPU_DRAIN: '2s', QUIPU_ROLES: 'server,worker' } });
  const keys = await Promise.all(Array.from({ length: Math.ceil(SOCKETS / SOCKETS_PER_KEY) }, service.newKey));
  let current = await service.startProcess();
  const clients = Array.from({ length: SOCKETS }, (_, n) => startClient(() => current.url, keys[n % keys.length]?.key ?? ''));
  await until(() => clients.every(({ at }) => at === current.url));

  let isOver = false;
  const asking = paced(
    REQUESTS_PER_SECOND,
    () => isOver,
    requester(() => current.url, keys),
  );

  for (let round = 0; round < ROUNDS; round += 1) {
    const stopping = current;
    const next = await service.startProcess();
    const stoppedAt = performance.now();
    stopping.child.kill('SIGTERM');
    await until(async () => (await fetch(`${stopping.url}/readyz`)).status === 503);
    await sleep(500); // a load balancer stops sending requests after a while
    current = next;
    expect(await stopping.ended).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThanOrEqual(15_000);
    expect(stopping.err()).toBe('');
    await until(() => clients.every(({ at }) => at === next.url));
  }
  isOver = true;
  expect([...new Set(await asking)]).toEqual(['200 true']);
  expect(clients.flatMap(({ codes }) => codes)).toEqual(Array(ROUNDS * SOCKETS).fill(1012));
  const longestAway = Math.max(...clients.map((client) => client.longestAway));
  expect(longestAway).toBeLessThanOrEqual(5_000);
  current.child.kill('SIGTERM');
  expect(await current.ended).toBe(0);
  expect((await service.db.raw('SELECT count(*)::int AS held FROM graphile_worker.jobs WHERE locked_by IS NOT NULL')).rows).toEqual([
    { held: 0 },
  ]);
}, 1_200_000);
