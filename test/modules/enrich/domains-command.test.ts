import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { domainsCommand } from '../../../src/cli/domains.ts';
import { createDb } from '../../../src/db/knex.ts';
import { createDomainStore } from '../../../src/sources/domains/store.ts';
import { type TestDb, testDb } from '../../support/db.ts';

let database: TestDb;
let opened = 0;
beforeAll(async () => {
  database = await testDb();
});
afterAll(() => database.close());
beforeEach(() => database.knex('domain_owners').delete());
afterEach(() => {
  process.exitCode = undefined;
});

/** Runs `quipu domains …` with a database pool of its own, as the program does. */
async function run(...args: readonly string[]) {
  const said = { out: '', err: '' };
  const io = {
    out: (text: string) => {
      said.out += text;
    },
    err: (text: string) => {
      said.err += text;
    },
  };
  const openDb = async () => {
    opened += 1;
    const db = createDb(database.url);
    const close = async () => {
      await db.destroy();
      opened -= 1;
    };
    return { db, close };
  };
  process.exitCode = undefined;
  await new Command('quipu').addCommand(domainsCommand(openDb, io)).parseAsync(['domains', ...args], { from: 'user' });
  expect(opened).toBe(0);
  return { ...said, code: process.exitCode ?? 0 };
}

const FOUND = {
  domain: 'b.cl',
  company: null,
  confidence: 0,
  method: 'site',
  evidence: null,
  candidates: [],
  reason: 'not_named',
} as const;

describe('quipu domains', () => {
  it('finds the company that owns a domain, in any spelling of the domain', async () => {
    expect(await run('set', 'https://www.Example.cl/x', '76.360.903-0')).toEqual({
      out: 'example.cl is 76.360.903-0 (CL). Effective within 30 seconds.\n',
      err: '',
      code: 0,
    });
    expect((await run('get', 'ventas@example.cl')).out).toBe(
      'DOMAIN      COMPANY       ORIGIN          VALID\nexample.cl  76.360.903-0  set by command  for good\n',
    );
    await run('set', 'example.cl', '11222333000181');
    expect((await run('get', 'example.cl')).out).toContain('11.222.333/0001-81');
  });

  it('prints as JSON what it set and forgot', async () => {
    const set = await run('set', 'https://www.Example.cl/x', '76.360.903-0', '--json');
    expect(JSON.parse(set.out)).toEqual({ domain: 'example.cl', country: 'CL', identifier: '763609030' });
    expect(JSON.parse((await run('forget', 'example.cl', '--json')).out)).toEqual({ domain: 'example.cl', forgotten: true });
  });

  it('shows found and operator-set domains, as a table and as JSON', async () => {
    await run('set', 'a.cl', '76.360.903-0');
    const store = createDomainStore(database.knex, () => Date.parse('2099-01-01T00:00:00Z'), 'live');
    await store.keep('https://b.cl/x', FOUND, 3_600_000);
    expect((await run('list')).out).toBe(
      'DOMAIN          COMPANY            ORIGIN              VALID\n' +
        'a.cl            76.360.903-0       set by command      for good\n' +
        'https://b.cl/x  nobody: not_named  found by site, 0 %  until 2099-01-01T01:00:00+00:00\n',
    );
    expect(JSON.parse((await run('list', '--json')).out)).toEqual([
      {
        domain: 'a.cl',
        start: null,
        country: 'CL',
        identifier: '763609030',
        method: 'known',
        set_by: 'command',
        confidence: 1,
        reason: null,
        found_at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
        expires_at: null,
      },
      {
        domain: 'b.cl',
        start: 'https://b.cl/x',
        country: null,
        identifier: null,
        method: 'site',
        set_by: null,
        confidence: 0,
        reason: 'not_named',
        found_at: '2099-01-01T00:00:00+00:00',
        expires_at: '2099-01-01T01:00:00+00:00',
      },
    ]);
    expect(JSON.parse((await run('get', 'a.cl', '--json')).out)).toMatchObject([{ identifier: '763609030' }]);
  });

  it('shows nothing for a page without technologies', async () => {
    expect(await run('list')).toMatchObject({ out: 'There are no known domains yet.\n', code: 0 });
    expect((await run('list', '--json')).out).toBe('[]\n');
    expect((await run('get', 'a.cl', '--json')).out).toBe('[]\n');
    expect(await run('get', 'a.cl')).toEqual({ out: '', err: 'No owner of a.cl is stored.\n', code: 1 });
  });

  it('deletes a domain once', async () => {
    await run('set', 'a.cl', '76.360.903-0');
    expect(await run('forget', 'a.cl')).toMatchObject({ out: 'a.cl is forgotten. Effective within 30 seconds.\n', code: 0 });
    expect(await run('forget', 'a.cl')).toEqual({ out: '', err: 'No owner of a.cl is stored.\n', code: 1 });
  });

  it.each([
    ['a domain of another family', ['set', 'example.com', '76.360.903-0'], /under \.cl and \.br/],
    ['a malformed tax id', ['set', 'example.cl', '76.360.903-1'], /should be 0/],
  ])('says in one line what is wrong with %s, before it opens the database', async (_, args, sentence) => {
    const { out, err, code } = await run(...args);
    expect({ out, code, lines: err.trim().split('\n').length }).toEqual({ out: '', code: 1, lines: 1 });
    expect(err).toMatch(sentence);
  });

  it('does not hide a defect of the service', async () => {
    const broken = domainsCommand(() => Promise.reject(new Error('no database')), { out: () => undefined, err: () => undefined });
    await expect(new Command('quipu').addCommand(broken).parseAsync(['domains', 'list'], { from: 'user' })).rejects.toThrow('no database');
  });
});
