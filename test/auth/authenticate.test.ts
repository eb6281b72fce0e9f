import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeys, type Keys } from '../../src/auth/api-keys/keys.ts';
import { newKey } from '../../src/auth/api-keys/secret.ts';
import { type Authenticator, createAuthenticator } from '../../src/auth/authenticate.ts';
import { createInvalidKeyLimit } from '../../src/auth/invalid-keys.ts';
import { createLastUse, type LastUse } from '../../src/auth/last-use.ts';
import { SECOND_MS } from '../../src/domain/time.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

const HERE = '192.0.2.7';
const SECRET = 'a secret of the tests';

let database: TestDb;
let keys: Keys;
let lastUse: LastUse;
let authenticator: Authenticator;
let passedMs: number;
const now = () => Date.now() + passedMs;
beforeEach(async () => {
  database = await testDb();
  passedMs = 0;
  const parts = { db: database.knex, now, log: memoryLog().log };
  keys = createKeys({ ...parts, secret: SECRET });
  lastUse = createLastUse(parts);
  authenticator = createAuthenticator({ keys, lastUse, invalidKeys: createInvalidKeyLimit({ now, secret: SECRET }) });
});
afterEach(async () => {
  await lastUse.close();
  await database.close();
});

const used = async () => {
  await lastUse.flush();
  return (await keys.list()).filter(({ lastUsedAt }) => lastUsedAt !== null).map(({ id }) => id);
};

/** Returns the number of statements since this call. */
function countStatements(): () => number {
  let count = 0;
  database.knex.on('query', () => {
    count += 1;
  });
  return () => count;
}

describe('the authenticator', () => {
  it('finds the caller of a valid key and records its use', async () => {
    const [first, second] = [await keys.create({ name: 'a', modules: ['kyb'] }), await keys.create({ name: 'b', modules: ['kyb'] })];
    expect(await authenticator.authenticate(second.key, HERE)).toMatchObject({ keyId: second.id });
    expect(await used()).toEqual([second.id]);
    const { secretHash } = (await keys.find(first.key)) ?? expect.fail();
    expect(await authenticator.stillValid([secretHash])).toEqual(new Map([[secretHash, expect.objectContaining({ keyId: first.id })]]));
    expect(await used()).toEqual([first.id, second.id]);
  });

  it('knows a valid key from its first check to the end of its cache entry, and records each use', async () => {
    const { id, key } = await keys.create({ name: 'a', modules: ['kyb'] });
    expect(authenticator.known(key)).toBeNull();
    await authenticator.authenticate(key, HERE);
    passedMs = 3.9 * SECOND_MS;
    const statements = countStatements();
    expect(authenticator.known(key)).toMatchObject({ keyId: id });
    expect(authenticator.known(`${key} `)).toBeNull();
    passedMs = 5 * SECOND_MS;
    expect(authenticator.known(key)).toBeNull();
    expect(statements()).toBe(0);
    expect(await used()).toEqual([id]);
  });

  it('does not know a key that has expired or was changed', async () => {
    const { id, key } = await keys.create({ name: 'a', modules: ['kyb'], expiresAt: now() + SECOND_MS });
    await authenticator.authenticate(key, HERE);
    passedMs = 2 * SECOND_MS;
    expect(authenticator.known(key)).toBeNull();
    passedMs = 0;
    expect(authenticator.known(key)).toMatchObject({ keyId: id });
    await keys.update(id, { modules: ['labor'] });
    expect(authenticator.known(key)).toBeNull();
  });

  it('records no use of an invalid key', async () => {
    const { id, key } = await keys.create({ name: 'a', modules: ['kyb'] });
    const { secretHash } = (await keys.find(key)) ?? expect.fail();
    await keys.revoke(id);
    expect(await authenticator.authenticate(key, HERE)).toBeNull();
    expect(await authenticator.stillValid([secretHash])).toEqual(new Map());
    expect(await used()).toEqual([]);
  });

  it('AK-06 limits invalid keys to 20 a minute from one address, and still accepts a valid key from it', async () => {
    const { key } = await keys.create({ name: 'a', modules: ['kyb'] });
    for (let i = 0; i < 20; i += 1) expect(await authenticator.authenticate('sk_bad', HERE)).toBeNull();
    await expect(authenticator.authenticate('sk_bad', HERE)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      facts: { retryAfterSeconds: expect.any(Number) },
    });
    expect(await authenticator.authenticate(key, HERE)).not.toBeNull();
    expect(await authenticator.authenticate('sk_bad', '192.0.2.8')).toBeNull();
  });

  it('does not count a key as invalid when the database fails', async () => {
    const { key } = await keys.create({ name: 'a', modules: ['kyb'] });
    await database.knex.raw('ALTER TABLE api_keys RENAME TO away');
    for (let i = 0; i < 25; i += 1) await expect(authenticator.authenticate(key, HERE)).rejects.toThrow(/api_keys/);
    await database.knex.raw('ALTER TABLE away RENAME TO api_keys');
    expect(await authenticator.authenticate(key, HERE)).not.toBeNull();
    expect(await authenticator.authenticate('sk_bad', HERE)).toBeNull();
  });
});

describe('a flood of unknown keys', () => {
  const ANYWHERE = ['one address', 'an address each'] as const;
  const addressOf = (from: (typeof ANYWHERE)[number], i: number) => (from === 'one address' ? HERE : `2001:db8:${i.toString(16)}::1`);

  it.each([
    { from: ANYWHERE[0], limit: 20 },
    { from: ANYWHERE[1], limit: 200 },
  ])('AK-06 of 2,000 from $from reads each key up to the limit of $limit, and the stored ones once more', async ({ from, limit }) => {
    const statements = countStatements();
    for (let i = 0; i < 2_000; i += 1) await authenticator.authenticate(newKey(randomBytes), addressOf(from, i)).catch(() => null);
    expect(statements()).toBe(limit + 1);
  });

  it('AK-06 of 200 at once from one address reads 20 of them, and the stored ones once more', async () => {
    const statements = countStatements();
    const asked = Array.from({ length: 200 }, () => authenticator.authenticate(newKey(randomBytes), HERE));
    const settled = await Promise.allSettled(asked);
    expect(statements()).toBe(21);
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(180);
  });

  it('AK-06 refuses no valid key from the same address: known before, used for the first time, or issued during the flood', async () => {
    const create = () => keys.create({ name: 'a', modules: ['kyb'] });
    const known = await create();
    const unused = [await create(), await create(), await create(), await create(), await create(), await create()];
    await authenticator.authenticate(known.key, HERE);
    const flood = async () => {
      for (let i = 0; i < 50; i += 1) await authenticator.authenticate(newKey(randomBytes), HERE).catch(() => null);
    };
    await flood();
    const issued = await create();
    await flood();
    for (const { key, id } of [known, ...unused, issued]) expect(await authenticator.authenticate(key, HERE)).toMatchObject({ keyId: id });
  });

  it('AK-04 finds a key that another process issued during the flood within 5 s', async () => {
    const other = createKeys({ db: database.knex, now, secret: SECRET });
    for (let i = 0; i < 50; i += 1) await authenticator.authenticate(newKey(randomBytes), HERE).catch(() => null);
    const { key, id } = await other.create({ name: 'a', modules: ['kyb'] });
    await authenticator.authenticate(key, HERE).catch(() => null);
    passedMs = 5 * SECOND_MS;
    expect(await authenticator.authenticate(key, HERE)).toMatchObject({ keyId: id });
  });
});
