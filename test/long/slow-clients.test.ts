import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../support/app.ts';
import { rounds } from '../support/rounds.ts';

const FILE = 'GET /graphql/assets/graphiql.js HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** `first` is sent at once, and more data follows each second; `deaf` clients read nothing. */
const KINDS = {
  headers: { first: 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nx-slow: ', deaf: false },
  body: {
    first: 'POST /v1/kyb HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\nx-api-key: KEY\r\n\r\n',
    deaf: false,
  },
  silent: { first: '', deaf: false },
  deaf: { first: FILE.repeat(60), deaf: true },
} as const;

it('LD-06 the server closes each slow client within 30 s, answers other clients, and grows by less than 150 MiB', async () => {
  const app = await testApp();
  onTestFinished(() => app.close());
  const port = Number(new URL(await app.server.listen({ host: '127.0.0.1', port: 0 })).port);
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
  expect(await ask()).toBe(200);
  const before = process.memoryUsage.rss();

  const each = Math.max(8, rounds(250));
  const stays = Object.values(KINDS).flatMap(({ first, deaf }) =>
    Array.from({ length: each }, () => stay(port, first.replace('KEY', app.key), deaf)),
  );
  let over = false;
  const all = Promise.all(stays).finally(() => {
    over = true;
  });
  const statuses = new Set<number>();
  let most = before;
  while (!over) {
    statuses.add(await ask());
    most = Math.max(most, process.memoryUsage.rss());
    await sleep(100);
  }
  expect(Math.max(...(await all))).toBeLessThan(30_000);
  expect([...statuses]).toEqual([200]);
  expect((most - before) / 1024 / 1024).toBeLessThan(150); // the memory of the clients is included
}, 60_000);

/** The ms until the server closes the connection of a client. */
async function stay(port: number, first: string, deaf: boolean): Promise<number> {
  const startedAt = performance.now();
  const socket: Socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  if (deaf) socket.pause();
  else socket.resume();
  socket.write(first);
  const drip = setInterval(() => (deaf ? socket.write(FILE) : socket.write(first === '' ? '' : 'x')), 1_000);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(drip);
  return performance.now() - startedAt;
}
