import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditLog } from '../../src/audit/audit-log.ts';
import { type Accounts, createAccounts } from '../../src/auth/accounts/accounts.ts';
import { createKeys, type Keys } from '../../src/auth/api-keys/keys.ts';
import { migrate } from '../../src/db/migrations.ts';
import { type TestDb, testDb } from '../support/db.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const SECRET = 'a secret of the tests';
const now = () => NOON;

let database: TestDb;
let accounts: Accounts;
let keys: Keys;
beforeEach(async () => {
  database = await testDb();
  accounts = createAccounts({ db: database.knex, now, actor: 'operator ana' });
  keys = createKeys({ db: database.knex, now, secret: SECRET, actor: 'operator ana' });
});
afterEach(() => database.close());

describe('an account', () => {
  it('owns the keys that are created for its name, its id or a prefix of its id', async () => {
    const { id } = await accounts.create({ name: ' Acme ', email: 'keys@acme.example' });
    for (const account of ['Acme', id, id.slice(0, 8)]) await keys.create({ name: 'reports', modules: ['kyb'], account });
    expect((await keys.list()).map(({ accountId, account }) => [accountId, account])).toEqual(Array(3).fill([id, 'Acme']));
    expect(await accounts.list()).toEqual([
      {
        id,
        name: 'Acme',
        email: 'keys@acme.example',
        createdAt: NOON,
        needsApproval: false,
        lists: { answers: [], verdicts: [] },
        keys: 3,
      },
    ]);
  });

  it('is created once when eight keys without an account are created at the same time under one name', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => keys.create({ name: 'acme', modules: ['kyb'] })));
    expect(new Set(made.map(({ accountId }) => accountId)).size).toBe(1);
    expect(await accounts.list()).toMatchObject([{ name: 'acme', email: null, keys: 8 }]);
  });

  it('does not count revoked keys', async () => {
    const { id } = await keys.create({ name: 'acme', modules: ['kyb'] });
    await keys.revoke(id);
    expect(await accounts.list()).toMatchObject([{ name: 'acme', keys: 0 }]);
  });

  it('changes only the given fields, and keeps its keys', async () => {
    const { accountId, id } = await keys.create({ name: 'acme', modules: ['kyb'] });
    expect(await accounts.update('acme', { email: 'keys@acme.example' })).toMatchObject({ name: 'acme', email: 'keys@acme.example' });
    expect(await accounts.update('acme', { name: 'Acme SpA' })).toMatchObject({ id: accountId, email: 'keys@acme.example' });
    expect(await accounts.update(accountId, { email: null })).toMatchObject({ name: 'Acme SpA', email: null });
    expect(await keys.get(id)).toMatchObject({ account: 'Acme SpA', name: 'acme' });
  });

  it('has optional lists, which the callers of its keys have, and ignores names of a newer release', async () => {
    const { key } = await keys.create({ name: 'acme', modules: ['debarment'] });
    await accounts.update('acme', { lists: ['CEPIM'], verdictLists: ['CEPIM'] });
    await database.knex.raw(`UPDATE accounts SET lists = lists || '{LIST_OF_TOMORROW}'`);
    const restarted = createKeys({ db: database.knex, now, secret: SECRET });
    expect(await restarted.find(key)).toMatchObject({ lists: { answers: ['CEPIM'], verdicts: ['CEPIM'] } });
    await accounts.update('acme', { verdictLists: [] });
    expect(await accounts.get('acme')).toMatchObject({ lists: { answers: ['CEPIM'], verdicts: [] } });
  });

  it('is rejected without a name, with a name in use, and without a change', async () => {
    await accounts.create({ name: 'acme' });
    await accounts.create({ name: 'other' });
    await expect(accounts.create({ name: ' ' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(accounts.create({ name: 'acme' })).rejects.toThrow(/already/);
    await expect(accounts.update('other', { name: 'acme' })).rejects.toThrow(/already/);
    await expect(accounts.update('other', {})).rejects.toThrow(/Nothing to change/);
    expect((await accounts.list()).map(({ name }) => name)).toEqual(['acme', 'other']);
  });

  it.each(['nobody', 'ffffffff', '%', ''])('is unknown under "%s", and no key is created for it', async (account) => {
    await accounts.create({ name: 'acme' });
    await expect(keys.create({ name: 'reports', modules: ['kyb'], account })).rejects.toThrow(/There is no account/);
    expect(await keys.list()).toEqual([]);
  });

  it('AK-06 is recorded in the audit log without its mail address', async () => {
    const { id } = await accounts.create({ name: 'acme', email: 'ana@acme.example' });
    await accounts.update(id, { email: 'eva@acme.example' });
    const entries = await auditLog(database.knex, { since: 0 });
    expect(entries).toEqual([
      { at: NOON, actor: 'operator ana', action: 'account.created', subject: id, facts: {} },
      { at: NOON, actor: 'operator ana', action: 'account.changed', subject: id, facts: { fields: ['email'] } },
    ]);
  });
});

describe('keys created before the migration to accounts', () => {
  it('DB-07 stay valid with their ids, and keys with the same name share an account', async () => {
    const { knex } = database;
    const made = [];
    for (const name of ['acme', 'acme', 'other']) made.push(await keys.create({ name, modules: ['kyb'] }));
    await rollBackFrom('20261121000007_accounts', knex);
    expect(Object.keys(await knex('api_keys').first())).toEqual(expect.arrayContaining(['hash', 'last_four']));
    await migrate(knex);

    const restarted = createKeys({ db: knex, now, secret: SECRET });
    for (const { id, key } of made) expect(await restarted.find(key)).toMatchObject({ keyId: id, plan: 'standard' });
    expect(await accounts.list()).toMatchObject([
      { name: 'acme', keys: 2 },
      { name: 'other', keys: 1 },
    ]);
  });
});

/** Rolls back this migration and all later ones, the last one first. */
async function rollBackFrom(first: string, knex: Knex): Promise<void> {
  const folder = path.resolve(import.meta.dirname, '../../migrations');
  const names = (await readdir(folder)).map((file) => path.parse(file).name).filter((name) => name >= first);
  for (const name of names.sort().reverse()) await (await import(`../../migrations/${name}.ts`)).down(knex);
  await knex('knex_migrations').whereIn('name', names).delete();
}
