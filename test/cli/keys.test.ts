import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeys } from '../../src/auth/api-keys/keys.ts';
import { createMailer } from '../../src/auth/mail.ts';
import { accountsCommand } from '../../src/cli/accounts.ts';
import { keysCommand } from '../../src/cli/keys.ts';
import type { Mailer } from '../../src/domain/mail.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/time.ts';
import { runCommand, SECRET } from '../support/command.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { startSmtp, type TestSmtp } from '../support/smtp.ts';

const KEY = /sk_[0-9A-Za-z]{38}/g;

let database: TestDb;
let smtp: TestSmtp;
beforeAll(async () => {
  database = await testDb();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.knex('api_keys').delete();
  await database.knex('accounts').delete();
  smtp = await startSmtp();
});
afterEach(() => smtp.close());

const run = (...args: readonly string[]) => runCommand(database, keysCommand, ['keys', ...args], {});
const runWith = (mailer: Mailer, ...args: readonly string[]) => runCommand(database, keysCommand, ['keys', ...args], { mailer });
const accounts = (...args: readonly string[]) => runCommand(database, accountsCommand, ['accounts', ...args], {});
const made = async (...args: readonly string[]) =>
  JSON.parse((await run('create', '--name', 'acme', '--modules', 'kyb', ...args, '--json')).out);
const shown = async (id: string) => JSON.parse((await run('show', id, '--json')).out);
const post = () => createMailer({ smtpUrl: `smtp://127.0.0.1:${smtp.port}`, from: 'keys@quipu.example' });
const serverKeys = (now = Date.now) => createKeys({ db: database.knex, now, secret: SECRET });

describe('quipu keys create and show', () => {
  it('store and print account, note and plan', async () => {
    await accounts('create', '--name', 'Acme SpA');
    const { id, key, created_at } = await made('--account', 'Acme SpA', '--note', 'for the reports', '--plan', 'enterprise');
    const last_four = key.slice(-4);
    expect(await shown(id)).toEqual({
      ...{
        id,
        account: 'Acme SpA',
        name: 'acme',
        note: 'for the reports',
        last_four,
        modules: ['kyb'],
        role: 'administer',
        plan: 'enterprise',
      },
      ...{ documents: 'any', incomplete: 'answer', created_at, expires_at: null, revoked_at: null, last_used_at: null },
      secrets: [{ last_four, created_at, expires_at: null }],
    });
    const { out } = await run('show', id);
    expect(out).toMatch(/account +Acme SpA\n/);
    expect(out).toMatch(new RegExp(`secret +…${last_four} of `));
    expect(out).not.toContain(key);
  });

  it.each([
    { args: ['--account', 'nobody'], says: /no account "nobody".*quipu accounts create/ },
    { args: ['--role', 'toString'], says: /no role "toString"\. Give one of: read, decide, administer/ },
    { args: ['--plan', 'Gold plated'], says: /not a valid name of a plan/ },
    { args: ['--email', 'not an address'], says: /no e-mail address/ },
    { args: ['--email', 'ana@acme.example'], says: /Mail is not configured: set QUIPU_SMTP_URL and QUIPU_MAIL_FROM/ },
  ])('refuse $args with one line, and create no key', async ({ args, says }) => {
    const { out, err, code, open } = await run('create', '--name', 'acme', '--modules', 'kyb', ...args);
    expect(err).toMatch(says);
    expect({ out, code, open, lines: err.trim().split('\n').length }).toEqual({ out: '', code: 1, open: 0, lines: 1 });
    expect(await serverKeys().list()).toEqual([]);
    expect(smtp.mails).toEqual([]);
  });
});

describe('quipu keys rotate', () => {
  it('prints the new secret once and keeps the old one valid for a day', async () => {
    const { id, key } = await made();
    const before = Date.now();
    const { out, code } = await run('rotate', id);
    const [fresh = '', again] = out.match(KEY) ?? [];
    expect({ code, again, isOther: fresh !== key }).toEqual({ code: 0, again: undefined, isOther: true });
    expect(out).toMatch(/The old secret is valid until .*only time the key is shown/s);
    const late = serverKeys(() => before + DAY_MS - 1);
    expect([await late.find(key), await late.find(fresh)]).toEqual([
      expect.objectContaining({ keyId: id }),
      expect.objectContaining({ keyId: id }),
    ]);
    expect(await serverKeys(() => Date.now() + DAY_MS).find(key)).toBeNull();
  });

  it('accepts an overlap of two hours or zero, and prints the end of the overlap as JSON', async () => {
    const { id, key } = await made();
    const rotated = JSON.parse((await run('rotate', id, '--overlap', '2h', '--json')).out);
    expect(rotated).toMatchObject({ id, key: expect.stringMatching(KEY), name: 'acme', modules: ['kyb'] });
    expect(Math.abs(Date.parse(rotated.old_open_until) - Date.now() - 2 * HOUR_MS)).toBeLessThan(60_000);
    await run('rotate', id, '--overlap', '0');
    expect([await serverKeys().find(key), await serverKeys().find(rotated.key)]).toEqual([null, null]);
  });

  it.each(['tomorrow', '-1h', '91d', '24'])('refuses an overlap of "%s"', async (overlap) => {
    const { id } = await made();
    expect(await run('rotate', id, `--overlap=${overlap}`)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is not a valid overlap/),
      open: 0,
    });
    expect((await shown(id)).secrets).toHaveLength(1);
  });
});

describe('quipu keys update', () => {
  it('changes name and plan, and removes a note', async () => {
    const { id } = await made('--note', 'old');
    expect((await run('update', id, '--name', 'other', '--plan', 'enterprise', '--note', '')).code).toBe(0);
    expect(await shown(id)).toMatchObject({ name: 'other', plan: 'enterprise', note: null, account: 'acme', modules: ['kyb'] });
  });
});

describe('a key that is sent by mail', () => {
  it('is in the mail once, with instructions to use and replace it, and not in the output', async () => {
    const { out, code } = await runWith(post(), 'create', '--name', 'acme', '--modules', 'kyb,owners', '--email', 'ana@acme.example');
    expect({ code, keys: out.match(KEY) }).toEqual({ code: 0, keys: null });
    expect(out).toMatch(/was sent to ana@acme\.example/);
    const [mail] = smtp.mails;
    const [key = '', again] = mail?.raw.match(KEY) ?? [];
    expect([mail?.to, again]).toEqual([['ana@acme.example'], undefined]);
    expect(mail?.raw).toMatch(/X-API-Key.*How to replace it/s);
    expect((await serverKeys().find(key))?.modules).toEqual(new Set(['kyb', 'owners']));
    expect((await serverKeys(() => Date.now() + DAY_MS).find(key))?.name).toBe('acme');
  });

  it("is sent to the account's address by default, and the JSON output has the address and not the key", async () => {
    await accounts('create', '--name', 'acme', '--email', 'keys@acme.example');
    const { out } = await runWith(post(), 'create', '--name', 'acme', '--modules', 'kyb', '--email', '--json');
    expect(Object.keys(JSON.parse(out))).toEqual(['id', 'sent_to', 'name', 'modules', 'expires_at', 'created_at']);
    expect(smtp.mails).toMatchObject([{ to: ['keys@acme.example'] }]);
  });

  it('is not created for an account without an address', async () => {
    await accounts('create', '--name', 'acme');
    expect(await runWith(post(), 'create', '--name', 'acme', '--modules', 'kyb', '--email')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/no e-mail address: write one/),
    });
    expect(await serverKeys().list()).toEqual([]);
  });

  it('is the new secret of a rotated key, with the date on which the old one expires', async () => {
    const { id, key: old } = await made();
    const { out } = await runWith(post(), 'rotate', id, '--overlap', '7d', '--email', 'ana@acme.example');
    expect(out.match(KEY)).toBeNull();
    const [mail] = smtp.mails;
    const [fresh = ''] = mail?.raw.match(KEY) ?? [];
    expect(fresh).not.toBe(old);
    expect(mail?.raw).toMatch(/which opens until \d{4}-/);
    expect(await serverKeys().find(fresh)).toMatchObject({ keyId: id });
  });

  it('is revoked when the mail of a new key fails, and remains valid when the mail of a rotation fails', async () => {
    const broken = post();
    await smtp.close();
    const { out, err, code } = await runWith(broken, 'create', '--name', 'acme', '--modules', 'kyb', '--email', 'ana@acme.example');
    expect({ out, code, keys: err.match(KEY) }).toEqual({ out: '', code: 1, keys: null });
    expect(err).toMatch(/^The mail could not be sent \(\w+\)\. The key is revoked again: nobody has it\.\n$/);
    expect(await serverKeys().list()).toMatchObject([{ revokedAt: expect.any(Number) }]);

    const { id, key } = await made();
    expect((await runWith(broken, 'rotate', id, '--email', 'ana@acme.example')).err).toMatch(/the key opens as before/);
    expect(await serverKeys().find(key)).toMatchObject({ keyId: id });
  });
});
