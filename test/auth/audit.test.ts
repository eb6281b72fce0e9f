import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { audit, auditLog, purgeAudit } from '../../src/audit/audit-log.ts';
import { auditPurgeJob } from '../../src/audit/purge-job.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import type { JobDeps } from '../../src/jobs/job.ts';
import { type TestDb, testDb } from '../support/db.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const ENTRY = { actor: 'key 1', action: 'monitor.created', subject: 'mon_1' } as const;

let database: TestDb;
beforeEach(async () => {
  database = await testDb();
});
afterEach(() => database.close());

describe('the audit log', () => {
  it('has an entry only when its transaction commits', async () => {
    const { knex } = database;
    await knex.transaction((trx) => audit(trx, { ...ENTRY, at: NOON, facts: { companies: 3 } }));
    const undone = knex.transaction(async (trx) => {
      await audit(trx, { ...ENTRY, at: NOON, subject: 'mon_2' });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await auditLog(knex, { since: 0 })).toEqual([{ ...ENTRY, at: NOON, facts: { companies: 3 } }]);
  });

  it('deletes 12,000 expired entries and keeps the others', async () => {
    const { knex } = database;
    await knex.raw(
      `INSERT INTO audit_log (at, actor, action, subject, facts) SELECT ?, 'server', 'key.created', i::text, '{}' FROM generate_series(1, 12000) i`,
      [new Date(NOON - 400 * DAY_MS - 1)],
    );
    await audit(knex, { ...ENTRY, at: NOON - 400 * DAY_MS });
    expect(await purgeAudit(knex, NOON - 400 * DAY_MS)).toBe(12_000);
    expect(await auditLog(knex, { since: 0 })).toHaveLength(1);
    expect(await purgeAudit(knex, NOON - 400 * DAY_MS)).toBe(0);
  });

  it('PR-03 is purged by a job that queues its next run one day later', async () => {
    const { knex } = database;
    await audit(knex, { ...ENTRY, at: NOON - 400 * DAY_MS - 1 });
    await audit(knex, { ...ENTRY, at: NOON - 400 * DAY_MS });
    const job = auditPurgeJob(400 * DAY_MS);
    const deps = { db: knex, now: () => NOON } as JobDeps;
    await job.run({}, deps);
    await job.run({}, deps);
    expect(await auditLog(knex, { since: 0 })).toHaveLength(1);
    const { rows } = await knex.raw('SELECT key, run_at FROM graphile_worker.jobs');
    expect(rows).toEqual([{ key: 'audit.purge', run_at: new Date(NOON + DAY_MS) }]);
  });
});
