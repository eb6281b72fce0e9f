import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { rounds } from '../support/rounds.ts';
import { measure, openFiles, quantile, residentBytes, startService } from './load/service.ts';

/** A large answer that needs no key: 400 kB. */
const FILE = 'GET /docs/search.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
const MB = 1_000_000;
/** Connections of other clients before. The memory in which new objects are made takes its full size under load of any client. */
const OTHERS = 500;
/** Connections to the database that a pool may open meanwhile. */
const OTHER_FILES = 20;

/** `first` is sent at once, and `drip` each second; `isPaused` clients read nothing. */
const KINDS = {
  headers: { first: 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nx-slow: ', drip: 'x', isPaused: false },
  body: {
    first: 'POST /v1/kyb HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\nx-api-key: KEY\r\n\r\n',
    drip: 'x',
    isPaused: false,
  },
  silent: { first: '', drip: '', isPaused: false },
  'as many pipelined requests as allowed': { first: FILE.repeat(16), drip: '', isPaused: true },
  'pipelined requests without end': { first: FILE, drip: FILE, isPaused: true },
} as const;

it('LD-06 1,000 slow clients are closed within 30 s, also those that pipeline requests and read no answer; the server grows by less than 50 MB', async () => {
  const { processes, newKey } = await startService();
  const [{ url, pid } = { url: '', pid: 0 }] = processes;
  const { key } = await newKey();
  const port = Number(new URL(url).port);
  /** The status of an answer to another client, and the ms that it took. */
  const ask = async () => {
    const startedAt = performance.now();
    const { status } = await fetch(new URL('/readyz', url));
    return { status, ms: performance.now() - startedAt };
  };
  await expect.poll(async () => (await ask()).status, { timeout: 60_000 }).toBe(200);
  await measure({ url: `${url}/v1/kyb`, key, body: { cnpj: companies[0]?.cnpj }, connections: OTHERS, seconds: 5 });
  const alone: number[] = [];
  for (let i = 0; i < 100; i += 1) alone.push((await ask()).ms);
  const [memory, files] = [await residentBytes(pid), await openFiles(pid)];

  const each = Math.max(8, rounds(200));
  for (const { first, drip, isPaused } of Object.values(KINDS))
    for (let i = 0; i < each; i += 1) await open(port, first.replace('KEY', key), drip, isPaused);
  await expect.poll(() => openFiles(pid), { timeout: 10_000 }).toBeGreaterThan(files + 4 * each);
  const openedAt = performance.now();
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  let most = memory;
  // Counted at the server: a client that reads nothing does not see the end of its connection.
  while ((await openFiles(pid)) > files + OTHER_FILES && performance.now() - openedAt < 60_000) {
    answers.push(await ask());
    most = Math.max(most, await residentBytes(pid));
    await sleep(100);
  }
  const during = answers.map(({ ms }) => ms);
  const measured = {
    closedAfterMs: performance.now() - openedAt,
    grownMb: (most - memory) / MB,
    p99Alone: quantile(alone, 0.99),
    p99During: quantile(during, 0.99),
  };
  console.log(JSON.stringify(measured));
  expect(measured.closedAfterMs).toBeLessThan(30_000);
  expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
  expect(measured.grownMb).toBeLessThan(50);
}, 120_000);

/** Opens the connection of a slow client. */
async function open(port: number, first: string, drip: string, isPaused: boolean): Promise<void> {
  const socket: Socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  if (isPaused) socket.pause();
  else socket.resume();
  await once(socket, 'connect');
  socket.write(first);
  const dripping = setInterval(() => drip !== '' && socket.write(drip), 1_000);
  socket.once('close', () => clearInterval(dripping));
}
