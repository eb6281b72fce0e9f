import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createKeys } from '../../src/auth/api-keys/keys.ts';
import { append } from '../modules/monitor/feed-support.ts';
import { openSocket, type RawSocket, subscribe } from '../server/sockets/support.ts';
import { testDb } from '../support/db.ts';
import { dataFolder, run } from '../support/process.ts';
import { needsMinutes, rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const FAT = 'subscription { companyChanged { cursor detectedAt changedFields { from } } }';

/** The resident memory of a process in MB. */
async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

it(
  'SB-05 the service closes 20 of 70 sockets that stop reading, sends the others every event, and grows by less than 80 MB',
  needsMinutes,
  async () => {
    const db = await testDb();
    onTestFinished(() => db.close());
    const env = { PORT: '0', DATABASE_URL: db.url, QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'warn', QUIPU_ROLES: 'server' };
    const { child, printed } = run('src/main.ts', [], env);
    const [, host = ''] = await printed(/answers at http:\/\/(\S+)/);
    const keys = createKeys({ db: db.knex, now: Date.now, secret: 'quipu-api-keys-v1' });
    const owners = await Promise.all(Array.from({ length: 4 }, () => keys.create({ name: 'slow', modules: ['monitor'] })));
    const sockets = await Promise.all(
      owners.flatMap(({ key }, n) => Array.from({ length: n === 3 ? 10 : 20 }, () => openSocket(host, key))),
    );
    const stalled = sockets.slice(0, 20);
    const reading = sockets.slice(20);
    const counts = new Map<RawSocket, number>(reading.map((socket) => [socket, 0]));
    const latencies: number[] = [];
    for (const socket of sockets) socket.send(subscribe('1', FAT));
    for (const socket of reading)
      socket.ws.removeAllListeners('message').on('message', (text) => {
        counts.set(socket, (counts.get(socket) ?? 0) + 1);
        latencies.push(Date.now() - Number(/"from":"(\d+) /.exec(String(text))?.[1]));
      });
    await sleep(2_000);

    const publishEvents = async (events: number, then: () => Promise<unknown>): Promise<void> => {
      for (let n = 0; n < events; n += 10) {
        const fields = [{ field: 'activity' as const, from: `${Date.now()} ${'x'.repeat(20_000)}`, to: null }];
        await Promise.all(owners.map(({ id }) => append(db.knex, 10, { keyId: id, fields })));
        await then();
        await sleep(300);
      }
    };
    await publishEvents(500, async () => undefined); // until the process has its size with all sockets reading
    const before = await residentMb(child.pid);
    let most = before;
    latencies.length = 0;
    for (const socket of stalled) socket.net().pause();
    const events = Math.max(1_200, rounds(2_000)); // fewer would fit into the socket buffers of the kernel
    await publishEvents(events, async () => {
      most = Math.max(most, await residentMb(child.pid));
    });
    await until(() => [...counts.values()].every((count) => count === 500 + events));
    latencies.sort((a, b) => a - b);
    expect(most - before).toBeLessThan(80);
    expect(latencies[Math.floor(latencies.length * 0.99)]).toBeLessThan(1_000);
    for (const socket of stalled) socket.net().resume();
    const codes = await Promise.all(stalled.map(async ({ closed }) => (await closed).code));
    expect(codes.every((code) => code === 1013 || code === 1006)).toBe(true);
    expect(child.exitCode).toBe(null);
  },
);
