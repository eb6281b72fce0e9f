import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { endCursorOf } from '../../src/modules/monitor/domain/log-position.ts';
import { readStreamHead } from '../../src/modules/monitor/store/change-log.ts';
import { appendUntil } from '../modules/monitor/feed-support.ts';
import { loadBalancer } from '../support/load-balancer.ts';
import { isFull, rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { requester, startClient } from './load/clients.ts';
import { paced, startService } from './load/service.ts';

const PROCESSES = 3;
/** They stop 51 processes; the promise asks for 50. */
const ROUNDS = rounds(17);
const REQUESTS_PER_SECOND = isFull ? 200 : 50;
const SOCKETS = isFull ? 500 : 40;
const SOCKETS_PER_KEY = 20;
const BETWEEN_EVENTS_MS = 500;

it(`SC-05 ${ROUNDS} rolling restarts of ${PROCESSES} processes behind a load balancer, under ${REQUESTS_PER_SECOND} requests a second and ${SOCKETS} sockets: no request fails, every socket is closed with 1012 and resumes within 5 s, no event is lost or repeated, every process exits with 0 within 15 s`, async () => {
  const service = await startService({ processes: 0, env: { QUIPU_DRAIN: '2s' } });
  const balancer = await loadBalancer();
  async function start() {
    const process = await service.startProcess();
    const backend = balancer.add(process.url);
    await until(() => backend.isReady);
    return { process, backend };
  }
  const running = await Promise.all(Array.from({ length: PROCESSES }, start));
  const owners = await Promise.all(Array.from({ length: Math.ceil(SOCKETS / SOCKETS_PER_KEY) }, service.newKey));
  const after = endCursorOf(await readStreamHead(service.db));
  const clients = Array.from({ length: SOCKETS }, (_, n) => startClient(() => balancer.url, owners[n % owners.length]?.key ?? '', after));
  const areSubscribed = () => clients.every(({ at }) => at !== null);
  await until(areSubscribed);

  let isOver = false;
  const writing = appendUntil(() => isOver, service.db, owners, BETWEEN_EVENTS_MS);
  const asking = paced(
    REQUESTS_PER_SECOND,
    () => isOver,
    requester(() => balancer.url, owners),
  );

  let closed = 0;
  for (let restart = 0; restart < ROUNDS * PROCESSES; restart += 1) {
    running.push(await start());
    await until(areSubscribed);
    const { process, backend } = running.shift() as (typeof running)[number];
    expect(backend.requests).toBeGreaterThan(0);
    const { sockets } = backend;
    const stoppedAt = performance.now();
    process.child.kill('SIGTERM');
    expect(await process.ended).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThanOrEqual(15_000);
    expect(process.err()).toBe('');
    balancer.remove(backend);
    closed += sockets;
    await until(() => clients.flatMap(({ codes }) => codes).length >= closed && areSubscribed());
  }
  isOver = true;
  const written = await writing;
  expect([...new Set(await asking)]).toEqual(['200 true']);
  expect(clients.flatMap(({ codes }) => codes)).toEqual(Array(closed).fill(1012));
  expect(closed).toBeGreaterThanOrEqual(ROUNDS * SOCKETS);
  expect(Math.max(...clients.map(({ longestAway }) => longestAway))).toBeLessThanOrEqual(5_000);
  await until(() => clients.every(({ received }, n) => received.length >= (written[n % owners.length]?.length ?? 0)));
  await sleep(2_000); // a repeated event would follow
  for (const [n, { received }] of clients.entries()) expect(received).toEqual(written[n % owners.length]);
  expect(clients.flatMap(({ errors }) => errors)).toEqual([]);
  expect(written.every(({ length }) => length > 0)).toBe(true);
}, 1_800_000);
