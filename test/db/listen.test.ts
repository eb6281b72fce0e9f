import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/db/listen.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

/** Listens for one test and counts notifications. */
function ear(channel: string) {
  let onNotify = 0;
  const { stop } = listen(db.knex, channel, {
    onNotify: () => {
      onNotify += 1;
    },
    log: memoryLog().log,
  });
  onTestFinished(stop);
  return { count: () => onNotify, stop };
}

const listeners = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`;

describe('listening', () => {
  it('calls back for each notification, and once when it starts', async () => {
    const { count } = ear('calls');
    await expect.poll(count).toBe(1);
    await db.knex.raw("SELECT pg_notify('calls', '1')");
    await expect.poll(count).toBe(2);
  });

  it('SB-07 calls back after a reconnection, because notifications may have been missed', async () => {
    const { count } = ear('cuts');
    await expect.poll(count).toBe(1);
    await db.knex.raw(`SELECT pg_terminate_backend(pid) ${listeners}`);
    await expect.poll(count, { timeout: 5_000 }).toBe(2);
    await db.knex.raw("SELECT pg_notify('cuts', '1')");
    await expect.poll(count).toBe(3);
  });

  it('closes its connection when it is stopped', async () => {
    const { count, stop } = ear('ends');
    await expect.poll(count).toBe(1);
    await stop();
    await expect.poll(async () => (await db.knex.raw(`SELECT ${'query'} ${listeners} AND query LIKE '%ends%'`)).rows).toEqual([]);
  });
});
