import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createKeys, type Keys } from '../../src/auth/api-keys/keys.ts';
import { newKey } from '../../src/auth/api-keys/secret.ts';
import { createDb } from '../../src/db/knex.ts';
import { SECOND_MS } from '../../src/domain/time.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { silentProxy } from '../support/silent-proxy.ts';

const SECRET = 'a secret of the tests';
const BOOTSTRAP = 'sk_chosen-by-the-operator';
const NOON = Date.parse('2026-11-21T12:00:00Z');

let database: TestDb;
let time: number;
let queries: string[];
let keys: Keys;
const now = () => time;

beforeEach(async () => {
  database = await testDb();
  time = NOON;
  queries = [];
  database.knex.on('query', ({ sql }: { sql: string }) => queries.push(sql));
  keys = createKeys({ db: database.knex, now, secret: SECRET });
});
afterEach(() => database.close());

/** Creates the keys of another process on the same database, without shared memory. */
const keysOfProcess = (db: Knex = database.knex, bootstrapKey?: string): Keys => createKeys({ db, now, secret: SECRET, bootstrapKey });

describe('a key', () => {
  it('is found with its modules, account and plan', async () => {
    const { id, key, accountId } = await keys.create({ name: ' acme ', modules: ['kyb', 'owners'], plan: 'enterprise' });
    expect(await keys.find(key)).toEqual({
      keyId: id,
      name: 'acme',
      modules: new Set(['kyb', 'owners']),
      role: 'administer',
      needsApproval: false,
      accountId,
      plan: 'enterprise',
      expiresAt: null,
      trustedOnly: false,
      lists: { answers: [], verdicts: [] },
      failsIncomplete: false,
      secretHash: expect.any(String),
    });
  });

  it('is listed by its last four characters and without the key itself', async () => {
    const { key, ...record } = await keys.create({ name: 'acme', modules: ['kyb'] });
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      accountId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      account: 'acme',
      name: 'acme',
      note: null,
      lastFour: key.slice(-4),
      modules: ['kyb'],
      role: 'administer',
      plan: 'standard',
      trustedOnly: false,
      failsIncomplete: false,
      createdAt: NOON,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      secrets: [{ lastFour: key.slice(-4), createdAt: NOON, expiresAt: null }],
    });
    expect(await keys.list()).toEqual([record]);
  });

  it('AK-02 is stored only as a keyed hash: the table holds no key, and another server secret finds none', async () => {
    const issued = await Promise.all(Array.from({ length: 50 }, () => keys.create({ name: 'acme', modules: ['kyb'] })));
    await keysOfProcess(database.knex, BOOTSTRAP).ensureBootstrap();
    const { rows } = await database.knex.raw(
      'SELECT row_to_json(s)::text AS text, encode(hash, $$escape$$) AS bytes FROM api_key_secrets s',
    );
    const dump = JSON.stringify(rows);

    for (const key of [...issued.map((one) => one.key), BOOTSTRAP]) {
      expect(dump).not.toContain(key);
      expect(dump).not.toContain(key.slice(3, -4));
    }
    const thief = createKeys({ db: database.knex, now, secret: 'guessed' });
    expect(await thief.find(issued[0]?.key ?? '')).toBeNull();
  });

  it.each([
    { what: 'unknown', make: async () => newKey(randomBytes) },
    { what: 'malformed', make: async () => 'sk_demo' },
    {
      what: 'revoked',
      make: async () => keys.create({ name: 'acme', modules: ['kyb'] }).then(async ({ id, key }) => (await keys.revoke(id)) && key),
    },
    { what: 'expired', make: async () => (await keys.create({ name: 'acme', modules: ['kyb'], expiresAt: NOON })).key },
  ])('that is $what is not found', async ({ make }) => {
    expect(await keys.find(await make())).toBeNull();
  });

  it('expires at its time although it was cached before', async () => {
    const { key } = await keys.create({ name: 'acme', modules: ['kyb'], expiresAt: NOON + 2 * SECOND_MS });
    expect(await keys.find(key)).not.toBeNull();
    time += 2 * SECOND_MS;
    expect(await keys.find(key)).toBeNull();
  });

  it.each([
    { lack: 'a name', terms: { name: '  ', modules: ['kyb'] as const }, field: 'name' },
    { lack: 'any module', terms: { name: 'acme', modules: [] }, field: 'modules' },
    { lack: 'a list of modules', terms: { name: 'acme' }, field: 'modules' },
  ])('is not created without $lack', async ({ terms, field }) => {
    await expect(keys.create(terms)).rejects.toMatchObject({ code: 'INVALID_INPUT', facts: { field } });
    expect(await keys.list()).toEqual([]);
  });

  it('is found without modules that this release does not have', async () => {
    const { id, key } = await keys.create({ name: 'acme', modules: ['kyb'] });
    await database
      .knex('api_keys')
      .where({ id })
      .update({ modules: ['kyb', 'not_yet_invented'] });
    expect((await keys.find(key))?.modules).toEqual(new Set(['kyb']));
  });
});

describe('a lookup of a key', () => {
  it('AK-01 runs no query for a mistyped key', async () => {
    const { key } = await keys.create({ name: 'acme', modules: ['kyb'] });
    queries.length = 0;
    for (let at = 0; at < key.length; at += 1) {
      expect(await keys.find(key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1))).toBeNull();
    }
    expect(queries).toEqual([]);
  });

  it('runs one query that uses indexes', async () => {
    const { key } = await keys.create({ name: 'acme', modules: ['kyb'] });
    queries.length = 0;
    await keys.find(key);
    expect(queries).toHaveLength(1);

    await database.knex.raw('SET enable_seqscan = off');
    const { rows } = await database.knex.raw(`EXPLAIN ${queries[0]?.replace(/\$1/, String.raw`'\\x00'`)}`);
    expect(JSON.stringify(rows)).toMatch(/api_key_secrets_pkey.*api_keys_pkey/);
    expect(JSON.stringify(rows)).not.toContain('Seq Scan');
  });

  it('is shared by simultaneous callers and cached for 4 s, for valid and unknown keys', async () => {
    const { key } = await keys.create({ name: 'acme', modules: ['kyb'] });
    const unknown = newKey(randomBytes);
    queries.length = 0;
    const callers = await Promise.all(Array.from({ length: 50 }, (_, i) => keys.find(i % 2 ? key : unknown)));
    expect(callers.filter(Boolean)).toHaveLength(25);
    expect(queries).toHaveLength(2);

    time += 4 * SECOND_MS - 1;
    await Promise.all([keys.find(key), keys.find(unknown)]);
    expect(queries).toHaveLength(2);
    time += 1;
    await Promise.all([keys.find(key), keys.find(unknown)]);
    expect(queries).toHaveLength(4);
  });

  it('caches at most 5,000 keys', async () => {
    const flood = Array.from({ length: 5_001 }, () => newKey(randomBytes));
    for (const key of flood) await keys.find(key);
    queries.length = 0;
    await keys.find(flood[5_000] ?? '');
    await keys.find(flood[1] ?? '');
    expect(queries).toEqual([]);
    await keys.find(flood[0] ?? '');
    expect(queries).toHaveLength(1);
  });

  it('returns entries younger than 5 s while the database fails, and fails for older ones', async () => {
    const { key, id } = await keys.create({ name: 'acme', modules: ['kyb'] });
    const failing = createDb(database.url);
    const replica = keysOfProcess(failing);
    await replica.find(key);
    await failing.destroy();

    time += 4_999;
    expect(await replica.find(key)).toMatchObject({ keyId: id });
    time += 1;
    await expect(replica.find(key)).rejects.toThrow();
    await expect(replica.find(newKey(randomBytes))).rejects.toThrow();
  });

  it('AK-04 DB-10 returns valid keys that were read within 30 s while the database is unavailable, and no others', async () => {
    const { key, id } = await keys.create({ name: 'acme', modules: ['kyb'] });
    const ends = await keys.create({ name: 'ends', modules: ['kyb'], expiresAt: time + 20 * SECOND_MS });
    const unknown = newKey(randomBytes);
    const proxy = await silentProxy(database.url);
    onTestFinished(() => proxy.close());
    const failing = createDb(proxy.url);
    onTestFinished(() => failing.destroy());
    const replica = keysOfProcess(failing);
    for (const one of [key, ends.key, unknown]) await replica.find(one);
    proxy.newConnections('refuse');
    proxy.cut();
    await keys.revoke(id); // by another process

    time += 19_999;
    expect(await replica.find(key, { isFlood: true })).toMatchObject({ keyId: id });
    expect(await replica.find(ends.key)).not.toBeNull();
    await expect(replica.find(unknown)).rejects.toThrow();
    time += 10_000;
    expect(await replica.find(key)).toMatchObject({ keyId: id });
    expect(await replica.find(ends.key)).toBeNull();
    time += 1;
    await expect(replica.find(key)).rejects.toThrow();

    proxy.newConnections('pass');
    expect(await replica.find(key)).toBeNull();
  });

  it('does not cache a failure', async () => {
    const { key } = await keys.create({ name: 'acme', modules: ['kyb'] });
    await database.knex.raw('ALTER TABLE api_keys RENAME TO away');
    await expect(keys.find(key)).rejects.toThrow();
    await database.knex.raw('ALTER TABLE away RENAME TO api_keys');
    expect(await keys.find(key)).not.toBeNull();
  });
});
