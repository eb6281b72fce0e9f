import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/time.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { answer, node, type TestRegistry, testRegistry } from './registry.ts';
import { changeLog, cnpj, companiesOf, deleteMonitors, watch } from './support.ts';

const START = Date.parse('2026-11-21T00:00:00Z');
const NEVER = new AbortController().signal;
let db: TestDb;
let now: number;
let registry: TestRegistry;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await deleteMonitors(db.knex);
  now = START;
  registry = await testRegistry();
});

/** Creates `count` watched companies with their baseline, and functions that check them now or one interval later. */
async function watched(count: number) {
  const { open } = node({ db: db.knex, registry, now: () => now });
  await watch(db.knex, companiesOf(count), { now });
  const check = () => open(monitorService).checks.check('BR', NEVER);
  const checkLater = async () => {
    now += 6 * HOUR_MS;
    await check();
  };
  await checkLater();
  return { check, checkLater };
}
const snapshot = async (n: number) =>
  (
    await db
      .knex('watched_companies')
      .where({ tax_id: cnpj(n) })
      .first()
  ).snapshot;
const gone = (n: number) => ({ reply: { status: 404, body: { message: `CNPJ ${formatCnpj(cnpj(n))} não encontrado.` } } });
const loseSome = (count: number) => {
  for (let n = 0; n < count; n += 1) registry.says.set(cnpj(n), gone(n));
};
const heldReasons = async () => (await db.knex('held_changes').orderBy('tax_id')).map(({ reason }) => reason);
const published = async () => (await changeLog(db.knex)).map(({ company, fields }) => [company.taxId, fields[0]?.to]);

describe('a lost value', () => {
  it('is checked again after an hour, and published then, once', async () => {
    const { check, checkLater } = await watched(9);
    const regular = await db.knex('watched_companies').orderBy('tax_id').pluck('anchor_at');
    loseSome(1);
    await checkLater();
    expect([await heldReasons(), await published()]).toEqual([['blank'], []]);
    now += HOUR_MS - 1;
    await check();
    expect(registry.calls().get(cnpj(0))).toBe(2); // its baseline and the first check
    now += 1;
    await check();
    await checkLater();
    expect([await heldReasons(), await published()]).toEqual([[], [[cnpj(0), 'not_found']]]);
    expect(await snapshot(0)).toMatchObject({ status: 'not_found' });
    expect(await db.knex('watched_companies').orderBy('tax_id').pluck('anchor_at')).toEqual(regular);
  });

  it('is not published when the second check finds it again, and waits another hour when that finds another observation', async () => {
    const { check, checkLater } = await watched(9);
    loseSome(2);
    await checkLater();
    registry.says.delete(cnpj(0));
    registry.says.set(cnpj(1), { reply: { body: { ...answer(cnpj(1)), porte: 'NAO INFORMADO', codigo_porte: 0 } } });
    now += HOUR_MS;
    await check();
    expect([await heldReasons(), await published()]).toEqual([['blank'], []]);
    now += HOUR_MS;
    await check();
    expect((await changeLog(db.knex)).map(({ company, fields }) => [company.taxId, fields])).toEqual([
      [cnpj(1), [{ field: 'size', from: 'small', to: 'unknown' }]],
    ]);
  });

  it('is not published while the registry fails at the second check', async () => {
    const { check, checkLater } = await watched(9);
    loseSome(1);
    await checkLater();
    registry.reply = () => ({ status: 502, body: {} });
    now += HOUR_MS;
    await check();
    expect([await heldReasons(), await published()]).toEqual([['blank'], []]);
    registry.reply = null;
    now += HOUR_MS;
    await check();
    expect(await published()).toEqual([[cnpj(0), 'not_found']]);
  });

  it('of many companies waits for an operator, however often it is repeated', async () => {
    const { check, checkLater } = await watched(40);
    loseSome(20);
    await checkLater();
    now += HOUR_MS;
    await check();
    await checkLater();
    expect([await heldReasons(), await published()]).toEqual([Array(20).fill('share'), []]);
  });

  it('of many companies one after another waits for an operator, too', async () => {
    const { check, checkLater } = await watched(100);
    for (let n = 0; n < 12; n += 1) {
      registry.says.set(cnpj(n), gone(n));
      now += MINUTE_MS;
      await db
        .knex('watched_companies')
        .where({ tax_id: cnpj(n) })
        .update({ due_at: new Date(now) });
      await check();
    }
    expect(await heldReasons()).toEqual([...Array(9).fill('blank'), ...Array(3).fill('share')]);
    now += HOUR_MS;
    await check();
    await checkLater();
    expect([await heldReasons(), await published()]).toEqual([Array(12).fill('share'), []]);
  });
});
