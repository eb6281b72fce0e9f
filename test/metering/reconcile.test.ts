import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDb } from '../../src/db/knex.ts';
import { usageReconcileJob } from '../../src/metering/jobs.ts';
import { repairCounter, wrongCounters } from '../../src/metering/store/usage-counters.ts';
import { insertUsage } from '../../src/metering/store/usage-records.ts';
import { usageRecordOf } from '../../src/metering/usage-records.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';
import { inFullRun } from '../support/rounds.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

const NOW = Date.UTC(2026, 10, 30, 23, 59);
const KEY = '00000000-0000-4000-8000-000000000001';
const uses = (n: number, startedAt = NOW) =>
  Array.from({ length: n }, (_, i) => usageRecordOf({ keyId: KEY, requestId: randomUUID(), startedAt }, 'kyb', `${i}`));
/** Uses of all modules by month. */
const counters = async () =>
  Object.fromEntries(
    (await db.knex('usage_counters').groupBy('month').orderBy('month').select('month').sum('used')).map(({ month, sum }) => [
      month,
      Number(sum),
    ]),
  );

async function reconcile() {
  const { log, lines } = memoryLog();
  const open = () => {
    throw new Error('it opens no service');
  };
  await usageReconcileJob.run({}, { db: db.knex, now: () => NOW, open, log, signal: new AbortController().signal });
  return lines;
}

describe('the reconciler', () => {
  it('MT-07 logs nothing when the counters are right, and schedules its next run in an hour', async () => {
    await insertUsage(db.knex, [...uses(3), ...uses(2, Date.UTC(2026, 9, 31))]);
    expect(await reconcile()).toEqual([]);
    expect(await counters()).toEqual({ '2026-10-01': 2, '2026-11-01': 3 });
    const { rows } = await db.knex.raw("SELECT run_at FROM graphile_worker.jobs WHERE key = 'usage.verify'");
    expect(rows.map(({ run_at }: { run_at: Date }) => run_at.getTime())).toEqual([NOW + 3_600_000]);
  });

  it('MT-07 sets counters to the sum of their rows, upward and downward, and logs each repair as an error', async () => {
    const [list] = uses(1);
    if (list) await insertUsage(db.knex, [{ ...list, quantity: 50 }]);
    expect(await counters()).toEqual({ '2026-10-01': 2, '2026-11-01': 53 });
    await db.knex('usage_counters').where({ month: '2026-10-01' }).update({ used: 1 });
    await db.knex('usage_counters').where({ month: '2026-11-01' }).delete();
    await db.knex('usage_counters').insert({ key_id: KEY, module: 'tech', month: '2026-11-01', used: 7 });
    const lines = await reconcile();
    expect(lines).toMatchObject([
      { level: 50, keyId: KEY, module: 'kyb', month: '2026-10', counted: 1, recorded: 2 },
      { level: 50, module: 'kyb', month: '2026-11', counted: 0, recorded: 53 },
      { level: 50, module: 'tech', month: '2026-11', counted: 7, recorded: 0 },
    ]);
    expect(await wrongCounters(db.knex, ['2026-10', '2026-11'])).toEqual([]);
  });

  it('MT-07 does not repair a counter of five months ago', async () => {
    await insertUsage(db.knex, uses(1, Date.UTC(2026, 5, 1)));
    await db.knex('usage_counters').where({ month: '2026-06-01' }).update({ used: 9 });
    expect(await reconcile()).toEqual([]);
    expect((await counters())['2026-06-01']).toBe(9);
  });

  it('MT-07 loses no uses that are written during repairs', async () => {
    await db.knex('usage_counters').where({ module: 'kyb', month: '2026-11-01' }).update({ used: 0 });
    const place = { keyId: KEY, module: 'kyb', month: '2026-11' };
    const writers = Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 25; i += 1) await insertUsage(db.knex, uses(20));
    });
    const repairs = (async () => {
      for (let i = 0; i < 25; i += 1) await repairCounter(db.knex, place);
    })();
    await Promise.all([...writers, repairs]);
    expect(await wrongCounters(db.knex, ['2026-11'])).toEqual([]);
    expect((await counters())['2026-11-01']).toBe(4_053);
  });

  it('MT-07 finds no difference after connections are terminated during writes', async () => {
    const surgeon = createDb(db.url, { poolMax: 1 });
    onTestFinished(() => surgeon.destroy());
    const rounds = inFullRun(334, 30); // of 3,000 uses each
    for (let round = 0; round < rounds; round += 1) {
      const writes = Array.from({ length: 6 }, () => insertUsage(db.knex, uses(500)).catch(() => undefined));
      await surgeon.raw(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.5`,
      );
      await Promise.all(writes);
      expect(await wrongCounters(surgeon, ['2026-11'])).toEqual([]);
    }
  }, 900_000);
});
