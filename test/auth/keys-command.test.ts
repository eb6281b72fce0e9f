import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeys } from '../../src/auth/api-keys/keys.ts';
import { keysCommand } from '../../src/cli/keys.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { runCommand, SECRET } from '../support/command.ts';
import { type TestDb, testDb } from '../support/db.ts';

let database: TestDb;
beforeAll(async () => {
  database = await testDb();
});
afterAll(() => database.close());

let unclosed: number;
beforeEach(async () => {
  unclosed = 0;
  await database.knex('api_keys').delete();
});

async function run(...args: readonly string[]) {
  const { open, ...said } = await runCommand(database, keysCommand, ['keys', ...args], {});
  unclosed += open;
  return said;
}

const serverKeys = () => createKeys({ db: database.knex, now: Date.now, secret: SECRET });

describe('quipu keys create', () => {
  it('prints one JSON object with --json, and its key has the requested modules', async () => {
    const { out, err, code } = await run('create', '--name', 'acme', '--modules', 'kyb,owners', '--json');
    expect({ err, code, lines: out.trim().split('\n').length }).toEqual({ err: '', code: 0, lines: 1 });
    const created = JSON.parse(out);
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: expect.stringMatching(/^sk_[0-9A-Za-z]{38}$/),
      name: 'acme',
      modules: ['kyb', 'owners'],
      expires_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/),
    });
    expect(await serverKeys().find(created.key)).toMatchObject({ keyId: created.id, modules: new Set(['kyb', 'owners']) });
  });

  it('prints the key once, with a notice', async () => {
    const { out } = await run('create', '--name', 'acme', '--modules', 'kyb');
    const [key = '', again] = out.match(/sk_[0-9A-Za-z]{38}/g) ?? [];
    expect(again).toBeUndefined();
    expect(out).toMatch(/only time the key is shown/);
    expect((await run('list')).out).not.toContain(key);
  });

  it('accepts all modules, and includes the given last day', async () => {
    const { out } = await run('create', '--name', 'acme', '--modules', 'all', '--expires', '2099-01-31', '--json');
    expect(JSON.parse(out)).toMatchObject({ modules: MODULES, expires_at: '2099-02-01T00:00:00+00:00' });
  });

  it.each([
    { args: ['--modules', 'kyb,ownerz'], says: /no module "ownerz".*compliance_br, compliance, enrich, kyb/ },
    { args: ['--modules', 'kyb', '--expires', '31/01/2099'], says: /no day; write YYYY-MM-DD/ },
    { args: ['--modules', 'kyb', '--expires', '2020-01-31'], says: /in the past/ },
  ])('rejects $args with a one-line error and exit code 1, and creates no key', async ({ args, says }) => {
    const { out, err, code } = await run('create', '--name', 'acme', ...args);
    expect(err).toMatch(says);
    expect({ out, code, lines: err.trim().split('\n').length }).toEqual({ out: '', code: 1, lines: 1 });
    expect(await serverKeys().list()).toEqual([]);
  });

  it('rejects a blank name', async () => {
    expect(await run('create', '--name', ' ', '--modules', 'kyb')).toMatchObject({
      out: '',
      code: 1,
      err: expect.stringContaining('name'),
    });
  });
});

describe('quipu keys list, update and revoke', () => {
  it('list shows the last four characters of a key', async () => {
    expect((await run('list')).out).toBe('There are no keys yet.\n');
    expect((await run('list', '--json')).out).toBe('[]\n');
    const { id, key, created_at } = JSON.parse((await run('create', '--name', 'acme', '--modules', 'kyb', '--json')).out);
    const last_four = key.slice(-4);

    const [head, ...rows] = (await run('list')).out.split('\n');
    expect(head?.split(/ {2,}/)).toEqual(['ID', 'KEY', 'NAME', 'STATE', 'MODULES', 'PLAN', 'LAST USE']);
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
      [id, `…${last_four}`, 'acme', 'expires never', 'kyb', 'standard', 'never used'],
      [''],
    ]);
    expect(JSON.parse((await run('list', '--json')).out)).toEqual([
      {
        ...{ id, name: 'acme', last_four, modules: ['kyb'], created_at, expires_at: null, revoked_at: null },
        ...{
          account: 'acme',
          role: 'administer',
          note: null,
          plan: 'standard',
          documents: 'any',
          incomplete: 'answer',
          last_used_at: null,
        },
      },
    ]);
  });

  it('update changes the modules and the expiry of a key', async () => {
    const { id } = JSON.parse((await run('create', '--name', 'acme', '--modules', 'kyb', '--json')).out);
    const { out } = await run('update', id.slice(0, 8), '--modules', 'owners', '--expires', '2099-12-31', '--json');
    expect(JSON.parse(out)).toMatchObject({ id, modules: ['owners'], expires_at: '2100-01-01T00:00:00+00:00' });
    expect(JSON.parse((await run('update', id, '--expires', 'never', '--json')).out)).toMatchObject({
      modules: ['owners'],
      expires_at: null,
    });
    expect((await run('update', id, '--modules', 'kyb')).out).toMatch(/Changed key .*kyb; expires never\. Effective within 5 seconds/);
    expect(await run('update', id)).toMatchObject({ code: 1, out: '' });
  });

  it('revoke makes a key invalid', async () => {
    const { id, key } = JSON.parse((await run('create', '--name', 'acme', '--modules', 'kyb', '--json')).out);
    expect((await run('revoke', id)).out).toMatch(/Revoked key .* Effective within 5 seconds/);
    expect(await serverKeys().find(key)).toBeNull();
    expect(JSON.parse((await run('revoke', id, '--json')).out)).toMatchObject({ id, revoked_at: expect.any(String) });
    expect((await run('list')).out).toContain('revoked 2');
  });

  it('reject an unknown id', async () => {
    expect(await run('revoke', 'ffffffff')).toEqual({ out: '', err: 'There is no such key.\n', code: 1 });
    expect(await run('update', 'what', '--modules', 'kyb')).toMatchObject({ code: 1 });
  });

  it('close the database after success and after an error', async () => {
    await run('list');
    await run('revoke', 'ffffffff');
    expect(unclosed).toBe(0);
  });
});
