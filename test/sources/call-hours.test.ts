import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { DAY_MS, HOUR_MS, isoWithOffset } from '../../src/domain/time.ts';
import { createCallHours } from '../../src/sources/call-hours/recorder.ts';
import { readSourceHours } from '../../src/sources/call-hours/store.ts';
import { createHttpPolicy } from '../../src/sources/http/policy.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

const HOUR = Date.parse('2026-11-21T12:00:00Z');

let db: TestDb;
let now: number;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  now = HOUR + 60_000;
  await db.knex('source_hours').delete();
});

function recorder(on = db.knex) {
  const { log, lines } = memoryLog();
  const callHours = createCallHours({ db: on, now: () => now, log });
  onTestFinished(() => callHours.close());
  return { callHours, lines };
}
const hours = (from = HOUR - 40 * DAY_MS) => readSourceHours(db.knex, 'receita_federal', from);

describe('the recorder of calls', () => {
  it('adds up calls, failures and durations of a source by hour', async () => {
    const { callHours } = recorder();
    const record = callHours.of('receita_federal');
    record(40, false);
    record(45, false);
    record(5_000, true);
    callHours.of('sii')(10, false);
    now += HOUR_MS;
    record(1, false);
    await callHours.flush();
    expect((await hours()).map(({ hour, calls, failed, durations }) => [hour, calls, failed, durations.reduce((a, b) => a + b)])).toEqual([
      [HOUR, 3, 1, 2],
      [HOUR + HOUR_MS, 1, 0, 1],
    ]);
    expect(await hours(HOUR + 1)).toHaveLength(1);
  });

  it('adds what several processes write about the same hour, at the same time, too', async () => {
    const processes = Array.from({ length: 4 }, () => recorder().callHours);
    for (const [i, callHours] of processes.entries())
      for (const source of i % 2 === 0 ? (['receita_federal', 'sii'] as const) : (['sii', 'receita_federal'] as const))
        callHours.of(source)(40, i === 3);
    await Promise.all(processes.map((callHours) => callHours.flush()));
    const [hour] = await hours();
    expect([hour?.calls, hour?.failed, Math.max(...(hour?.durations ?? []))]).toEqual([4, 1, 3]);
  });

  it('keeps what could not be written, and writes it with what follows', async () => {
    const { callHours } = recorder();
    const record = callHours.of('receita_federal');
    record(40, false);
    await db.knex.raw('ALTER TABLE source_hours RENAME TO source_hours_away');
    await expect(callHours.flush()).rejects.toThrow('source_hours');
    record(40, true);
    await db.knex.raw('ALTER TABLE source_hours_away RENAME TO source_hours');
    await callHours.flush();
    await callHours.flush();
    expect(await hours()).toMatchObject([{ calls: 2, failed: 1 }]);
  });

  it('keeps a limited number of hours while the database is away', async () => {
    const { callHours } = recorder();
    for (let i = 0; i < 700; i += 1) {
      for (const source of ['receita_federal', 'sii', 'dns'] as const) callHours.of(source)(1, false);
      now += HOUR_MS;
    }
    await callHours.flush();
    expect((await db.knex('source_hours').count())[0]).toEqual({ count: '2000' });
    expect((await hours())[0]?.hour).toBeGreaterThan(HOUR);
  });

  it('deletes hours after 30 days, and writes a last time when it is closed', async () => {
    const { callHours } = recorder();
    callHours.of('receita_federal')(1, false);
    await callHours.flush();
    now += 31 * DAY_MS;
    callHours.of('receita_federal')(1, false);
    await callHours.close();
    expect((await hours()).map(({ hour }) => hour)).toEqual([HOUR + 31 * DAY_MS]);
  });

  it('is called for calls that were sent: not for those that an open circuit breaker refuses', async () => {
    const calls: boolean[] = [];
    const policy = createHttpPolicy(() => now, { onCall: (_, failed) => calls.push(failed) });
    await policy.attempt(async () => 1);
    for (let i = 0; i < 15; i += 1) await policy.attempt(() => Promise.reject(new Error('away'))).catch(() => undefined);
    expect(calls).toEqual([false, ...Array(10).fill(true)]);
  });
});

describe('sourceHistory of GraphQL', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ now: () => now });
  });
  afterAll(() => app.close());
  const READ =
    'query ($source: SourceName!, $days: Int!, $hours: Int!) { sourceHistory(source: $source, days: $days, hours: $hours) { from calls failed medianMs slowMs } }';
  const read = async (variables: Record<string, unknown>, key = app.key) =>
    (await app.query(READ, { source: 'RECEITA_FEDERAL', days: 1, hours: 1, ...variables }, key)).body;

  it('has the calls that answered a request, and the syncs of a list, for a key with any module', async () => {
    const { cnpj } = companyByScenario('clean');
    expect((await app.post('/v1/kyb', { identifier: cnpj, country: 'BR' })).status).toBe(200);
    await app.flushCallHours();
    const key = await app.keyFor('tech');
    const { sources } = (await app.query('{ sources { name recentCalls { calls } } }')).body.data;
    const { recentCalls } = sources.find(({ name }: { name: string }) => name === 'RECEITA_FEDERAL');
    expect(recentCalls.calls).toBeGreaterThan(0);
    expect((await read({}, key)).data.sourceHistory).toEqual([
      { from: isoWithOffset(HOUR), ...recentCalls, failed: 0, medianMs: expect.any(Number), slowMs: expect.any(Number) },
    ]);
    expect((await read({ source: 'CEIS' })).data.sourceHistory).toMatchObject([{ calls: 1, failed: 0 }]);
    expect((await read({ source: 'RUES' })).data.sourceHistory).toEqual([]);
  });

  it('adds up the hours of a span, which begins at a multiple of its hours', async () => {
    await app.db('source_hours').delete();
    const hour = (at: string, calls: number, failed: number) => ({
      source: 'receita_federal',
      hour: at,
      calls,
      failed,
      durations: [calls - failed],
    });
    await app
      .db('source_hours')
      .insert([
        hour('2026-11-19T23:00:00Z', 100, 0),
        hour('2026-11-20T18:00:00Z', 5, 5),
        hour('2026-11-21T06:00:00Z', 2, 1),
        hour('2026-11-21T11:00:00Z', 3, 0),
      ]);
    expect((await read({ days: 1, hours: 6 })).data.sourceHistory).toEqual([
      { from: '2026-11-20T18:00:00+00:00', calls: 5, failed: 5, medianMs: null, slowMs: null },
      { from: '2026-11-21T06:00:00+00:00', calls: 5, failed: 1, medianMs: expect.any(Number), slowMs: expect.any(Number) },
    ]);
    expect((await read({ days: 2, hours: 24 })).data.sourceHistory).toMatchObject([{ calls: 5 }, { calls: 5 }]);
  });

  it.each([
    ['days', { days: 0 }],
    ['days', { days: 31 }],
    ['hours', { hours: 0 }],
    ['hours', { hours: 25 }],
  ])('refuses %s out of range: %j', async (field, variables) => {
    expect((await read(variables)).errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT', field });
  });
});
