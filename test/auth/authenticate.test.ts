import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDoor, type Door } from '../../src/auth/authenticate.ts';
import { createBadKeys } from '../../src/auth/bad-keys.ts';
import { createKeys, type Keys } from '../../src/auth/keys.ts';
import { createLastUse, type LastUse } from '../../src/auth/last-use.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { quietLog } from '../support/log.ts';

const HERE = '192.0.2.7';

let database: TestDb;
let keys: Keys;
let lastUse: LastUse;
let door: Door;
beforeEach(async () => {
  database = await testDb();
  const parts = { db: database.knex, now: Date.now, log: quietLog().log };
  keys = createKeys({ ...parts, secret: 'a secret of the tests' });
  lastUse = createLastUse(parts);
  door = createDoor({ keys, lastUse, badKeys: createBadKeys() });
});
afterEach(async () => {
  await lastUse.close();
  await database.close();
});

const used = async () => {
  await lastUse.flush();
  return (await keys.list()).filter(({ lastUsedAt }) => lastUsedAt !== null).map(({ id }) => id);
};

describe('the door', () => {
  it('lets in who has a key, and notes its use', async () => {
    const [first, second] = [await keys.create({ name: 'a', modules: ['kyb'] }), await keys.create({ name: 'b', modules: ['kyb'] })];
    expect(await door.find(second.key, HERE)).toMatchObject({ keyId: second.id });
    expect(await used()).toEqual([second.id]);
    expect(await door.stillOpen([first.id])).toEqual(new Map([[first.id, expect.objectContaining({ keyId: first.id })]]));
    expect(await used()).toEqual([first.id, second.id]);
  });

  it('notes no use of a key that does not open', async () => {
    const { id, key } = await keys.create({ name: 'a', modules: ['kyb'] });
    await keys.revoke(id);
    expect(await door.find(key, HERE)).toBeNull();
    expect(await door.stillOpen([id])).toEqual(new Map());
    expect(await used()).toEqual([]);
  });

  it('AK-06 says after 20 bad keys how long to wait, and lets a good one in all the same', async () => {
    const { key } = await keys.create({ name: 'a', modules: ['kyb'] });
    for (let i = 0; i < 20; i += 1) expect(await door.find('sk_bad', HERE)).toBeNull();
    await expect(door.find('sk_bad', HERE)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      facts: { retryAfterSeconds: expect.any(Number) },
    });
    expect(await door.find(key, HERE)).not.toBeNull();
    expect(await door.find('sk_bad', '192.0.2.8')).toBeNull();
  });

  it('counts nothing against a caller whose key cannot be looked up', async () => {
    const { key } = await keys.create({ name: 'a', modules: ['kyb'] });
    await database.knex.raw('ALTER TABLE api_keys RENAME TO away');
    for (let i = 0; i < 25; i += 1) await expect(door.find(key, HERE)).rejects.toThrow(/api_keys/);
    await database.knex.raw('ALTER TABLE away RENAME TO api_keys');
    expect(await door.find(key, HERE)).not.toBeNull();
    expect(await door.find('sk_bad', HERE)).toBeNull();
  });
});
