import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { ceis, ceisSpec } from '../../../src/modules/debarment/source.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { upstream } from '../../support/upstream.ts';
import { ceisFile, type Penalty } from './ceis-file.ts';
import { type NodeOptions, node, type TestRegistry, testRegistry } from './registry.ts';
import { brazilian, changeLog, cnpj, companiesOf, watch } from './support.ts';

const NEVER = new AbortController().signal;
const BYSTANDER = cnpj(9_999);

const penalty = (n: number, code = '1', end = '10/01/2033'): Penalty => ({ cnpj: cnpj(n), code, end });

let db: TestDb;
let now: number;
let registry: TestRegistry;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.knex.raw(
    'TRUNCATE monitors, webhook_endpoints, watched_companies, changes, deliveries, endpoint_partitions, compared_lists, list_comparisons CASCADE',
  );
  now = Date.parse('2026-11-21T00:00:00Z');
  registry = await testRegistry();
});

/** Creates a process with a CEIS list whose versions the test publishes. The first version names no watched company. */
async function setup(settings: NodeOptions['settings'] = {}) {
  let file = ceisFile([{ cnpj: BYSTANDER, code: '1' }]);
  const publisher = await upstream(() => ({ body: file, headers: { 'content-type': 'text/csv' } }));
  const addresses = { QUIPU_CEIS_URL: `${publisher.url}/ceis.csv` };
  const { open, use } = node({ db: db.knex, registry, now: () => now, settings, addresses });
  const load = async (...penalties: Penalty[]) => {
    file = ceisFile([...penalties, { cnpj: BYSTANDER, code: '1' }]);
    now += HOUR_MS;
    expect(await use(ceis).sync({ force: true })).toMatchObject({ outcome: 'loaded' });
  };
  const publish = async (...penalties: Penalty[]) => {
    await load(...penalties);
    await compare();
  };
  const lists = open(monitorService).lists;
  const compare = async () => {
    for (const list of await lists.pending()) await lists.compare(list, NEVER);
  };
  await use(ceis).sync({ force: true });
  return { publish, load, compare, lists, checks: open(monitorService).checks, quarantine: open(monitorService).quarantine, use };
}

const published = async () => (await changeLog(db.knex)).map(({ company, fields, source }) => [company.taxId, source, ...fields]);
const debarment = (from: number, to: number) => ({ field: 'debarment', list: 'CEIS', from: String(from), to: String(to) });

describe('changes of a list', () => {
  it('are published for watched companies that are added, changed or removed in a new version', async () => {
    const { publish, checks } = await setup();
    await watch(db.knex, companiesOf(5), { now });
    await checks.check('BR', NEVER);
    await publish(penalty(0), penalty(1));
    expect(await published()).toEqual([0, 1].map((n) => [cnpj(n), 'CEIS', debarment(0, 1)]));
    await publish(penalty(0), penalty(1, '1', '31/12/2040'));
    expect((await published()).slice(2)).toEqual([[cnpj(1), 'CEIS', debarment(1, 1)]]);
    await publish(penalty(1, '1', '31/12/2040'), penalty(1, '2'));
    expect((await published()).slice(3)).toEqual([
      [cnpj(0), 'CEIS', debarment(1, 0)],
      [cnpj(1), 'CEIS', debarment(1, 2)],
    ]);
  });

  it('say that an entry has gone only by a version in which each row has a readable id', async () => {
    const { publish, checks } = await setup();
    const others = Array.from({ length: 150 }, (_, i) => penalty(1_000 + i));
    await watch(db.knex, companiesOf(2), { now });
    await checks.check('BR', NEVER);
    await publish(penalty(0), penalty(1), ...others);
    expect(await published()).toHaveLength(2);
    await publish({ cnpj: cnpj(0).slice(0, 6), code: '1', end: '10/01/2033' }, penalty(1), ...others);
    expect(await published()).toHaveLength(2);
    await publish(penalty(1), ...others);
    expect((await published()).slice(2)).toEqual([[cnpj(0), 'CEIS', debarment(1, 0)]]);
  });

  it('are not published for entries that were listed when the first check ran', async () => {
    const { publish, checks } = await setup();
    await publish(penalty(0));
    await watch(db.knex, companiesOf(2), { now });
    await checks.check('BR', NEVER);
    await publish(penalty(0), penalty(1));
    expect(await published()).toEqual([[cnpj(1), 'CEIS', debarment(0, 1)]]);
  });

  it('are published for a company whose registry failed when the first check ran', async () => {
    const { publish, checks } = await setup();
    await watch(db.knex, companiesOf(1), { now });
    registry.says.set(cnpj(0), { reply: { status: 503, body: {} } });
    await checks.check('BR', NEVER);
    await publish(penalty(0));
    expect(await published()).toEqual([[cnpj(0), 'CEIS', debarment(0, 1)]]);
  });

  it('are published for each of 200 companies that were added while the registry was down, after four ticks', async () => {
    const { publish, checks } = await setup({ QUIPU_MONITOR_GUARD_MIN: '1000' });
    await watch(db.knex, companiesOf(200), { now });
    registry.reply = () => ({ status: 503, body: {} });
    for (let tick = 0; tick < 4; tick += 1) await checks.check('BR', NEVER);
    await publish(...Array.from({ length: 200 }, (_, n) => penalty(n)));
    expect(await published()).toHaveLength(200);
  });

  it('are published for a company when the list could be read again after its first check', async () => {
    const { publish, compare, checks, use } = await setup();
    await compare();
    now += 30 * 24 * HOUR_MS;
    await watch(db.knex, companiesOf(1), { now });
    await checks.check('BR', NEVER);
    expect((await db.knex('watched_companies').first()).listings).toEqual({});
    expect(await use(ceis).sync()).toMatchObject({ outcome: 'unchanged' });
    now += 6 * HOUR_MS;
    await checks.check('BR', NEVER);
    await publish(penalty(0));
    expect(await published()).toEqual([[cnpj(0), 'CEIS', debarment(0, 1)]]);
  });

  it('are not published at the first comparison of a company without a check', async () => {
    const { publish } = await setup();
    await watch(db.knex, companiesOf(1), { now });
    await publish(penalty(0));
    expect(await published()).toEqual([]);
    await publish();
    expect(await published()).toEqual([[cnpj(0), 'CEIS', debarment(1, 0)]]);
  });

  it('are delivered only to webhooks of monitors with list changes enabled', async () => {
    const { publish, checks } = await setup();
    const subscribed = await watch(db.knex, companiesOf(1), { now, listNews: true });
    await watch(db.knex, companiesOf(1), { now });
    await checks.check('BR', NEVER);
    await publish(penalty(0));
    expect(await changeLog(db.knex)).toHaveLength(2);
    expect(await db.knex('deliveries').select('monitor_id')).toEqual([{ monitor_id: subscribed }]);
  });

  it('are compared once for each version, by one job that the tick queues', async () => {
    const { publish, checks, lists } = await setup();
    expect(await lists.pending()).toEqual(['CEIS']);
    await checks.tick();
    await checks.tick();
    const jobs = await db.knex('graphile_worker.jobs').where({ task_identifier: 'monitor.list' });
    expect(jobs).toHaveLength(1);
    await publish(penalty(0));
    expect(await lists.pending()).toEqual([]);
  });

  it('are published once when the comparison runs twice', async () => {
    const { publish, checks, compare } = await setup();
    await watch(db.knex, companiesOf(1), { now });
    await checks.check('BR', NEVER);
    await publish(penalty(0));
    await db.knex('compared_lists').update({ version: 'another' });
    await compare();
    expect(await published()).toHaveLength(1);
  });

  it.each([
    ['published', '1', 400, []],
    ['held', '0.1', 0, [{ source: 'CEIS', field: 'debarment', reason: 'share', count: 400 }]],
  ] as const)('of 1,200 companies are found by several calls that are interrupted, and %s once', async (_, share, sent, held) => {
    const { load, compare, lists, quarantine } = await setup({ QUIPU_MONITOR_GUARD_SHARE: share });
    await watch(db.knex, companiesOf(1_200), { now });
    await compare();
    await load(...Array.from({ length: 400 }, (_, n) => penalty(3 * n)));
    let calls = 0;
    for (; (await lists.pending()).length > 0; calls += 1) await lists.compare('CEIS', AbortSignal.abort());
    expect(calls).toBe(6);
    expect(new Set((await published()).map(([taxId]) => taxId)).size).toBe(sent);
    expect(await published()).toHaveLength(sent);
    expect(await quarantine.counts()).toEqual(held);
  });

  it('are those of the next version when it comes during a comparison', async () => {
    const { load, compare, lists } = await setup();
    await watch(db.knex, companiesOf(600), { now });
    await compare();
    await load(penalty(0), penalty(599));
    await lists.compare('CEIS', AbortSignal.abort());
    await load(penalty(1));
    await compare();
    expect(await published()).toEqual([[cnpj(1), 'CEIS', debarment(0, 1)]]);
  });

  it('are published once when two processes compare at the same time', async () => {
    const { load, compare, lists } = await setup();
    await watch(db.knex, companiesOf(600), { now });
    await compare();
    await load(penalty(0), penalty(599));
    await Promise.allSettled([1, 2, 3].map(() => lists.compare('CEIS', NEVER)));
    await lists.compare('CEIS', NEVER);
    expect((await published()).map(([taxId]) => taxId)).toEqual([cnpj(0), cnpj(599)]);
  });

  it('are not published when the schema version of the stored list changes', async () => {
    const { publish, checks } = await setup();
    await watch(db.knex, companiesOf(1), { now });
    await checks.check('BR', NEVER);
    await publish(penalty(0));
    await db.knex('compared_lists').update({ schema_version: ceisSpec.schemaVersion - 1 });
    await publish(penalty(0), penalty(0, '2'));
    expect(await published()).toHaveLength(1);
    await publish(penalty(0), penalty(0, '2'), penalty(0, '3'));
    expect((await published()).slice(1)).toEqual([[cnpj(0), 'CEIS', debarment(2, 3)]]);
  });

  it('are held when too many companies are added at once, and published when released', async () => {
    const { publish, checks, quarantine } = await setup();
    await watch(db.knex, companiesOf(50), { now });
    await checks.check('BR', NEVER);
    await publish(...Array.from({ length: 20 }, (_, n) => penalty(n)));
    expect(await published()).toEqual([]);
    expect(await quarantine.counts()).toEqual([{ source: 'CEIS', field: 'debarment', reason: 'share', count: 20 }]);
    registry.says.set(cnpj(40), { active: false });
    now += 6 * HOUR_MS;
    await checks.check('BR', NEVER);
    expect((await published()).map(([taxId]) => taxId)).toEqual([cnpj(40)]);
    expect(await quarantine.release({ source: 'CEIS' })).toBe(20);
    expect((await published()).slice(1)).toEqual(companiesOf(20).map(({ taxId }) => [taxId, 'CEIS', debarment(0, 1)]));
  });

  it('are not published again for discarded entries while the list repeats them', async () => {
    const { publish, checks, quarantine } = await setup();
    await watch(db.knex, companiesOf(50), { now });
    await checks.check('BR', NEVER);
    const mass = Array.from({ length: 20 }, (_, n) => penalty(n));
    await publish(...mass);
    expect(await quarantine.discard({ companies: companiesOf(20).map(({ taxId }) => brazilian(taxId)) })).toBe(20);
    await publish(...mass, penalty(30));
    expect(await published()).toEqual([[cnpj(30), 'CEIS', debarment(0, 1)]]);
    await publish();
    await publish(penalty(0));
    expect((await published()).slice(1)).toEqual([
      [cnpj(30), 'CEIS', debarment(1, 0)],
      [cnpj(0), 'CEIS', debarment(0, 1)],
    ]);
  });
});
