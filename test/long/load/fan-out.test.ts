import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { appendChanges } from '../../../src/modules/monitor/store/change-log.ts';
import { change } from '../../modules/monitor/feed-support.ts';
import { isFull, rounds } from '../../support/rounds.ts';
import { until } from '../../support/until.ts';
import { residentBytes, startService } from './service.ts';

const SOCKETS_PER_KEY = 20;
const KEYS = rounds(250);
const SOCKETS = KEYS * SOCKETS_PER_KEY;
const EVENTS = rounds(100);
const QUERY = 'subscription { companyChanged { changedFields { to } } }';

/** Opens a socket and subscribes. `receive` gets the mark of each event. */
function subscriber(url: string, key: string, receive: (mark: string) => void): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { perMessageDeflate: false });
  onTestFinished(() => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.once('error', reject).once('close', (code) => reject(new Error(`closed with ${code}`)));
    socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { 'X-API-Key': key } })));
    socket.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data));
      if (type === 'next') receive(payload.data.companyChanged.changedFields[0].to);
      if (type !== 'connection_ack') return;
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: QUERY } }), () => resolve(socket));
    });
  });
}

it(`LD-03 one process holds ${SOCKETS} subscriptions and sends each of ${EVENTS} events to all of them once; in a full run within 1 s and at 40 kB of memory per socket`, async () => {
  const { db, processes, newKey } = await startService();
  const [{ url, pid, child } = { url: '', pid: 0, child: undefined }] = processes;
  const keys = await Promise.all(Array.from({ length: KEYS }, newKey));
  const received = new Map<string, number>();
  const lastAt = new Map<string, number>();
  const receive = (mark: string) => {
    received.set(mark, (received.get(mark) ?? 0) + 1);
    lastAt.set(mark, performance.now());
  };
  const first = await Promise.all(Array.from({ length: SOCKETS_PER_KEY }, () => subscriber(url, keys[0]?.key ?? '', receive)));
  await sleep(2_000); // the code of a subscription is compiled
  const before = await residentBytes(pid);
  for (const { key } of keys.slice(1)) {
    await Promise.all(Array.from({ length: SOCKETS_PER_KEY }, () => subscriber(url, key, receive)));
  }
  await sleep(2_000);
  const bytesPerSocket = ((await residentBytes(pid)) - before) / Math.max(1, SOCKETS - first.length);

  const times: number[] = [];
  for (let event = 0; event < EVENTS; event += 1) {
    const mark = String(event);
    const fields = [{ field: 'status' as const, from: null, to: mark }];
    await db.transaction((trx) =>
      appendChanges(
        trx,
        keys.map(({ id }) => change({ keyId: id, monitorId: randomUUID(), fields })),
      ),
    );
    const committedAt = performance.now();
    await until(() => received.get(mark) === SOCKETS);
    times.push((lastAt.get(mark) ?? Number.NaN) - committedAt);
  }
  await sleep(500);
  expect([...received.values()]).toEqual(Array(EVENTS).fill(SOCKETS));
  expect(child?.exitCode).toBe(null);
  console.log(`${Math.round(bytesPerSocket / 1_000)} kB per socket, slowest event ${Math.round(Math.max(...times))} ms`);
  if (!isFull) return;
  expect(bytesPerSocket).toBeLessThanOrEqual(40_000);
  expect(Math.max(...times)).toBeLessThanOrEqual(1_000);
});
