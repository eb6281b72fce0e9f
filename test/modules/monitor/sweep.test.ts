import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/time.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { OWN } from '../../support/own-numbers.ts';
import { inFullRun } from '../../support/rounds.ts';
import { answer, type NodeOptions, node, type TestRegistry, testRegistry } from './registry.ts';
import { brazilian, changeLog, cnpj, companiesOf, deleteMonitors, watch } from './support.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

const START = Date.parse('2026-11-21T00:00:00Z');
let now: number;
let registry: TestRegistry;
const NEVER = new AbortController().signal;
const process = (options: Partial<NodeOptions> = {}) => {
  const { open, lines } = node({ db: db.knex, registry, now: () => now, ...options });
  return Object.assign(open(monitorService).checks, { lines });
};

beforeEach(async () => {
  await deleteMonitors(db.knex);
  now = START;
  registry = await testRegistry();
});

const claimed = async () => (await db.knex('watched_companies').whereNotNull('lease')).length;
const row = async (taxId = cnpj(0)) => db.knex('watched_companies').where({ tax_id: taxId }).first();

describe('a check', () => {
  it('MO-05 stores the first observation as the baseline and publishes nothing', async () => {
    await watch(db.knex, companiesOf(1), { now });
    await process().check('BR', NEVER);
    expect(await changeLog(db.knex)).toEqual([]);
    expect(await row()).toMatchObject({
      snapshot: { status: 'active', size: 'small', activity: 'Padaria' },
      checked_at: new Date(now),
      failures: 0,
      lease: null,
    });
  });

  it('publishes a change once to every monitor, with one delivery each', async () => {
    const checks = process();
    const monitors = [await watch(db.knex, companiesOf(2), { now }), await watch(db.knex, companiesOf(1), { now })];
    await checks.check('BR', NEVER);
    registry.says.set(cnpj(0), { active: false, porte: 'DEMAIS' });
    for (let round = 0; round < 3; round += 1) {
      now += 6 * HOUR_MS;
      await checks.check('BR', NEVER);
    }
    const log = await changeLog(db.knex);
    expect(log.map(({ monitorId }) => monitorId).sort()).toEqual([...monitors].sort());
    expect(log[0]).toMatchObject({
      company: brazilian(cnpj(0)),
      source: 'receita_federal',
      fields: [
        { field: 'status', from: 'active', to: 'inactive' },
        { field: 'size', from: 'small', to: 'large' },
      ],
      detectedAt: START + 6 * HOUR_MS,
    });
    expect(await db.knex('deliveries').select('change_id').orderBy('revision')).toEqual(log.map(({ id }) => ({ change_id: id })));
  });

  it('stores a text without characters that Postgres rejects, and stores the other changes too', async () => {
    const checks = process();
    await watch(db.knex, companiesOf(3), { now });
    await checks.check('BR', NEVER);
    registry.says.set(cnpj(0), { activity: 'Pada\0ria \ud800fina' });
    registry.says.set(cnpj(1), { activity: 'Sapataria' });
    now += 6 * HOUR_MS;
    await checks.check('BR', NEVER);
    const published = (await changeLog(db.knex)).map(({ company, fields }) => [company.taxId, fields[0]?.to]);
    expect(published.sort()).toEqual([
      [cnpj(0), 'Padaria \ufffdfina'],
      [cnpj(1), 'Sapataria'],
    ]);
  });

  it('goes on with the other companies when the database refuses what was observed of one, which is checked again soon', async () => {
    const checks = process();
    await watch(db.knex, companiesOf(3), { now });
    await checks.check('BR', NEVER);
    await db.knex.raw(`CREATE FUNCTION refuse_odd() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.snapshot ->> 'activity' = 'Odd' THEN RAISE 'refused' USING ERRCODE = '22P05'; END IF; RETURN NEW; END $$`);
    await db.knex.raw('CREATE TRIGGER refuse_odd BEFORE UPDATE ON watched_companies FOR EACH ROW EXECUTE FUNCTION refuse_odd()');
    registry.says.set(cnpj(0), { activity: 'Odd' });
    registry.says.set(cnpj(1), { activity: 'Sapataria' });
    now += 6 * HOUR_MS;
    await checks.check('BR', NEVER);
    await db.knex.raw('DROP FUNCTION refuse_odd() CASCADE');
    expect((await changeLog(db.knex)).map(({ company, fields }) => [company.taxId, fields[0]?.to])).toEqual([[cnpj(1), 'Sapataria']]);
    expect(await row(cnpj(0))).toMatchObject({ snapshot: { activity: 'Padaria' }, failures: 1, due_at: new Date(now + MINUTE_MS) });
    expect(await row(cnpj(2))).toMatchObject({ checked_at: new Date(now), failures: 0 });
  });

  it('MO-06 keeps the snapshot when the registry fails, and retries after a minute', async () => {
    const checks = process();
    await watch(db.knex, companiesOf(1), { now });
    await checks.check('BR', NEVER);
    const before = await row();
    registry.reply = () => ({ status: 500, body: {} });
    now = before.due_at.getTime();
    await checks.check('BR', NEVER);
    const after = await row();
    expect(after).toMatchObject({ snapshot: before.snapshot, checked_at: before.checked_at, anchor_at: before.anchor_at, failures: 1 });
    expect(after.due_at.getTime() - now).toBe(MINUTE_MS);
    registry.reply = null;
    now += MINUTE_MS;
    await checks.check('BR', NEVER);
    expect(await row()).toMatchObject({ failures: 0, checked_at: new Date(now) });
    expect(await changeLog(db.knex)).toEqual([]);
  });
});

describe('a large portfolio', () => {
  it('MO-07 of 500 is checked once per company, 16 companies at a time, by four simultaneous jobs', async () => {
    await watch(db.knex, companiesOf(500), { now });
    const checks = process();
    registry.delay = inFullRun(SECOND_MS, 30);
    const claims: Promise<number>[] = [];
    registry.reply = () => {
      if (registry.asked.length % 50 === 0) claims.push(claimed());
      return null;
    };
    await Promise.all([1, 2, 3, 4].map(() => checks.check('BR', NEVER)));
    expect([registry.asked.length, registry.calls().size]).toEqual([500, 500]);
    expect(registry.busiest).toBe(16);
    expect(Math.max(...(await Promise.all(claims)))).toBe(64);
    expect(await db.knex('watched_companies').whereNull('checked_at')).toEqual([]);
  }, 600_000);

  it('is left after the current batch when the process stops, and another process checks the rest', async () => {
    await watch(db.knex, companiesOf(200), { now });
    const stop = new AbortController();
    registry.reply = () => {
      stop.abort();
      return null;
    };
    await process().check('BR', stop.signal);
    expect(registry.asked).toHaveLength(64);
    await process().check('BR', NEVER);
    expect([registry.asked.length, registry.calls().size]).toEqual([200, 200]);
  });
});

describe('several processes', () => {
  it('MO-02 request each company once per window when several monitors share it', async () => {
    const companies = companiesOf(inFullRun(OWN['MO-02'].companies, 300));
    await watch(db.knex, companies, { now });
    for (let i = 1; i < inFullRun(OWN['MO-02'].monitors, 5); i += 1) await watch(db.knex, companies.slice(0, 100), { now });
    const processes = Array.from({ length: OWN['MO-02'].processes }, () => process());
    const windows = inFullRun(OWN['MO-02'].windows, 3);
    for (let round = 0; round < windows; round += 1) {
      now = START + round * 6 * HOUR_MS;
      await Promise.all(processes.map((checks) => checks.check('BR', NEVER)));
    }
    expect([...registry.calls().values()].filter((calls) => calls !== windows)).toEqual([]);
    expect(registry.calls().size).toBe(companies.length);
    expect(await changeLog(db.knex)).toEqual([]);
  }, 600_000);

  it('MO-03 check a company claimed by a killed process within a minute', async () => {
    await watch(db.knex, companiesOf(3), { now });
    await db
      .knex('watched_companies')
      .where({ tax_id: cnpj(0) })
      .update({ lease: '00000000-0000-4000-8000-000000000000', leased_until: new Date(now + 40 * SECOND_MS) });
    const checks = process();
    await checks.check('BR', NEVER);
    expect([...registry.calls().keys()].sort()).toEqual([cnpj(1), cnpj(2)]);
    now += MINUTE_MS;
    await checks.check('BR', NEVER);
    expect([...registry.calls()].sort()).toEqual([0, 1, 2].map((n) => [cnpj(n), 1]));
  });

  it('MO-06 leave the due companies to the others while the registry answers one of them nothing', async () => {
    await watch(db.knex, companiesOf(200), { now });
    const failed = async () => (await db.knex('watched_companies').where('failures', '>', 0)).length;
    const cutOff = process();
    registry.reply = () => ({ status: 500, body: {} });
    await cutOff.check('BR', NEVER);
    expect(await failed()).toBe(64);
    await cutOff.check('BR', NEVER);
    expect(await failed()).toBe(65);
    registry.reply = null;
    now += MINUTE_MS;
    await process().check('BR', NEVER);
    expect(await db.knex('watched_companies').whereNull('checked_at').orWhere('failures', '>', 0)).toEqual([]);
  });

  it('MO-06 check whole batches again once the registry answered one company', async () => {
    const checks = process();
    await watch(db.knex, companiesOf(1), { now });
    registry.reply = () => ({ status: 500, body: {} });
    await checks.check('BR', NEVER);
    registry.reply = null;
    now += MINUTE_MS;
    await watch(db.knex, companiesOf(200), { now });
    await checks.check('BR', NEVER);
    expect(await db.knex('watched_companies').whereNull('checked_at')).toEqual([]);
    expect(registry.busiest).toBe(16);
  });

  it('MO-04 discard the result of a check whose claim was lost meanwhile', async () => {
    await watch(db.knex, companiesOf(1), { now });
    const [frozen, other] = [process(), process()];
    await other.check('BR', NEVER);
    now = (await row()).due_at.getTime();
    const thaw = Promise.withResolvers<void>();
    const requested = Promise.withResolvers<void>();
    const old = JSON.stringify(answer(cnpj(0), { activity: 'Sapateiro de ontem' }));
    registry.says.set(cnpj(0), {
      reply: (_, response) => {
        requested.resolve();
        void thaw.promise.then(() => response.end(old));
      },
    });
    const held = frozen.check('BR', NEVER);
    await requested.promise;
    now += 41 * SECOND_MS;
    registry.says.set(cnpj(0), { activity: 'Sapataria' });
    await other.check('BR', NEVER);
    const settled = await row();
    thaw.resolve();
    await held;
    expect(await row()).toEqual(settled);
    expect(settled).toMatchObject({ failures: 0, snapshot: { activity: 'Sapataria' } });
    expect((await changeLog(db.knex)).map(({ fields }) => fields)).toEqual([[{ field: 'activity', from: 'Padaria', to: 'Sapataria' }]]);
  });
});
