import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { DAY_MS, monthOf } from '../../src/domain/time.ts';
import type { JobDeps } from '../../src/jobs/job.ts';
import { bringUpToDate } from '../../src/jobs/schema.ts';
import { usagePurgeJob } from '../../src/metering/jobs.ts';
import { insertUsage } from '../../src/metering/store/usage-records.ts';
import { testDb } from '../support/db.ts';

it('PR-03 deletes the 5,001 single uses of a month that ended two years ago, and keeps the counters', async () => {
  const { knex: db, close } = await testDb();
  onTestFinished(close);
  await bringUpToDate(db);
  const now = Date.UTC(2028, 11, 15);
  const keyId = randomUUID();
  const usesAt = (at: number, count: number) =>
    Array.from({ length: count }, () => ({
      id: randomUUID(),
      keyId,
      module: 'kyb' as const,
      month: monthOf(at),
      at,
      requestId: 'r',
      questionHash: null,
      attempt: 0,
      quantity: 1,
    }));
  await insertUsage(db, usesAt(Date.UTC(2026, 10, 30, 23), 5_001));
  await insertUsage(db, usesAt(Date.UTC(2026, 11, 1), 2));
  await insertUsage(db, usesAt(now, 1));

  await usagePurgeJob(731 * DAY_MS).run({}, { db, now: () => now } as JobDeps);
  expect(await db('usage_events').select(db.raw('month::text, count(*)::int')).groupBy('month').orderBy('month')).toEqual([
    { month: '2026-12-01', count: 2 },
    { month: '2028-12-01', count: 1 },
  ]);
  expect((await db('usage_counters').where({ key_id: keyId }).orderBy('month')).map(({ used }) => used)).toEqual(['5001', '2', '1']);
  const days = await db('usage_days').select(db.raw('day::text, used::int')).orderBy('day');
  expect(days).toEqual([
    { day: '2026-12-01', used: 2 },
    { day: '2028-12-15', used: 1 },
  ]);
  expect(await db('graphile_worker.jobs').where({ task_identifier: 'usage.purge' })).toMatchObject([{ run_at: new Date(now + DAY_MS) }]);
});
