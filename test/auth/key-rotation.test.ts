import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditLog } from '../../src/audit/audit-log.ts';
import { createKeys, type IssuedKey, type Keys } from '../../src/auth/api-keys/keys.ts';
import { AppError } from '../../src/domain/errors.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/time.ts';
import { type TestDb, testDb } from '../support/db.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const DAY = { overlapMs: 24 * HOUR_MS };

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
const keysOfProcess = (): Keys => createKeys({ db: database.knex, now: () => time, secret: 'a secret of the tests' });
const keyIdOf = async (process: Keys, { key }: IssuedKey) => (await process.find(key))?.keyId ?? null;
const noPost = async (): Promise<never> => {
  throw new AppError('SERVICE_UNAVAILABLE', 'The mail could not be sent (ECONNECTION).');
};

describe('rotating a key', () => {
  it('AK-04 keeps the key: the old and the new secret identify the same caller', async () => {
    const old = await keys.create({ name: 'acme', modules: ['kyb'], plan: 'enterprise' });
    const fresh = await keys.rotate(old.id, DAY);
    expect(fresh.key).not.toBe(old.key);
    const { secretHash: _new, ...caller } = (await keys.find(fresh.key)) ?? expect.fail();
    const { secretHash: _old, ...before } = (await keys.find(old.key)) ?? expect.fail();
    expect(caller).toEqual(before);
    expect(await keyIdOf(keys, fresh)).toBe(old.id);
    expect(await keys.list()).toHaveLength(1);
  });

  it('AK-04 ends the old secret after the overlap in every process, and the new one stays valid', async () => {
    const replicas = [keys, keysOfProcess(), keysOfProcess()];
    const old = await keys.create({ name: 'acme', modules: ['kyb'] });
    await Promise.all(replicas.map((replica) => keyIdOf(replica, old)));
    const fresh = await keys.rotate(old.id, DAY);

    for (let hour = 0; hour < 24; hour += 1) {
      for (const replica of replicas) expect([await keyIdOf(replica, old), await keyIdOf(replica, fresh)]).toEqual([old.id, old.id]);
      time += HOUR_MS;
    }
    for (const replica of replicas) expect([await keyIdOf(replica, old), await keyIdOf(replica, fresh)]).toEqual([null, old.id]);
  });

  it('AK-04 without overlap ends the old secret at once in its process, and within 5 s in another', async () => {
    const replica = keysOfProcess();
    const old = await keys.create({ name: 'acme', modules: ['kyb'] });
    await keyIdOf(replica, old);
    const fresh = await keys.rotate(old.id, { overlapMs: 0 });
    expect([await keyIdOf(keys, old), await keyIdOf(keys, fresh)]).toEqual([null, old.id]);
    time += 5 * SECOND_MS - 1;
    expect(await keyIdOf(replica, old)).toBeNull();
  });

  it('does not extend an earlier overlap', async () => {
    const first = await keys.create({ name: 'acme', modules: ['kyb'] });
    const second = await keys.rotate(first.id, { overlapMs: HOUR_MS });
    const third = await keys.rotate(first.id, DAY);
    time += HOUR_MS;
    expect(await Promise.all([first, second, third].map((one) => keyIdOf(keys, one)))).toEqual([null, first.id, first.id]);
  });

  it('lists the secrets by their last four characters, newest first', async () => {
    const old = await keys.create({ name: 'acme', modules: ['kyb'] });
    time += HOUR_MS;
    const fresh = await keys.rotate(old.id, DAY);
    expect(await keys.get(old.id)).toMatchObject({
      createdAt: NOON,
      lastFour: fresh.key.slice(-4),
      secrets: [
        { lastFour: fresh.key.slice(-4), createdAt: time, expiresAt: null },
        { lastFour: old.key.slice(-4), createdAt: NOON, expiresAt: time + 24 * HOUR_MS },
      ],
    });
  });

  it('leaves one current secret after eight simultaneous rotations, and the others in their overlap', async () => {
    const { id } = await keys.create({ name: 'acme', modules: ['kyb'] });
    const issued = await Promise.all(Array.from({ length: 8 }, () => keysOfProcess().rotate(id, DAY)));
    const { secrets } = await keys.get(id);
    expect(secrets.filter(({ expiresAt }) => expiresAt === null)).toHaveLength(1);
    expect(await Promise.all(issued.map((one) => keyIdOf(keys, one)))).toEqual(issued.map(() => id));
    time += 24 * HOUR_MS;
    expect((await Promise.all(issued.map((one) => keyIdOf(keys, one)))).filter(Boolean)).toEqual([id]);
  });

  it('lets a revocation end the old and the new secret', async () => {
    const old = await keys.create({ name: 'acme', modules: ['kyb'] });
    const fresh = await keys.rotate(old.id, DAY);
    await keys.revoke(fresh.key);
    expect([await keyIdOf(keys, old), await keyIdOf(keys, fresh)]).toEqual([null, null]);
  });

  it('is rejected for a revoked, expired or unknown key', async () => {
    const revoked = await keys.create({ name: 'revoked', modules: ['kyb'] });
    await keys.revoke(revoked.id);
    const expired = await keys.create({ name: 'expired', modules: ['kyb'], expiresAt: NOON });
    await expect(keys.rotate(revoked.id, DAY)).rejects.toThrow(/revoked/);
    await expect(keys.rotate(expired.id, DAY)).rejects.toThrow(/expired/);
    await expect(keys.rotate('ffffffff', DAY)).rejects.toThrow(/no such key/);
    expect(await database.knex('api_key_secrets')).toHaveLength(2);
  });

  it('AK-04 ends the old secret of open sockets, and keeps the new one until the key is revoked', async () => {
    const old = await keys.create({ name: 'acme', modules: ['kyb'] });
    const oldHash = (await keys.find(old.key))?.secretHash ?? '';
    const fresh = await keys.rotate(old.id, DAY);
    const newHash = (await keys.find(fresh.key))?.secretHash ?? '';
    const valid = async () => [...(await keys.stillValid([oldHash, newHash])).keys()];
    expect(new Set(await valid())).toEqual(new Set([oldHash, newHash]));
    time += DAY.overlapMs;
    expect(await valid()).toEqual([newHash]);
    await keys.revoke(old.id);
    expect(await valid()).toEqual([]);
  });
});

describe('a key that is delivered', () => {
  it('is valid during and after its delivery', async () => {
    let duringDelivery: string | null = null;
    const issued = await keys.create({ name: 'acme', modules: ['kyb'] }, async (one) => {
      duringDelivery = await keyIdOf(keys, one);
    });
    expect(duringDelivery).toBe(issued.id);
    time += 24 * HOUR_MS;
    expect(await keyIdOf(keys, issued)).toBe(issued.id);
  });

  it('is revoked when the delivery fails, and the error reports that', async () => {
    const sent: IssuedKey[] = [];
    const lost = keys.create({ name: 'acme', modules: ['kyb'] }, async (one) => {
      sent.push(one);
      await noPost();
    });
    await expect(lost).rejects.toThrow('The mail could not be sent (ECONNECTION). The key is revoked again: nobody has it.');
    expect(await keys.list()).toMatchObject([{ revokedAt: NOON }]);
    expect(await keys.find(sent[0]?.key ?? '')).toBeNull();
  });

  it('keeps its old secret when the delivery of a rotation fails', async () => {
    const old = await keys.create({ name: 'acme', modules: ['kyb'] });
    await expect(keys.rotate(old.id, { ...DAY, deliver: noPost })).rejects.toThrow(/opens as before/);
    expect((await keys.get(old.id)).secrets).toHaveLength(1);
    time += 48 * HOUR_MS;
    expect(await keyIdOf(keys, old)).toBe(old.id);
    const actions = (await auditLog(database.knex, { since: 0, subject: old.id })).map(({ action }) => action);
    expect(actions).toEqual(['key.created', 'key.rotation_undone']);
  });

  it('is invalid 10 minutes after a delivery that did not end', async () => {
    let lost: IssuedKey | undefined;
    void keysOfProcess().create({ name: 'acme', modules: ['kyb'] }, (one) => {
      lost = one;
      return new Promise(() => undefined);
    });
    await expect.poll(() => lost).toBeDefined();
    time += 10 * MINUTE_MS;
    expect(await keys.find(lost?.key ?? '')).toBeNull();
  });
});
