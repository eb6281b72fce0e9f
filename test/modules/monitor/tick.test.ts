import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/time.ts';
import { startWorker } from '../../../src/jobs/worker.ts';
import { monitorJobs } from '../../../src/modules/monitor/jobs.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { memoryLog } from '../../support/log.ts';
import { node, testRegistry } from './registry.ts';
import { changeLog, cnpj, companiesOf, deleteMonitors, watch } from './support.ts';

const START = Date.parse('2026-11-21T00:00:00Z');
let db: TestDb;
let now: number;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await deleteMonitors(db.knex);
  await db.knex.raw('SELECT graphile_worker.remove_job(key) FROM graphile_worker.jobs WHERE key IS NOT NULL');
  now = START;
});

interface Waiting {
  readonly task_identifier: string;
  readonly key: string;
  readonly queue_name: string | null;
  readonly run_at: Date;
}
const waiting = async (task: string): Promise<readonly Waiting[]> =>
  db.knex('graphile_worker.jobs').where({ task_identifier: task }).orderBy('key');
const monitorNode = (interval = '6h') => node({ db: db.knex, now: () => now, settings: { QUIPU_MONITOR_INTERVAL: interval } });

describe('a tick', () => {
  it.each([
    ['6h', 15 * SECOND_MS],
    ['2s', SECOND_MS / 2],
  ])('with an interval of %s queues the next tick once', async (interval, pause) => {
    const checks = monitorNode(interval).open(monitorService).checks;
    await checks.tick();
    await checks.tick();
    expect(await waiting('monitor.tick')).toMatchObject([{ key: 'monitor.tick', run_at: new Date(now + pause) }]);
  });

  it.each([
    [0, []],
    [1, ['monitor.check:0']],
    [64, ['monitor.check:0']],
    [65, ['monitor.check:0', 'monitor.check:1']],
    [400, ['monitor.check:0', 'monitor.check:1', 'monitor.check:2']],
  ])('queues the check jobs that %i companies need, and no more when it runs twice', async (count, keys) => {
    if (count > 0) await watch(db.knex, companiesOf(count), { now });
    const checks = monitorNode().open(monitorService).checks;
    await checks.tick();
    await checks.tick();
    expect((await waiting('monitor.check')).map(({ key, queue_name }) => [key, queue_name])).toEqual(keys.map((key) => [key, key]));
  });

  it('queues no check of a company that another process claims until the lease expires', async () => {
    await watch(db.knex, companiesOf(1), { now });
    const until = new Date(now + 40 * SECOND_MS);
    await db.knex('watched_companies').update({ lease: '00000000-0000-4000-8000-000000000000', leased_until: until });
    const checks = monitorNode().open(monitorService).checks;
    await checks.tick();
    expect(await waiting('monitor.check')).toEqual([]);
    now += 40 * SECOND_MS;
    await checks.tick();
    expect(await waiting('monitor.check')).toHaveLength(1);
  });

  it('queues the sending of webhooks only for a due partition without a lease', async () => {
    const checks = monitorNode().open(monitorService).checks;
    const partition = { monitor_id: '00000000-0000-4000-8000-000000000001', host: 'receiver.example', partition: 0 };
    await db.knex('endpoint_partitions').insert({ ...partition, due_at: new Date(now), leased_until: new Date(now + MINUTE_MS) });
    await checks.tick();
    expect(await waiting('monitor.deliver')).toEqual([]);
    now += MINUTE_MS;
    await checks.tick();
    expect(await waiting('monitor.deliver')).toHaveLength(1);
  });

  it('that fails logs the error, and the next tick is queued', async () => {
    const { open, lines } = monitorNode();
    await db.knex.raw('ALTER TABLE endpoint_partitions RENAME TO lanes_away');
    onTestFinished(() => db.knex.raw('ALTER TABLE lanes_away RENAME TO endpoint_partitions'));
    await open(monitorService).checks.tick();
    expect(lines).toMatchObject([{ level: 50, msg: 'polling for due work failed' }]);
    expect(await waiting('monitor.tick')).toHaveLength(1);
  });

  it('reschedules a check to an earlier time when the interval becomes shorter', async () => {
    await watch(db.knex, companiesOf(1), { now });
    await db.knex('watched_companies').update({ anchor_at: new Date(now - HOUR_MS), due_at: new Date(now + 5 * HOUR_MS) });
    await monitorNode('25m').open(monitorService).checks.tick();
    const { due_at } = await db.knex('watched_companies').first();
    expect(due_at).toEqual(new Date(now + 15 * MINUTE_MS));
  });
});

describe('the jobs of the checks', () => {
  it('detect and publish a change in a worker', async () => {
    const registry = await testRegistry();
    const { open } = node({ db: db.knex, registry, settings: { QUIPU_MONITOR_INTERVAL: '1s' } });
    await watch(db.knex, companiesOf(2));
    const worker = startWorker({
      db: db.knex,
      now: Date.now,
      jobs: monitorJobs.filter(({ name }) => ['monitor.tick', 'monitor.check'].includes(name)),
      open,
      log: memoryLog().log,
    });
    onTestFinished(() => worker.stop());
    await expect.poll(() => db.knex('watched_companies').whereNotNull('snapshot'), { timeout: 20_000 }).toHaveLength(2);
    registry.says.set(cnpj(1), { active: false });
    await expect.poll(() => changeLog(db.knex), { timeout: 20_000 }).toMatchObject([{ company: { taxId: cnpj(1) } }]);
  }, 60_000);
});
