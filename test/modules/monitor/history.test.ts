import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { appendChanges } from '../../../src/modules/monitor/store/change-log.ts';
import { dueKeys, savePortfolioDay } from '../../../src/modules/monitor/store/portfolio-days.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { data, subscribe } from './api-requests.ts';
import { append, change, OWN } from './feed-support.ts';
import { brazilian, cnpj, deleteMonitors } from './support.ts';

const CHANGES = 'query ($days: Int!) { changeHistory(days: $days) { day field changes } }';
const LEVELS = 'query ($days: Int!) { portfolioHistory(days: $days) { day isMadeUp groups { riskLevel completeness companies } } }';
const NOON = Date.parse('2026-11-21T12:00:00Z');

let now = NOON;
let app: TestApp;
let keyId: string;
beforeAll(async () => {
  app = await testApp({ now: () => now });
  keyId = (await app.db('api_keys').first('id')).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  now = NOON;
  await deleteMonitors(app.db);
  await app.db('change_days').delete();
  await app.db('portfolio_days').delete();
  await app.db('portfolio_attempts').delete();
});

const history = async (query: string, days = 84, key = app.key) => {
  const { changeHistory, portfolioHistory } = await data(app, query, { days }, key);
  return changeHistory ?? portfolioHistory;
};
const status = (to: string) => ({ field: 'status', from: 'active', to }) as const;
const purge = () => app.open(monitorService).purge();

describe('the numbers of changes by day', () => {
  it('count each field of a change on its day in UTC', async () => {
    await append(app.db, 2, { keyId, detectedAt: Date.parse('2026-11-19T23:59:59Z'), fields: [status('inactive')] });
    await append(app.db, 1, {
      keyId,
      detectedAt: Date.parse('2026-11-20T00:00:01Z'),
      fields: [status('inactive'), { field: 'owners', from: '', to: 'A' }],
    });
    await append(app.db, 1, { keyId, detectedAt: Date.parse('2026-11-20T10:00:00Z'), fields: [status('active')] });
    expect(await history(CHANGES)).toEqual([
      { day: '2026-11-19', field: 'STATUS', changes: 2 },
      { day: '2026-11-20', field: 'OWNERS', changes: 1 },
      { day: '2026-11-20', field: 'STATUS', changes: 2 },
    ]);
  });

  it('count a change once that several monitors of the key report', async () => {
    const observationId = '00000000-0000-4000-8000-0000000000aa';
    await app.db.transaction(async (trx) => {
      const reported = ['0a', '0b'].map((end) =>
        change({ keyId, observationId, detectedAt: now, monitorId: `${OWN.slice(0, -2)}${end}`, company: brazilian(cnpj(1)) }),
      );
      await appendChanges(trx, reported);
    });
    expect(await history(CHANGES)).toEqual([{ day: '2026-11-21', field: 'STATUS', changes: 1 }]);
  });

  it('are those of the key, of the days that it asks for, and stay when the change log is purged', async () => {
    await append(app.db, 1, { keyId, detectedAt: now - 30 * DAY_MS });
    await append(app.db, 3, { keyId, detectedAt: now });
    await append(app.db, 5, { detectedAt: now });
    await purge();
    expect((await app.db('changes').where({ key_id: keyId })).length).toBe(3);
    expect(await history(CHANGES)).toMatchObject([{ changes: 1 }, { changes: 3 }]);
    expect(await history(CHANGES, 30)).toMatchObject([{ changes: 3 }]);
    expect(await history(CHANGES, 1)).toMatchObject([{ changes: 3 }]);
  });

  it('are deleted after 400 days', async () => {
    await append(app.db, 1, { keyId, detectedAt: now });
    now += 399 * DAY_MS;
    await purge();
    expect(await history(CHANGES, 400)).toHaveLength(1);
    now += 2 * DAY_MS;
    await purge();
    expect(await app.db('change_days')).toEqual([]);
  });

  it.each([0, -1, 401])('are refused for %d days', async (days) => {
    const { body } = await app.query(CHANGES, { days });
    expect([body.data.changeHistory, body.errors[0].extensions]).toMatchObject([null, { code: 'INVALID_INPUT', field: 'days' }]);
  });

  it('need the module monitor, as the levels do', async () => {
    const key = await app.keyFor('kyb');
    for (const query of [CHANGES, LEVELS])
      expect((await app.query(query, { days: 7 }, key)).body.errors[0].extensions.code).toBe('MODULE_NOT_ENABLED');
  });
});

/** Runs `work` while every source of the consolidated check of Brazil fails. */
async function withoutSources(work: () => Promise<void>): Promise<void> {
  for (const mirror of ['receita_federal', 'opencnpj'] as const) app.sandbox?.faults.set(mirror, { mode: 'html_404' });
  await app.db.raw('ALTER TABLE registry_entries RENAME TO registry_entries_away');
  try {
    await work();
  } finally {
    await app.db.raw('ALTER TABLE registry_entries_away RENAME TO registry_entries');
    app.sandbox?.faults.clear();
  }
}

describe('the levels of a portfolio', () => {
  const record = () => app.open(monitorService).levels.record(AbortSignal.timeout(60_000));
  const brazil = (...scenarios: readonly string[]) => scenarios.map((scenario) => companyByScenario(scenario).cnpj);
  const due = async (at: number, day = '2026-11-21') => (await dueKeys(app.db, { day, now: at })).map((key) => key.keyId);
  const groups = (day: { groups: readonly { riskLevel: string; completeness: string; companies: number }[] }) =>
    Object.fromEntries(day.groups.map(({ riskLevel, completeness, companies }) => [`${riskLevel} ${completeness}`, companies]));

  it('are recorded once a day, for the companies that the key watches at that time, and count no usage', async () => {
    await subscribe(app, { identifiers: brazil('clean', 'sanctioned') });
    await record();
    now += DAY_MS;
    await subscribe(app, { identifiers: brazil('clean', 'labor-listed') });
    await record();
    await record();
    const days = await history(LEVELS);
    expect(days.map(({ day, isMadeUp }: { day: string; isMadeUp: boolean }) => [day, isMadeUp])).toEqual([
      ['2026-11-21', false],
      ['2026-11-22', false],
    ]);
    expect(days.map(groups)).toEqual([
      { 'LOW COMPLETE': 1, 'HIGH COMPLETE': 1 },
      { 'LOW COMPLETE': 1, 'HIGH COMPLETE': 2 },
    ]);
    await app.drainUsage();
    expect(await app.db('usage_counters').where({ key_id: keyId, module: 'compliance_br' })).toEqual([]);
  });

  it('are none for companies of a country whose consolidated check the key does not have', async () => {
    const { key } = await app.keys.create({ name: 'only Brazil', modules: ['monitor', 'compliance_br'] });
    await subscribe(app, { identifiers: brazil('clean') }, key);
    await subscribe(app, { identifiers: [chileanByScenario('cl-clean').rut], country: 'CL' }, key);
    await record();
    expect((await history(LEVELS, 7, key)).map(groups)).toEqual([{ 'LOW COMPLETE': 1, 'null null': 1 }]);
    expect(await due(now + 10 * HOUR_MS)).toEqual([]);
    expect(await history(LEVELS)).toEqual([]);
  });

  it('are taken again later on the day, with growing waits, while a source may still give a level', async () => {
    await subscribe(app, { identifiers: brazil('homonym', 'debarred-both') });
    await withoutSources(async () => {
      for (const hours of [1, 2, 4]) {
        await record();
        expect((await history(LEVELS)).map(groups)).toEqual([{ 'null null': 2 }]);
        expect(await due(now + hours * HOUR_MS - 1)).toEqual([]);
        expect(await due(now + hours * HOUR_MS)).toEqual([keyId]);
        now += hours * HOUR_MS;
      }
    });
    await record();
    expect((await history(LEVELS)).map(groups)).toEqual([{ 'LOW COMPLETE': 1, 'MEDIUM COMPLETE': 1 }]);
    expect(await due(now)).toEqual([]);
  });

  it('are taken five times a day at most', async () => {
    const snapshot = { day: '2026-11-21', groups: [{ riskLevel: null, completeness: null, companies: 1 }], isMadeUp: false };
    await subscribe(app, { identifiers: brazil('clean') });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(await due(now + 8 * HOUR_MS)).toEqual([keyId]);
      await savePortfolioDay(app.db, keyId, { ...snapshot, canImprove: true, now });
    }
    expect(await due(now + 11 * HOUR_MS)).toEqual([]);
    expect(await due(now, '2026-11-22')).toEqual([keyId]);
  });

  it('stay when a later snapshot of the day has fewer levels, and give way to one with more', async () => {
    const save = (known: number, unknown: number, completeness: 'complete' | 'partial' = 'complete') =>
      savePortfolioDay(app.db, keyId, {
        day: '2026-11-21',
        groups: [
          { riskLevel: 'low' as const, completeness, companies: known },
          { riskLevel: null, completeness: null, companies: unknown },
        ].filter(({ companies }) => companies > 0),
        isMadeUp: false,
        canImprove: true,
        now,
      });
    await save(2, 1);
    for (const worse of [() => save(1, 2), () => save(0, 3), () => save(1, 0), () => save(2, 1, 'partial')]) {
      await worse();
      expect((await history(LEVELS)).map(groups)).toEqual([{ 'LOW COMPLETE': 2, 'null null': 1 }]);
    }
    await save(3, 0);
    expect((await history(LEVELS)).map(groups)).toEqual([{ 'LOW COMPLETE': 3 }]);
  });

  it('are no levels of a key that is revoked, or that watches nothing', async () => {
    const { key, id } = await app.keys.create({ name: 'revoked', modules: ['monitor', 'compliance_br'] });
    await subscribe(app, { identifiers: brazil('clean') }, key);
    await app.keys.revoke(id);
    now += DAY_MS;
    await record();
    expect(await app.db('portfolio_days')).toEqual([]);
  });

  it('are made up for a sandbox only before it has one, and say so', async () => {
    const { levels } = app.open(monitorService);
    const day = { groups: [{ riskLevel: 'low', completeness: 'complete', companies: 3 }], isMadeUp: true } as const;
    await levels.seed(keyId, [{ day: '2026-11-20', ...day }]);
    await levels.seed(keyId, [{ day: '2026-11-19', ...day }]);
    expect(await history(LEVELS)).toEqual([
      { day: '2026-11-20', isMadeUp: true, groups: [{ riskLevel: 'LOW', completeness: 'COMPLETE', companies: 3 }] },
    ]);
  });
});
