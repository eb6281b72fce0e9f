import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeys, type Keys } from '../../src/auth/api-keys/keys.ts';
import { readModules } from '../../src/auth/api-keys/terms.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { SECOND_MS } from '../../src/domain/time.ts';
import { type TestDb, testDb } from '../support/db.ts';

const BOOTSTRAP = 'sk_chosen-by-the-operator';
const NOON = Date.parse('2026-11-21T12:00:00Z');

let database: TestDb;
let time: number;
let keys: Keys;
beforeEach(async () => {
  database = await testDb();
  time = NOON;
  keys = keysOfProcess();
});
afterEach(() => database.close());

/** Creates the keys of one process. Processes share the database and no memory. */
const keysOfProcess = (bootstrapKey?: string): Keys =>
  createKeys({ db: database.knex, now: () => time, secret: 'a secret of the tests', bootstrapKey });

describe('a change to a key', () => {
  it('AK-04 takes effect within 5 s in another process that has cached the key', async () => {
    const replica = keysOfProcess();
    const revoked = await keys.create({ name: 'revoked', modules: ['kyb'] });
    const narrowed = await keys.create({ name: 'narrowed', modules: ['kyb', 'owners'] });
    await Promise.all([replica.find(revoked.key), replica.find(narrowed.key)]);
    await keys.revoke(revoked.id);
    await keys.update(narrowed.id, { modules: ['owners'] });

    time += 5 * SECOND_MS - 1;
    expect(await replica.find(revoked.key)).toBeNull();
    expect((await replica.find(narrowed.key))?.modules).toEqual(new Set(['owners']));
  });

  it('AK-04 takes effect at once in the process that makes it', async () => {
    const { id, key } = await keys.create({ name: 'acme', modules: ['kyb'] });
    await keys.find(key);
    await keys.revoke(id);
    expect(await keys.find(key)).toBeNull();
  });

  it('AK-04 does not affect another key with the same name', async () => {
    const [old, fresh] = [await keys.create({ name: 'acme', modules: ['kyb'] }), await keys.create({ name: 'acme', modules: ['kyb'] })];
    expect(await Promise.all([keys.find(old.key), keys.find(fresh.key)])).not.toContain(null);
    await keys.revoke(old.id);
    expect(await keys.find(fresh.key)).not.toBeNull();
  });

  it('accepts the id, a prefix of the id, or the key itself', async () => {
    const made = [];
    for (const name of ['a', 'b', 'c']) made.push(await keys.create({ name, modules: ['kyb'] }));
    const [a, b, c] = made;
    const revoked = [
      await keys.revoke(a?.id ?? ''),
      await keys.revoke(b?.id.slice(0, 8).toUpperCase() ?? ''),
      await keys.revoke(c?.key ?? ''),
    ];
    expect(revoked.map(({ name, revokedAt }) => [name, revokedAt])).toEqual(['a', 'b', 'c'].map((name) => [name, NOON]));
  });

  it('keeps the time of the first revocation', async () => {
    const { id } = await keys.create({ name: 'acme', modules: ['kyb'] });
    await keys.revoke(id);
    time += SECOND_MS;
    expect(await keys.revoke(id)).toMatchObject({ revokedAt: NOON });
  });

  it('updates only the given terms', async () => {
    const { id } = await keys.create({ name: 'acme', modules: ['kyb'], expiresAt: NOON + SECOND_MS });
    expect(await keys.update(id, { modules: ['owners'] })).toMatchObject({ modules: ['owners'], expiresAt: NOON + SECOND_MS });
    expect(await keys.update(id, { expiresAt: null })).toMatchObject({ modules: ['owners'], expiresAt: null });
    await expect(keys.update(id, {})).rejects.toThrow(/Nothing to change/);
  });

  it.each(['ffffffff', `sk_${'a'.repeat(38)}`, '%', 'abc', ''])('is rejected for "%s", which identifies no key', async (which) => {
    await keys.create({ name: 'acme', modules: ['kyb'] });
    await expect(keys.revoke(which)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await keys.list())[0]?.revokedAt).toBeNull();
  });

  it('is rejected for a prefix of several ids, for a revoked key, and without modules', async () => {
    const { id } = await keys.create({ name: 'one', modules: ['kyb'] });
    const twin = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    await database.knex('api_keys').insert({ ...(await database.knex('api_keys').first()), id: twin, name: 'two' });
    await expect(keys.revoke(id.slice(0, 8))).rejects.toThrow(/Several keys/);
    await keys.revoke(id);
    await expect(keys.update(id, { modules: ['kyb'] })).rejects.toThrow(/revoked/);
    await expect(keys.update(twin, { modules: [] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe("the operator's own key", () => {
  it('has every module without the usual format, and is stored once by four simultaneous starts', async () => {
    const starts = Array.from({ length: 4 }, () => keysOfProcess(BOOTSTRAP));
    await Promise.all(starts.map((one) => one.ensureBootstrap()));
    expect(await starts[0]?.find(BOOTSTRAP)).toMatchObject({ name: 'bootstrap', modules: new Set(MODULES) });
    expect(await keys.list()).toHaveLength(1);
  });

  it('gets the modules of a newer release, and stays revoked', async () => {
    const start = keysOfProcess(BOOTSTRAP);
    await start.ensureBootstrap();
    await database.knex('api_keys').update({ modules: ['kyb'] });
    await start.ensureBootstrap();
    expect((await start.find(BOOTSTRAP))?.modules).toEqual(new Set(MODULES));

    await start.revoke(BOOTSTRAP);
    await start.ensureBootstrap();
    expect(await start.find(BOOTSTRAP)).toBeNull();
  });

  it('is invalid in a process without the setting, and a similar text is invalid', async () => {
    await keysOfProcess(BOOTSTRAP).ensureBootstrap();
    expect(await keys.find(BOOTSTRAP)).toBeNull();
    expect(await keysOfProcess(BOOTSTRAP).find(`${BOOTSTRAP}x`)).toBeNull();
    await keys.ensureBootstrap();
    expect(await keys.list()).toHaveLength(1);
  });
});

describe('a list of modules as text', () => {
  it('is parsed to all modules or to the named ones, once each', () => {
    expect(readModules('all')).toEqual(MODULES);
    expect(readModules(' kyb, owners,kyb')).toEqual(['kyb', 'owners']);
  });

  it.each(['', 'kyb,', 'KYB', 'kyb,ownerz'])('is rejected for "%s" with the names of the modules', (text) => {
    expect(() => readModules(text)).toThrow(/There is no module .* compliance_br, compliance, enrich, kyb, owners/);
  });
});
