import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createDb } from '../../src/db/knex.ts';
import { asRequest } from '../../src/db/request-connections.ts';
import { databaseUnavailable } from '../../src/db/unavailable.ts';
import { watchDatabase } from '../../src/db/watch.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { silentProxy } from '../support/silent-proxy.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

let proxy: Awaited<ReturnType<typeof silentProxy>>;
beforeEach(async () => {
  proxy = await silentProxy(db.url);
  onTestFinished(() => proxy.close());
});

/** A watched pool of two connections and a guarded one, as those of a service. */
function start() {
  const [watched, guarded] = [createDb(proxy.url, { poolMax: 2 }), createDb(proxy.url, { poolMax: 2 })];
  const watch = watchDatabase(watched, (one) => one.raw('SELECT 1'));
  watch.guard(guarded);
  onTestFinished(async () => {
    await watch.stop();
    await Promise.all([watched.destroy(), guarded.destroy()]);
  });
  const isAvailable = (expected: boolean) => expect.poll(() => watch.state().isAvailable, { timeout: 10_000 }).toBe(expected);
  return { watched, guarded, watch, isAvailable };
}

function silence(): void {
  proxy.newConnections('silent');
  proxy.freeze();
}

function end(): void {
  proxy.newConnections('pass');
  proxy.cut();
}

const outcome = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => 'done',
    (error: Error) => (READ_TIMEOUT.test(error.message) ? 'timed out' : databaseUnavailable(error) ? 'refused' : error.message),
  );
const READ_TIMEOUT = /Query read timeout/;

it('DB-02 requests that wait for a statement, a transaction or a connection are refused once the database is silent', async () => {
  const { watched, guarded, isAvailable } = start();
  await isAvailable(true);
  silence();
  const waiting = [
    ...Array.from({ length: 4 }, () => outcome(guarded.raw('SELECT 1'))),
    ...Array.from({ length: 3 }, () => outcome(asRequest(async () => await watched.raw('SELECT 1')))),
    outcome(asRequest(async () => await watched.transaction((trx) => trx.raw('SELECT 1')))),
  ];
  await isAvailable(false);
  const late = sleep(250).then(() => 'late'); // a statement times out after four seconds
  for (const one of waiting) expect(await Promise.race([one, late])).toBe('refused');
  expect(await Promise.race([outcome(guarded.raw('SELECT 1')), late])).toBe('refused');
  end();
  await isAvailable(true);
  expect(await Promise.all([outcome(guarded.raw('SELECT 1')), outcome(asRequest(async () => await watched.raw('SELECT 1')))])).toEqual([
    'done',
    'done',
  ]);
});

it('background work waits for its statement until that times out', async () => {
  const { watched, isAvailable } = start();
  await isAvailable(true);
  await watched.raw('SELECT 1');
  silence();
  const work = outcome(watched.raw('SELECT 1'));
  await isAvailable(false);
  expect(await work).toBe('timed out');
  end();
}, 15_000);

it('a change that was not committed when the database fell silent is rolled back', async () => {
  const { watched, isAvailable } = start();
  await db.knex.raw('CREATE TABLE IF NOT EXISTS watch_test (id int)');
  await isAvailable(true);
  const change = outcome(
    asRequest(
      async () =>
        await watched.transaction(async (trx) => {
          await trx.raw('INSERT INTO watch_test VALUES (1)');
          await sleep(100);
          silence();
          await trx.raw('SELECT 1');
        }),
    ),
  );
  expect(await change).toBe('refused');
  end();
  await isAvailable(true);
  expect(await db.knex('watch_test')).toEqual([]);
});

it('state() is unavailable before the first probe, and says how long ago the probes were', async () => {
  const { watch, isAvailable } = start();
  expect(watch.state()).toMatchObject({
    isAvailable: false,
    respondedMsAgo: Number.POSITIVE_INFINITY,
    failedMsAgo: Number.POSITIVE_INFINITY,
  });
  await isAvailable(true);
  expect(watch.state().respondedMsAgo).toBeLessThan(10_000);
  silence();
  await isAvailable(false);
  expect(watch.state().failedMsAgo).toBeLessThan(watch.state().respondedMsAgo);
  end();
});
