import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import { repairDays, usedByDay } from '../../src/metering/store/usage-days.ts';
import { insertUsage, type UsageRow, voidUsage } from '../../src/metering/store/usage-records.ts';
import { usageRecordOf } from '../../src/metering/usage-records.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type TestDb, testDb } from '../support/db.ts';

const KEY = '00000000-0000-4000-8000-000000000001';
const uses = (at: string, count = 1, keyId = KEY): readonly UsageRow[] =>
  Array.from({ length: count }, () => usageRecordOf({ keyId, requestId: randomUUID(), startedAt: Date.parse(at) }, 'kyb', ''));

describe('the usage by day', () => {
  let db: TestDb;
  beforeAll(async () => {
    db = await testDb();
  });
  afterAll(() => db.close());
  beforeEach(() => db.knex.raw('TRUNCATE usage_events, usage_counters, usage_days'));
  const days = (from = '2026-10-01') => usedByDay(db.knex, KEY, from);

  it('is the sum of the rows of a day in UTC, and of the key', async () => {
    await insertUsage(db.knex, [...uses('2026-11-20T23:59:59.999Z', 2), ...uses('2026-11-21T00:00:00Z')]);
    await insertUsage(db.knex, [...uses('2026-11-21T09:00:00Z', 4), ...uses('2026-11-21T09:00:00Z', 5, randomUUID())]);
    expect(await days()).toEqual([
      { day: '2026-11-20', module: 'kyb', used: 2 },
      { day: '2026-11-21', module: 'kyb', used: 5 },
    ]);
    expect(await days('2026-11-21')).toHaveLength(1);
  });

  it('counts a row once that is written twice, and no longer a row that is voided', async () => {
    const rows = uses('2026-11-21T09:00:00Z', 3);
    await insertUsage(db.knex, rows);
    await insertUsage(db.knex, rows);
    expect(await days()).toMatchObject([{ used: 3 }]);
    await voidUsage(db.knex, rows.slice(0, 2));
    await voidUsage(db.knex, rows.slice(0, 2));
    expect(await days()).toMatchObject([{ used: 1 }]);
    await voidUsage(db.knex, rows.slice(2));
    expect(await days()).toEqual([]);
  });

  it('is computed again where it differs from its rows: those that the release before wrote, and days without rows', async () => {
    await insertUsage(db.knex, [
      ...uses('2026-10-31T23:00:00Z', 7),
      ...uses('2026-11-01T00:00:00Z', 2),
      ...uses('2026-11-30T23:59:59Z', 3),
    ]);
    await db.knex('usage_days').where({ day: '2026-11-30' }).delete();
    await db.knex('usage_days').where({ day: '2026-11-01' }).update({ used: 1 });
    await db.knex('usage_days').insert({ key_id: KEY, day: '2026-11-15', module: 'kyb', used: 9 });
    expect(await repairDays(db.knex, '2026-11')).toBe(3);
    expect(await days()).toEqual([
      { day: '2026-10-31', module: 'kyb', used: 7 },
      { day: '2026-11-01', module: 'kyb', used: 2 },
      { day: '2026-11-30', module: 'kyb', used: 3 },
    ]);
    expect(await repairDays(db.knex, '2026-11')).toBe(0);
  });

  it('is compared with its rows only while the days of the key do not add up to its counter', async () => {
    const [other, rows] = [randomUUID(), uses('2026-11-02T00:00:00Z', 4)];
    await insertUsage(db.knex, [...rows, ...uses('2026-11-02T00:00:00Z', 6, other)]);
    expect(await repairDays(db.knex, '2026-11')).toBe(0);
    await db.knex('usage_days').where({ key_id: other }).delete();
    expect(await repairDays(db.knex, '2026-11')).toBe(1);
    expect(await usedByDay(db.knex, other, '2026-11-01')).toMatchObject([{ used: 6 }]);
    expect(await days()).toMatchObject([{ used: 4 }]);
    await db.knex.raw('TRUNCATE usage_events');
    expect(await repairDays(db.knex, '2026-11')).toBe(0); // the days add up to the counters, so the rows are not read
  });

  it('is written by concurrent statements about the same days without a deadlock', async () => {
    const rows = ['2026-11-19', '2026-11-20', '2026-11-21'].flatMap((day) => uses(`${day}T10:00:00Z`));
    const keys = Array.from({ length: 4 }, () => randomUUID());
    const batch = () => keys.flatMap((keyId) => rows.map((row) => ({ ...row, id: randomUUID(), keyId }))).sort(() => Math.random() - 0.5);
    await Promise.all(Array.from({ length: 20 }, () => insertUsage(db.knex, batch())));
    expect((await db.knex('usage_days')).map(({ used }) => Number(used))).toEqual(Array(12).fill(20));
  });
});

describe('usageByDay of GraphQL', () => {
  let now = Date.parse('2026-11-20T10:00:00Z');
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ now: () => now });
  });
  afterAll(() => app.close());
  const READ = 'query ($days: Int!) { apiKey { usageByDay(days: $days) { day module used } } }';
  const kyb = (index: number, key: string) => app.post('/v1/kyb', { identifier: companies[index]?.cnpj, country: 'BR' }, key);

  it('has the answers of the key at once, those of today included, within the days that are asked for', async () => {
    const key = await app.keyFor('kyb');
    await kyb(0, key);
    now += DAY_MS;
    await kyb(0, key);
    await kyb(1, key);
    const read = async (days: number) => (await app.query(READ, { days }, key)).body.data.apiKey.usageByDay;
    expect(await read(31)).toEqual([
      { day: '2026-11-20', module: 'KYB', used: 1 },
      { day: '2026-11-21', module: 'KYB', used: 2 },
    ]);
    expect(await read(1)).toEqual([{ day: '2026-11-21', module: 'KYB', used: 2 }]);
  });

  it.each([0, 93])('refuses %d days', async (days) => {
    const { body } = await app.query(READ, { days });
    expect(body.errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT', field: 'days' });
  });
});
