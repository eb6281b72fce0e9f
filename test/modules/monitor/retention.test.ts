import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';
import { monitorJobs } from '../../../src/modules/monitor/jobs.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { publish } from '../../../src/modules/monitor/service/publish.ts';
import { readStreamHead } from '../../../src/modules/monitor/store/change-log.ts';
import { webhookJobs } from '../../../src/webhooks/jobs.ts';
import { webhookService } from '../../../src/webhooks/service/webhooks.ts';
import { requeueDeliveries } from '../../../src/webhooks/store/delivery-queue.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { memoryLog } from '../../support/log.ts';
import { node } from './registry.ts';
import { brazilian, changeLog, cnpj, companiesOf, watch } from './support.ts';

const START = Date.parse('2026-11-01T00:00:00Z');
let db: TestDb;
let now: number;
beforeEach(async () => {
  db = await testDb();
  onTestFinished(() => db.close());
  now = START;
});

async function purge(): Promise<void> {
  const { open } = node({ db: db.knex, now: () => now });
  await open(webhookService).purge();
  await open(monitorService).purge();
}
/** Publishes one change of the watched company at the current time. */
const change = () =>
  db.knex.transaction((trx) =>
    publish(
      trx,
      [
        {
          company: brazilian(cnpj(0)),
          source: 'receita_federal',
          fields: [{ field: 'status', from: 'active', to: 'inactive' }],
        },
      ],
      now,
    ),
  );
/** Marks all deliveries as delivered. */
const settleAll = () => db.knex('deliveries').update({ state: 'delivered', due_at: null, settled_at: new Date(now) });
const positions = async () => (await changeLog(db.knex)).map(({ position }) => position);

describe('the purge of old rows', () => {
  it('PR-03 keeps changes for the configured time and updates the first position of the log', async () => {
    await watch(db.knex, companiesOf(1), { now });
    for (let day = 0; day < 10; day += 1) {
      await change();
      now += DAY_MS;
    }
    await purge();
    expect(await positions()).toEqual([4, 5, 6, 7, 8, 9, 10]);
    expect(await readStreamHead(db.knex)).toMatchObject({ position: 10, keptFrom: 4 });
    now += 30 * DAY_MS;
    await purge();
    expect(await positions()).toEqual([]);
    expect(await readStreamHead(db.knex)).toMatchObject({ position: 10, keptFrom: 11 });
    await change();
    expect(await positions()).toEqual([11]);
  });

  it('deletes nothing from a log without old changes', async () => {
    await watch(db.knex, companiesOf(1), { now });
    await purge();
    await change();
    await purge();
    expect(await readStreamHead(db.knex)).toMatchObject({ position: 1, keptFrom: 1 });
  });

  it('PR-03 WH-07 keeps deliveries of the last 30 days, and deletes attempts with their delivery', async () => {
    await watch(db.knex, companiesOf(1), { now });
    await change();
    await db.knex.raw('INSERT INTO delivery_attempts (delivery_id, number, started_at) SELECT id, 1, created_at FROM deliveries');
    now += 29 * DAY_MS;
    await change();
    await settleAll();
    await purge();
    expect(await db.knex('deliveries')).toHaveLength(2);
    now += 2 * DAY_MS;
    await purge();
    expect(await db.knex('deliveries').select('created_at')).toEqual([{ created_at: new Date(START + 29 * DAY_MS) }]);
    expect(await db.knex('delivery_attempts')).toEqual([]);
  });

  it('keeps an old delivery that is still to be sent', async () => {
    await watch(db.knex, companiesOf(1), { now });
    await change();
    now += 31 * DAY_MS;
    await purge();
    expect(await db.knex('deliveries').pluck('state')).toEqual(['pending']);
    await settleAll();
    await purge();
    expect(await db.knex('deliveries')).toEqual([]);
  });

  it('keeps an old delivery that is put into the queue again at the same time', async () => {
    await watch(db.knex, companiesOf(1), { now });
    await change();
    await settleAll();
    now += 31 * DAY_MS;
    const { id, host } = await db.knex('deliveries').first('id', 'host');
    const requeueing = await db.knex.transaction();
    expect(await requeueDeliveries(requeueing, [id], host, now)).toBe(1);
    const purging = purge();
    const waiting = () =>
      db.knex('pg_stat_activity').where({ wait_event_type: 'Lock' }).whereRaw('datname = current_database()').pluck('pid');
    await expect.poll(waiting).toHaveLength(1);
    await requeueing.commit();
    await purging;
    expect(await db.knex('deliveries').pluck('state')).toEqual(['pending']);
  });

  it('deletes 2,300 old changes in one run', async () => {
    const columns = { country: 'BR', tax_id: cnpj(0), identifier: cnpj(0), source: 'receita_federal', fields: '[]' };
    const rows = Array.from({ length: 2_500 }, (_, i) => ({
      ...columns,
      position: i + 1,
      id: randomUUID(),
      monitor_id: randomUUID(),
      key_id: randomUUID(),
      detected_at: new Date(now + (i < 2_300 ? 0 : 8 * DAY_MS)),
    }));
    await db.knex.batchInsert('changes', rows);
    await db.knex('log_heads').where({ stream: 'changes' }).update({ position: 2_500 });
    now += 9 * DAY_MS;
    await purge();
    expect(await readStreamHead(db.knex)).toMatchObject({ position: 2_500, keptFrom: 2_301 });
    expect(await positions()).toHaveLength(200);
  });

  it('deletes a company that no monitor watches any more', async () => {
    const [first] = [await watch(db.knex, companiesOf(2), { now }), await watch(db.knex, companiesOf(1), { now })];
    await db.knex('monitors').where({ id: first }).delete();
    await purge();
    expect(await db.knex('watched_companies').select('tax_id')).toEqual([{ tax_id: cnpj(0) }]);
  });

  it('deletes every such company of 5,100', async () => {
    const watched = await watch(db.knex, companiesOf(5_100), { now });
    await watch(
      db.knex,
      [0, 4_999, 5_000, 5_099].map((n) => brazilian(cnpj(n))),
      { now },
    );
    await db
      .knex('monitors')
      .where({ id: watched })
      .update({ cancelled_at: new Date(now) });
    await purge();
    expect(await db.knex('watched_companies').orderBy('tax_id').pluck('tax_id')).toEqual([0, 4_999, 5_000, 5_099].map(cnpj));
  });

  it('queues its next run an hour later', async () => {
    const { open } = node({ db: db.knex, now: () => now });
    const deps = { db: db.knex, now: () => now, open, log: memoryLog().log, signal: new AbortController().signal };
    for (const job of [...monitorJobs, ...webhookJobs]) if (job.name.endsWith('.purge')) await job.run({}, deps);
    const jobs = await db.knex('graphile_worker.jobs').whereLike('task_identifier', '%.purge').orderBy('task_identifier');
    expect(jobs.map(({ key, run_at }) => [key, run_at])).toEqual([
      ['monitor.purge', new Date(now + HOUR_MS)],
      ['webhooks.purge', new Date(now + HOUR_MS)],
    ]);
  });
});

it('deletes a cancelled monitor after its last delivery and change', async () => {
  const id = await watch(db.knex, companiesOf(1), { now });
  await change();
  await settleAll();
  await db
    .knex('monitors')
    .where({ id })
    .update({ cancelled_at: new Date(now) });
  now += 29 * DAY_MS;
  await purge();
  expect(await db.knex('monitors').pluck('id')).toEqual([id]);
  now += 2 * DAY_MS;
  await purge();
  expect([await db.knex('monitors').pluck('id'), await db.knex('monitor_companies').count()]).toEqual([[], [{ count: '0' }]]);
});
