import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts';
import { simulators } from '../../sandbox/upstreams/index.ts';
import { monthOf } from '../../src/domain/time.ts';
import { wrongCounters } from '../../src/metering/store/usage-counters.ts';
import { unknownCnpjs } from '../modules/screening/support.ts';
import { addressesOn, sandboxSettings } from '../support/app-with-faults.ts';
import { startCluster } from '../support/cluster.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';
import { isQuick, rounds } from '../support/rounds.ts';

const KEY = 'sk_an_operator_of_the_killed_processes';
const COMPANIES = rounds(100_000);
/** Each costs a wait for the lease of the killed process. */
const KILLS = isQuick ? 1 : 3;
const MODULES = ['debarment', 'sanctions'];

let db: TestDb;
let upstreams: Sandbox;
beforeAll(async () => {
  db = await testDb();
  upstreams = await startSandbox({ simulators, log: memoryLog().log });
});
afterAll(async () => {
  await upstreams.close();
  await db.close();
});

const progress = async (): Promise<{ readonly state: string; readonly done: number }> => db.knex('screenings').first('state', 'done');

describe('a screening under kill -9', () => {
  it('MT-04 MT-07 checks each company once, and counts each answer once', async () => {
    const one = await startCluster(1, {
      DATABASE_URL: db.url,
      QUIPU_KEY_SECRET: 'a-secret-of-the-tests',
      PORT: '0',
      QUIPU_SOURCES: 'live',
      QUIPU_BOOTSTRAP_KEY: KEY,
      QUIPU_TENDERS_MONTHS: '1',
      LOG_LEVEL: 'error',
      ...sandboxSettings(),
      ...addressesOn(upstreams.url),
    });
    const identifiers = unknownCnpjs(COMPANIES);
    const answer = await fetch(`${one.url(0)}/v1/screenings`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ identifiers, modules: MODULES }),
    });
    expect(answer.status).toBe(200);

    for (let kill = 1; kill <= KILLS; kill += 1) {
      const share = (COMPANIES * kill) / (KILLS + 1);
      await expect.poll(async () => (await progress()).done, { timeout: 900_000, interval: 20 }).toBeGreaterThanOrEqual(share);
      expect((await progress()).state).toBe('running');
      await one.killAndRestart(0);
    }
    await expect.poll(async () => (await progress()).state, { timeout: 900_000, interval: 200 }).toBe('done');

    expect(await db.knex('screenings').first('total', 'done', 'failed')).toEqual({ total: COMPANIES, done: COMPANIES, failed: 0 });
    const checked: readonly string[] = await db.knex('screening_companies').where({ state: 'answered' }).pluck('tax_id');
    expect(checked.toSorted()).toEqual(identifiers.toSorted());
    const used: readonly { module: string; sum: string }[] = await db
      .knex('usage_events')
      .select('module')
      .sum('quantity')
      .groupBy('module');
    expect(used.map(({ module, sum }) => [module, Number(sum)]).sort()).toEqual(MODULES.map((module) => [module, COMPANIES]));
    expect(await wrongCounters(db.knex, [monthOf(Date.now())])).toEqual([]);
  }, 3_600_000);
});
