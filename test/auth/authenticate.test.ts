import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeys, type Keys } from '../../src/auth/api-keys/keys.ts';
import {
  type Authenticator,
  createAuthenticator,
  createInvalidKeyLimit,
  createLastUse,
  type LastUse,
} from '../../src/auth/authenticate.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

const HERE = '192.0.2.7';

let database: TestDb;
let keys: Keys;
let lastUse: LastUse;
let authenticator: Authenticator;
beforeEach(async () => {
  database = await testDb();
  const parts = { db: database.knex, now: Date.now, log: memoryLog().log };
  keys = createKeys({ ...parts, secret: 'a secret of the tests' });
  lastUse = createLastUse(parts);
  authenticator = createAuthenticator({ keys, lastUse, invalidKeys: createInvalidKeyLimit(Date.now) });
});
afterEach(async () => {
  await lastUse.close();
  await database.close();
});

const used = async () => {
  await lastUse.flush();
  return (await keys.list()).filter(({ lastUsedAt }) => lastUsedAt !== null).map(({ id }) => id);
};

describe('the authenticator', () => {
  it('finds the caller of a valid key and records its use', async () => {
    const [first, second] = [await keys.create({ name: 'a', modules: ['kyb'] }), await keys.create({ name: 'b', modules: ['kyb'] })];
    expect(await authenticator.authenticate(second.key, HERE)).toMatchObject({ keyId: second.id });
    expect(await used()).toEqual([second.id]);
    const { secretHash } = (await keys.find(first.key)) ?? expect.fail();
    expect(await authenticator.stillValid([secretHash])).toEqual(new Map([[secretHash, expect.objectContaining({ keyId: first.id })]]));
    expect(await used()).toEqual([first.id, second.id]);
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
