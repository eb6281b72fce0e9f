import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/domain/time.ts';
import { wrongCounters } from '../../../src/metering/store/usage-counters.ts';
import { screeningService } from '../../../src/modules/screening/service/screening.ts';
import { type ClaimedScreening, claimScreening, extendLease, lockClaimed } from '../../../src/modules/screening/store/batches.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithFaults, type FaultyApp } from '../../support/app-with-faults.ts';
import { call } from '../monitor/api-requests.ts';
import { counted, START, start, unknownCnpjs, work } from './support.ts';

let now = Date.parse('2026-11-22T10:00:00Z');
/** Advances with each look, so that the order of events can be read from their times. */
const clock = () => {
  now += 1;
  return now;
};
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ now: clock });
});
afterAll(() => app.close());
beforeEach(async () => {
  now += HOUR_MS;
  await app.db('screenings').delete();
  await app.drainUsage();
  await app.db('usage_counters').delete();
  await app.db('usage_events').delete();
});

const statusOf = async (id: string, key = app.key) => (await call(app, 'GET', `${START}/${id}`, key)).body;

describe('the runner', () => {
  it('counts each company once when several processes work at the same time', async () => {
    const id = await start(app, unknownCnpjs(1_100), { modules: ['sanctions'] });
    await Promise.all([work(app), work(app), work(app)]);
    expect(await statusOf(id)).toMatchObject({ state: 'done', done: 1_100, failed: 0 });
    expect(await counted(app)).toEqual({ sanctions: 1_100 });
    expect(await wrongCounters(app.db, ['2026-11'])).toEqual([]);
  });

  it('fails the one company whose result the database refuses, and settles the others', async () => {
    const [odd = '', ...others] = unknownCnpjs(40, 53);
    await app.db.raw(`CREATE FUNCTION refuse_odd() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.tax_id = '${odd}' AND NEW.state = 'answered' THEN RAISE 'refused' USING ERRCODE = '22P05'; END IF; RETURN NEW; END $$`);
    await app.db.raw('CREATE TRIGGER refuse_odd BEFORE UPDATE ON screening_companies FOR EACH ROW EXECUTE FUNCTION refuse_odd()');
    const id = await start(app, [...others, odd], { modules: ['sanctions'] });
    await work(app);
    expect(await statusOf(id)).toMatchObject({ state: 'done', done: 39, failed: 1 });
    expect(await app.db('screening_companies').where({ tax_id: odd }).first()).toMatchObject({
      state: 'failed',
      failed_modules: ['sanctions'],
    });
    expect(await counted(app)).toEqual({ sanctions: 39 });
    await app.db.raw('DROP FUNCTION refuse_odd() CASCADE');
  });

  it('loses its claim of a screening when another process takes it over after the lease', async () => {
    await start(app, unknownCnpjs(1), { modules: ['sanctions'] });
    const claim = (lease: string, at: number) => claimScreening(app.db, { now: at, lease, until: at + 40 * SECOND_MS });
    const early = await claim('00000000-0000-4000-8000-000000000001', now);
    expect(await claim('00000000-0000-4000-8000-000000000002', now)).toBeNull();
    const late = await claim('00000000-0000-4000-8000-000000000002', now + 60 * SECOND_MS);
    if (!early || !late) throw new Error('the screening was not claimed');
    const holds = (one: ClaimedScreening) => app.db.transaction((trx) => lockClaimed(trx, one));
    expect([await holds(early), await extendLease(app.db, early, now)]).toEqual([false, false]);
    expect([await holds(late), await extendLease(app.db, late, now)]).toEqual([true, true]);
  });

  it('stores what is checked already when its process stops, and goes on in another', async () => {
    const id = await start(app, unknownCnpjs(400), { modules: ['sanctions'] });
    const stop = new AbortController();
    const working = work(app, stop.signal);
    stop.abort();
    await working;
    await work(app);
    expect(await statusOf(id)).toMatchObject({ state: 'done', done: 400, failed: 0 });
    expect(await counted(app)).toEqual({ sanctions: 400 });
  });

  it('serves accounts in turn: a small screening is done before a large one that began earlier', async () => {
    const { key: other } = await app.keys.create({ name: 'another customer', modules: ['screening', 'sanctions'] });
    const large = await start(app, unknownCnpjs(1_600), { modules: ['sanctions'] });
    const second = await start(app, unknownCnpjs(1_600, 51), { modules: ['sanctions'] });
    const small = await start(app, unknownCnpjs(5, 52), { modules: ['sanctions'] }, other);
    await work(app);
    const ends = await Promise.all([statusOf(small, other), statusOf(large), statusOf(second)]);
    expect(ends.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    const served = await app.db('screenings').orderBy('finished_at').pluck('total');
    expect(served[0]).toBe(5);
  });

  it('cancels the screenings of a revoked key', async () => {
    const { key, id: keyId } = await app.keys.create({ name: 'gone', modules: ['screening', 'sanctions'] });
    await start(app, unknownCnpjs(5), {}, key);
    await app.keys.revoke(keyId);
    await app.open(screeningService).runner.tick();
    await work(app);
    expect(await app.db('screenings').pluck('state')).toEqual(['cancelled']);
    expect(await counted(app)).toEqual({});
  });

  it('deletes a finished screening after its time, and no other', async () => {
    await start(app, unknownCnpjs(5));
    await work(app);
    now += 30 * DAY_MS - HOUR_MS;
    const screening = app.open(screeningService);
    const waiting = await start(app, unknownCnpjs(5));
    await screening.purge();
    expect(await app.db('screenings')).toHaveLength(2);
    now += 2 * HOUR_MS;
    await screening.purge();
    expect(await app.db('screening_companies')).toHaveLength(5);
    expect(await statusOf(waiting)).toMatchObject({ state: 'queued' });
  });
});

describe('a screening whose sources fail', () => {
  let faulty: FaultyApp;
  beforeAll(async () => {
    faulty = await appWithFaults({ receita_federal: 'status_500' });
  });
  afterAll(() => faulty.close());
  beforeEach(() => faulty.db('usage_counters').delete());

  /** Makes every attempt that waits for its time. */
  async function workToTheEnd(): Promise<number> {
    for (let attempts = 1; ; attempts += 1) {
      await work(faulty);
      const pending = await faulty
        .db('screening_companies')
        .where({ state: 'pending' })
        .update({ due_at: new Date(0) });
      if (pending === 0) return attempts;
      await faulty
        .db('screenings')
        .whereNull('finished_at')
        .update({ due_at: new Date(0) });
    }
  }

  it('checks a company three times, and then names the modules that failed', async () => {
    const identifiers = [companyByScenario('debarred-ceis').cnpj, chileanByScenario('cl-clean').rut];
    const id = await start(faulty, identifiers, { modules: ['kyb', 'debarment'] });
    expect(await workToTheEnd()).toBe(3);
    expect((await call(faulty, 'GET', `${START}/${id}`)).body).toMatchObject({ state: 'done', done: 2, failed: 0 });
    const { results } = (await call(faulty, 'GET', `${START}/${id}/results`)).body;
    expect(results).toMatchObject([
      { row: 1, is_debarred: true, registration_status: null, failed_modules: ['kyb'] },
      { row: 2, is_debarred: null, registration_status: 'active', failed_modules: [] },
    ]);
    expect(await counted(faulty)).toEqual({ debarment: 1, kyb: 1 });
  });

  it('counts a company without any answer as failed, and bills nothing for it', async () => {
    const id = await start(faulty, [companyByScenario('clean').cnpj], { modules: ['kyb'] });
    await workToTheEnd();
    expect((await call(faulty, 'GET', `${START}/${id}`)).body).toMatchObject({ state: 'done', done: 0, failed: 1 });
    const { results } = (await call(faulty, 'GET', `${START}/${id}/results`)).body;
    expect(results).toMatchObject([{ row: 1, company_name: null, failed_modules: ['kyb'] }]);
    expect(await counted(faulty)).toEqual({});
  });
});
