import { randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../src/auth/api-keys/keys.ts';
import { usageCommand } from '../../src/cli/usage.ts';
import type { ModuleName } from '../../src/domain/catalogue.ts';
import { createPlans } from '../../src/metering/plans.ts';
import { insertUsage } from '../../src/metering/store/usage-records.ts';
import { usageRecordOf } from '../../src/metering/usage-records.ts';
import { runCommand, SECRET } from '../support/command.ts';
import { type TestDb, testDb } from '../support/db.ts';

let database: TestDb;
let acme: string;
let evil: string;
beforeAll(async () => {
  database = await testDb();
  const keys = createKeys({ db: database.knex, now: Date.now, secret: SECRET });
  acme = (await keys.create({ name: 'acme', modules: ['compliance_br', 'kyb'] })).id;
  evil = (await keys.create({ name: '=1+1,"evil"', modules: ['kyb'] })).id;
  const use = (keyId: string, module: ModuleName, n: number) =>
    Array.from({ length: n }, (_, i) =>
      usageRecordOf({ keyId, requestId: randomUUID(), startedAt: Date.UTC(2026, 4, 31) }, module, `${i}`),
    );
  await insertUsage(database.knex, [...use(acme, 'compliance_br', 503), ...use(acme, 'kyb', 2), ...use(evil, 'kyb', 1)]);
});
afterAll(() => database.close());

const run = (...args: readonly string[]) => runCommand(database, usageCommand, ['usage', ...args], { planOf: createPlans() });

describe('quipu usage', () => {
  it('prints the usage and the total amount of an account as text', async () => {
    const { out, err, code } = await run('--month', '2026-05', '--account', 'acme');
    expect([err, code]).toEqual(['', 0]);
    expect(out).toMatch(/acme\s+acme …\w{4}\s+compliance_br\s+500\s+503\s+3\s+0\.90 USD/);
    expect(out).toMatch(/acme\s+acme …\w{4}\s+kyb\s+no limit\s+2\s+0\s+0\.00 USD/);
    expect(out).toMatch(/2026-05: 0\.90 USD in all\.\n$/);
    expect(out).not.toMatch(/evil/);
  });

  it('prints JSON with amounts as text', async () => {
    const { out } = await run('--month', '2026-05', '--key', acme.slice(0, 13), '--json');
    expect(JSON.parse(out)).toEqual({
      month: '2026-05',
      usage: [
        expect.objectContaining({ key_id: acme, module: 'compliance_br', included: 500, used: 503, overage: 3, amount: '0.90' }),
        expect.objectContaining({ module: 'kyb', included: null, used: 2, overage_price: null, amount: '0.00', currency: 'USD' }),
      ],
      total_amount: '0.90',
      currency: 'USD',
    });
  });

  it('prints CSV of every key, with an apostrophe before a name that starts with =', async () => {
    const { out } = await run('--month', '2026-05', '--csv');
    const rows: Record<string, string>[] = parse(out, { columns: true });
    expect(rows.map(({ key_id, module, included, used, amount }) => [key_id, module, included, used, amount])).toEqual([
      [acme, 'compliance_br', '500', '503', '0.90'],
      [acme, 'kyb', '', '2', '0.00'],
      [evil, 'kyb', '', '1', '0.00'],
    ]);
    expect(rows[2]?.key_name).toBe(`'=1+1,"evil"`);
  });

  it('prints a sentence when nothing was used', async () => {
    expect((await run('--month', '2020-01')).out).toBe('Nothing was used in 2020-01.\n');
    expect((await run()).out).toMatch(/^Nothing was used in \d{4}-\d{2}\.\n$/);
    expect((await run('--month', '2020-01', '--csv')).out.split('\r\n').length).toBe(2);
  });

  it.each([
    [['--month', 'May'], /is no month/],
    [['--key', 'ffffffff'], /no such key/],
    [['--key', 'acme'], /by its id/],
    [['--account', 'nobody'], /There is no account/],
    [['--key', 'ffffffff', '--account', 'acme'], /not both/],
  ])('refuses %j with one line', async (args, message) => {
    const { out, err, code, open } = await run(...args);
    expect([out, code, open, err.trim().split('\n').length]).toEqual(['', 1, 0, 1]);
    expect(err).toMatch(message);
  });
});
