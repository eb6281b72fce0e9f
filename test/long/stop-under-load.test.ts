import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { companyByScenario } from '../../src/sandbox/world/brazil/world.ts';
import { isFull, rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { paced, startService } from './load/service.ts';

const ROUNDS = rounds(50);
const REQUESTS_PER_SECOND = isFull ? 200 : 50;
const SOCKETS = isFull ? 500 : 40;
const SOCKETS_PER_KEY = 20;
const { cnpj } = companyByScenario('clean');
/** Clients wait at random, so that they do not all come back at once. */
const MAX_RECONNECT_DELAY_MS = 1_000;
const SUBSCRIPTION = 'subscription { companyChanged { cursor } }';

interface Target {
  readonly url: string;
}

/** A client that subscribes, and does so again when its socket was closed. */
interface Client {
  /** The process at which it is subscribed; null while it is at none. */
  at: Target | null;
  /** Codes of its closed sockets. */
  readonly codes: number[];
  /** The longest time from a close until it was subscribed again, in ms. */
  longestAway: number;
}

function startClient(target: () => Target, key: string): Client {
  const client: Client = { at: null, codes: [], longestAway: 0 };
  let socket = open(null);
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    socket.terminate();
  });

  function open(closedAt: number | null): WebSocket {
    const at = target();
    const opened = new WebSocket(`${at.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const send = (message: object) => opened.send(JSON.stringify(message));
    opened.on('open', () => send({ type: 'connection_init', payload: { 'X-API-Key': key } }));
    opened.on('message', (data) => {
      if (JSON.parse(String(data)).type !== 'connection_ack') return;
      send({ id: '1', type: 'subscribe', payload: { query: SUBSCRIPTION } });
      client.at = at;
      if (closedAt !== null) client.longestAway = Math.max(client.longestAway, performance.now() - closedAt);
    });
    opened.on('error', () => undefined); // `close` follows
    opened.on('close', (code) => {
      client.at = null;
      if (isOver) return;
      client.codes.push(code);
      const now = performance.now();
      setTimeout(() => {
        if (!isOver) socket = open(now);
      }, Math.random() * MAX_RECONNECT_DELAY_MS);
    });
    return opened;
  }
  return client;
}

it(`SC-05 ${ROUNDS} processes stop one after another under ${REQUESTS_PER_SECOND} requests a second and ${SOCKETS} sockets: no request fails, every socket is closed with 1012 and subscribes at the next process within 5 s, every process exits with 0 within 15 s`, async () => {
  const service = await startService({ processes: 0, env: { QUIPU_DRAIN: '2s', QUIPU_ROLES: 'server,worker' } });
  const keys = await Promise.all(Array.from({ length: Math.ceil(SOCKETS / SOCKETS_PER_KEY) }, service.newKey));
  let current = await service.startProcess();
  const clients = Array.from({ length: SOCKETS }, (_, n) => startClient(() => current, keys[n % keys.length]?.key ?? ''));
  await until(() => clients.every(({ at }) => at === current));

  let asked = 0;
  async function ask(): Promise<string> {
    asked += 1;
    const headers = { 'x-api-key': keys[asked % keys.length]?.key ?? '', 'content-type': 'application/json' };
    const [path, body] =
      asked % 2 === 0
        ? ['/v1/kyb', { identifier: cnpj, country: 'BR' }]
        : ['/graphql', { query: `{ company(identifier: "${cnpj}") { kyb { status } } }` }];
    try {
      const answer = await fetch(`${current.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return `${answer.status} ${/"status":"active"/i.test(await answer.text())}`;
    } catch (error) {
      return String((error as { cause?: { code?: string } }).cause?.code ?? error);
    }
  }
  let isOver = false;
  const asking = paced(REQUESTS_PER_SECOND, () => isOver, ask);

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
    await until(() => clients.every(({ at }) => at === next));
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
