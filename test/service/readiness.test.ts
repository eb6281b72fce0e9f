import { expect, inject, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { createDb, directUrlOf } from '../../src/db/knex.ts';
import { testApp } from '../support/app.ts';

/** The time within which readiness must change. */
const PROMISED = { timeout: 5_000, interval: 50 };

/** A service whose database can be closed to everyone and opened again. */
async function setup() {
  const app = await testApp({ patience: 1 });
  const admin = createDb(inject('databaseUrl'), { poolMax: 1 });
  onTestFinished(async () => {
    await app.close();
    await admin.destroy();
  });
  const name = new URL(directUrlOf(app.db)).pathname.slice(1);
  return {
    app,
    statusOf: async (path: string) => (await app.server.inject(path)).statusCode,
    readiness: async () => (await app.server.inject('/readyz')).json(),
    async refuse() {
      await admin.raw('ALTER DATABASE ?? ALLOW_CONNECTIONS false', [name]);
      await admin.raw('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?', [name]);
    },
    allow: () => admin.raw('ALTER DATABASE ?? ALLOW_CONNECTIONS true', [name]),
  };
}

// The runner fails the file for an uncaught error, which would end a process.
it('SC-06 readiness says within five seconds that the database is away, and health stays 200 without it', async () => {
  const { app, statusOf, readiness, refuse, allow } = await setup();
  const key = await app.keyFor('kyb');
  const kyb = () => app.post('/v1/kyb', { identifier: companyByScenario('clean').cnpj, country: 'BR' }, key);
  expect([await statusOf('/readyz'), await statusOf('/healthz')]).toEqual([200, 200]);
  expect(await kyb()).toMatchObject({ status: 200 });

  await refuse();
  await expect
    .poll(readiness, PROMISED)
    .toMatchObject({ status: 'degraded', checks: { database: false, migrations: true, running: true } });
  expect((await readiness()).details[0]).toMatch(/requests that need the database are refused/);
  expect([await statusOf('/readyz'), await statusOf('/healthz')]).toEqual([200, 200]);
  expect(await kyb()).toMatchObject({ status: 200 });
  expect((await app.server.inject({ url: '/v1/usage', headers: { 'x-api-key': key } })).json()).toMatchObject({
    code: 'service_unavailable',
  });

  await allow();
  await expect.poll(readiness, PROMISED).toMatchObject({ status: 'ready', checks: { database: true } });
  expect(await kyb()).toMatchObject({ status: 200 });
});

it('/status.json has the state of every source without a key, reads it once in five seconds, and has nothing of customers', async () => {
  const clock = { now: Date.now() };
  const app = await testApp({ now: () => clock.now });
  onTestFinished(() => app.close());
  const read = async () => (await app.server.inject('/status.json')).json();
  const before = await read();
  expect(before.sources.map(({ name }: { name: string }) => name)).toEqual((await app.sources.report()).map(({ name }) => name));
  for (const source of before.sources)
    expect(Object.keys(source).sort()).toEqual(
      ['attribution', 'circuit', 'last_error', 'last_error_at', 'last_success_at', 'list', 'name', 'origin', 'usable'].sort(),
    );
  clock.now += 4_000;
  expect(await read()).toEqual(before);
  clock.now += 1_000;
  expect((await read()).generated_at).not.toBe(before.generated_at);
});
