import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { accountsCommand } from '../../src/cli/accounts.ts';
import { directUrlOf } from '../../src/db/knex.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { append } from '../modules/monitor/feed-support.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { runCommand } from '../support/command.ts';
import type { TestDb } from '../support/db.ts';
import { dumpDatabase } from '../support/dump.ts';

const { cnpj } = companyByScenario('clean');
const HOST = 'hooks.customer-to-erase.example';
const MAIL = 'person@customer-to-erase.example';

/** A customer with data. One customer is erased, the other is not. */
interface Customer {
  readonly key: string;
  readonly id: string;
  readonly accountId: string;
}

let app: TestApp;
let gone: Customer;
let stays: Customer;
const accounts = (...args: readonly string[]) =>
  runCommand({ url: directUrlOf(app.db) } as TestDb, accountsCommand, ['accounts', ...args], {});

async function customer(name: string, email: string, host: string): Promise<Customer> {
  const { out } = await accounts('create', '--name', name, '--email', email, '--json');
  const { key, id } = await app.keys.create({ name: `${name} key`, modules: MODULES, account: name });
  const headers = { 'x-api-key': key, 'idempotency-key': `${name}-1` };
  const kyb = await app.server.inject({ method: 'POST', url: '/v1/kyb', headers, payload: { identifier: cnpj, country: 'BR' } });
  expect(kyb.statusCode).toBe(200);
  const monitor = await app.post(
    '/v1/monitor/subscriptions',
    { identifiers: [cnpj], country: 'BR', webhook_url: `https://${host}/in` },
    key,
  );
  expect(monitor.status).toBeLessThan(300);
  await append(app.db, 3, { keyId: id, monitorId: (await app.db('monitors').where({ key_id: id }).first()).id });
  const accountId = JSON.parse(out).id;
  const at = new Date();
  const person = { email, language: 'es', time_zone: 'America/Bogota', hour: 7, every_day: false, created_at: at, invited_at: at };
  await app.db('mail_subscriptions').insert({ id: randomUUID(), account_id: accountId, key_id: id, ...person });
  return { key, id, accountId };
}

beforeAll(async () => {
  app = await testApp();
  gone = await customer('customer-to-erase', MAIL, HOST);
  stays = await customer('customer-who-stays', 'person@stays.example', 'hooks.stays.example');
});
afterAll(() => app.close());

describe('PR-03 the data of a customer', () => {
  it('PR-03 is exported without hashes of keys and secrets of webhooks', async () => {
    await app.drainUsage();
    const { out, code } = await accounts('export', 'customer-to-erase');
    const data = JSON.parse(out);
    expect(code).toBe(0);
    expect(data.accounts).toMatchObject([{ id: gone.accountId, email: MAIL }]);
    expect(data.api_keys).toMatchObject([{ id: gone.id }]);
    expect(data.mail_subscriptions).toMatchObject([{ email: MAIL }]);
    expect(data.monitors).toMatchObject([{ webhook_url: `https://${HOST}/in` }]);
    expect([data.monitor_companies, data.changes, data.usage_events, data.idempotency_keys].map((rows) => rows.length)).toEqual([
      1, 3, 1, 1,
    ]);
    expect(out).not.toMatch(/"(hash|secret|body)"|stays/);
  });

  it('PR-03 is not erased without --yes, nor while a key is valid', async () => {
    expect((await accounts('erase', 'customer-to-erase')).out).toMatch(/^Nothing was erased/);
    expect(JSON.parse((await accounts('erase', 'customer-to-erase', '--json')).out)).toMatchObject({
      name: 'customer-to-erase',
      erased: false,
    });
    expect(await accounts('erase', 'customer-to-erase', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/revoke every key/),
    });
    expect(await accounts('erase', 'nobody', '--yes')).toMatchObject({ code: 1, err: expect.stringMatching(/no account/) });
    expect(await app.db('monitors').where({ key_id: gone.id })).toHaveLength(1);
  });

  it('PR-03 is erased except for usage totals and the audit entry, and data of another customer stays', async () => {
    await app.keys.revoke(gone.id);
    await app
      .db('api_keys')
      .where({ id: gone.id })
      .update({ revoked_at: new Date(Date.now() - HOUR_MS) });
    expect(await accounts('erase', 'customer-to-erase', '--yes')).toMatchObject({ code: 0, out: expect.stringMatching(/^Erased account/) });

    const dump = await dumpDatabase(app.db);
    expect(dump).not.toMatch(/customer-to-erase/);
    expect(dump).not.toContain(gone.id);
    expect(await app.db('erased_usage')).toMatchObject([{ account_id: gone.accountId, module: 'kyb', used: '1' }]);
    expect(await app.db('audit_log').where({ subject: gone.accountId })).toMatchObject([{ action: 'account.erased' }]);

    const left = await accounts('export', 'customer-who-stays');
    expect(JSON.parse(left.out)).toMatchObject({
      monitors: [{}],
      monitor_companies: [{}],
      changes: [{}, {}, {}],
      usage_events: [{}],
      mail_subscriptions: [{}],
    });
    expect(await app.db('watched_companies')).toHaveLength(1);
    expect((await app.post('/v1/kyb', { identifier: cnpj, country: 'BR' }, stays.key)).status).toBe(200);
  });
});
