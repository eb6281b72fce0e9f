import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accountsCommand } from '../../src/cli/accounts.ts';
import { auditCommand } from '../../src/cli/audit.ts';
import { keysCommand } from '../../src/cli/keys.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import { runCommand } from '../support/command.ts';
import { type TestDb, testDb } from '../support/db.ts';

let database: TestDb;
beforeAll(async () => {
  database = await testDb();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.knex.raw('TRUNCATE api_keys, accounts, audit_log CASCADE');
});

const accounts = (...args: readonly string[]) => runCommand(database, accountsCommand, ['accounts', ...args], {});
const keys = (...args: readonly string[]) => runCommand(database, keysCommand, ['keys', ...args], {});
const audit = (...args: readonly string[]) => runCommand(database, auditCommand, ['audit', ...args], {});
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/;

describe('quipu accounts', () => {
  it('creates, changes and lists accounts', async () => {
    expect((await accounts('list')).out).toBe('There are no accounts yet.\n');
    const { id } = JSON.parse((await accounts('create', '--name', 'acme', '--email', 'keys@acme.example', '--json')).out);
    await keys('create', '--name', 'reports', '--modules', 'kyb', '--account', 'acme');
    expect((await accounts('list')).out).toBe(
      `ID                                    NAME  E-MAIL             KEYS  LISTS  VERDICT LISTS\n${id}  acme  keys@acme.example  1     none   none\n`,
    );
    expect((await accounts('update', 'acme', '--name', 'Acme SpA', '--email', 'none')).out).toBe(`Changed account ${id} (Acme SpA).\n`);
    expect(JSON.parse((await accounts('list', '--json')).out)).toEqual([
      {
        id,
        name: 'Acme SpA',
        email: null,
        created_at: expect.stringMatching(ISO),
        approval: 'none',
        lists: [],
        verdict_lists: [],
        keys: 1,
      },
    ]);
  });

  it('turns optional lists on and off, in the order of the lists, and records it', async () => {
    const listsOf = async () =>
      JSON.parse((await accounts('list', '--json')).out).map((one: Record<string, unknown>) => [one.lists, one.verdict_lists]);
    await accounts('create', '--name', 'acme', '--lists', 'acordo_leniencia, CEPIM');
    expect(await listsOf()).toEqual([[['CEPIM', 'ACORDO_LENIENCIA'], []]]);
    expect((await accounts('update', 'acme', '--verdict-lists', 'CEPIM,CEPIM')).code).toBe(0);
    expect(await listsOf()).toEqual([[['CEPIM', 'ACORDO_LENIENCIA'], ['CEPIM']]]);
    await accounts('update', 'acme', '--lists', 'none');
    expect(await listsOf()).toEqual([[[], ['CEPIM']]]);
    const entries = JSON.parse((await audit('--json')).out);
    expect(entries.slice(1).map(({ facts }: { facts: unknown }) => facts)).toEqual([{ fields: ['verdictLists'] }, { fields: ['lists'] }]);
  });

  it('requires a second person for decisions, or no longer, and records which', async () => {
    const approvalOf = async () => JSON.parse((await accounts('list', '--json')).out).map((one: Record<string, unknown>) => one.approval);
    await accounts('create', '--name', 'acme', '--approval', 'needed');
    expect(await approvalOf()).toEqual(['needed']);
    await accounts('update', 'acme', '--approval', 'none');
    expect(await approvalOf()).toEqual(['none']);
    const entries = JSON.parse((await audit('--json')).out);
    expect(entries.at(-1).facts).toEqual({ fields: ['needsApproval'], needs_approval: false });
  });

  it.each([
    { args: ['update', 'taken', '--lists', 'CEAF'], says: /There is no list "CEAF". There are: CEPIM/ },
    { args: ['update', 'taken', '--verdict-lists', 'ACORDO_LENIENCIA'], says: /There is no verdict list "ACORDO_LENIENCIA"/ },
    { args: ['create', '--name', ' '], says: /needs a name/ },
    { args: ['create', '--name', 'taken'], says: /already/ },
    { args: ['create', '--name', 'acme', '--email', 'acme'], says: /no e-mail address/ },
    { args: ['update', 'taken', '--approval', 'yes'], says: /write needed or none/ },
    { args: ['update', 'taken'], says: /Nothing to change/ },
    { args: ['update', 'nobody', '--name', 'acme'], says: /There is no account/ },
  ])('refuses $args with an error message', async ({ args, says }) => {
    await accounts('create', '--name', 'taken');
    expect(await accounts(...args)).toEqual({ out: '', err: expect.stringMatching(says), code: 1, open: 0 });
  });
});

describe('quipu audit', () => {
  it('AK-06 lists each completed operation with its actor and subject, and no refused operation', async () => {
    const { id, key } = JSON.parse((await keys('create', '--name', 'acme', '--modules', 'kyb', '--json')).out);
    await keys('update', id, '--modules', 'owners', '--note', 'asked for by Ana');
    await keys('update', id);
    await keys('rotate', id, '--overlap', '0');
    await keys('revoke', id);
    await keys('revoke', id);
    await keys('rotate', id);

    const entries = JSON.parse((await audit('--json')).out);
    expect(entries.map(({ action, subject }: { action: string; subject: string }) => [action, subject === id])).toEqual([
      ['account.created', false],
      ['key.created', true],
      ['key.changed', true],
      ['key.rotated', true],
      ['key.revoked', true],
    ]);
    expect(entries[2]).toEqual({
      at: expect.stringMatching(ISO),
      actor: expect.stringMatching(/^operator/),
      action: 'key.changed',
      subject: id,
      facts: { modules: ['owners'], note: 'changed' },
    });
    expect(JSON.stringify(entries)).not.toMatch(/Ana|sk_/);
    expect(JSON.stringify(entries)).not.toContain(key.slice(-4));
  });

  it('filters entries by subject, by a start date and by an age', async () => {
    expect((await audit()).out).toBe('There are no entries.\n');
    const { id } = JSON.parse((await keys('create', '--name', 'acme', '--modules', 'kyb,owners', '--json')).out);
    await keys('create', '--name', 'other', '--modules', 'kyb');
    await database.knex('audit_log').update({ at: new Date(Date.now() - 40 * DAY_MS) });
    await keys('revoke', id);

    expect((await audit()).out).toMatch(new RegExp(`^TIME +ACTOR +ACTION +SUBJECT +FACTS\\n\\S+  operator.*  key\\.revoked  ${id}\\n$`));
    const { out } = await audit('--since', '50d', '--subject', id.slice(0, 8));
    expect(out).toMatch(/key\.created .*modules=kyb,owners\n.*key\.revoked/);
    expect(out.trim().split('\n')).toHaveLength(3);
    expect((await audit('--since', '2020-01-31')).out.trim().split('\n')).toHaveLength(6);
    expect((await audit('--subject', '%')).out).toBe('There are no entries.\n');
  });

  it('refuses a --since value that it cannot parse', async () => {
    expect(await audit('--since', 'yesterday')).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/neither a day/), open: 0 });
  });
});
