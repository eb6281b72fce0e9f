import { createHmac, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeys, type IssuedKey, type Keys } from '../../src/auth/api-keys/keys.ts';
import { newKey } from '../../src/auth/api-keys/secret.ts';
import { createDb } from '../../src/db/knex.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { HOUR_MS, SECOND_MS } from '../../src/domain/time.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { rounds } from '../support/rounds.ts';

const SECRET = 'a secret of the tests';

/** One lookup: its start time and the modules of the key; null for a refused key. */
interface Seen {
  readonly id: string;
  readonly startedAt: number;
  readonly modules: readonly string[] | null;
}

let database: TestDb;
beforeEach(async () => {
  database = await testDb();
});
afterEach(() => database.close());

describe('a change to a key', () => {
  const REPLICAS = 3;
  const ASKS_PER_SECOND = 300;
  const ROUNDS = rounds(20);

  it(`AK-04 takes effect within 5 s on ${REPLICAS} busy replicas, and a rotation with an overlap refuses no request: ${ROUNDS} rounds`, async () => {
    const pools = Array.from({ length: REPLICAS }, () => createDb(database.url));
    const replicas = pools.map((db) => createKeys({ db, now: Date.now, secret: SECRET }));
    const operator = createKeys({ db: database.knex, now: Date.now, secret: SECRET });
    for (let round = 0; round < ROUNDS; round += 1) {
      const [revoked, narrowed, widened, rotated, dropped] = await issue(operator, 5);
      let over = false;
      const seen: Seen[] = [];
      const traffic = (async () => {
        while (!over) {
          const keys = [revoked, narrowed, widened, rotated, dropped];
          const asked = keys.map(async (one) => {
            const startedAt = Date.now();
            const caller = await replicas[randomInt(REPLICAS)]?.find(one?.key ?? '');
            seen.push({ id: one?.id ?? '', startedAt, modules: caller ? [...caller.modules] : null });
          });
          await Promise.all(asked);
          await delay((SECOND_MS * keys.length) / ASKS_PER_SECOND);
        }
      })();
      await delay(randomInt(200, 1_500));
      await operator.revoke(revoked?.id ?? '');
      await operator.update(narrowed?.id ?? '', { modules: ['kyb'] });
      await operator.update(widened?.id ?? '', { modules: ['kyb', 'owners', 'labor'] });
      const fresh = await operator.rotate(rotated?.id ?? '', { overlapMs: HOUR_MS });
      await operator.rotate(dropped?.id ?? '', { overlapMs: 0 });
      const late = Date.now() + 5 * SECOND_MS;
      await delay(5_500);
      over = true;
      await traffic;

      const after = (one: IssuedKey | undefined) => seen.filter(({ id, startedAt }) => id === one?.id && startedAt > late);
      const all = (one: IssuedKey | undefined) => new Set(after(one).map(({ modules }) => modules?.join() ?? null));
      expect([revoked, narrowed, widened, dropped].map(all)).toEqual([
        new Set([null]),
        new Set(['kyb']),
        new Set(['kyb,owners,labor']),
        new Set([null]),
      ]);
      expect(seen.filter(({ id, modules }) => id === rotated?.id && modules === null)).toEqual([]);
      for (const replica of replicas) expect((await replica.find(fresh.key))?.keyId).toBe(rotated?.id);
    }
    await Promise.all(pools.map((pool) => pool.destroy()));
  });

  const issue = (keys: Keys, count: number) =>
    Promise.all(Array.from({ length: count }, () => keys.create({ name: 'acme', modules: ['kyb', 'owners'] })));
});

describe('the time of an answer', () => {
  const ASKS = rounds(10_000);

  it(`AK-02 differs by at most 0.2 ms for unknown and revoked keys, and for malformed keys in a warm cache: ${ASKS} of each`, async () => {
    const { knex } = database;
    const [account] = await knex('accounts').insert({ name: 'acme', created_at: new Date() }, 'id');
    const id = randomUUID();
    await knex('api_keys').insert({ id, account_id: account.id, name: 'acme', modules: [...MODULES], revoked_at: new Date() });
    const unknown = Array.from({ length: ASKS }, () => newKey(randomBytes));
    const revoked = Array.from({ length: ASKS }, () => newKey(randomBytes));
    await knex.batchInsert(
      'api_key_secrets',
      revoked.map((key) => ({
        hash: createHmac('sha256', SECRET).update(key).digest(),
        key_id: id,
        last_four: key.slice(-4),
        created_at: new Date(),
      })),
    );
    const malformed = unknown.map((key) => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a'));
    const keys = createKeys({ db: knex, now: () => 0, secret: SECRET });

    const cold = await medians(keys, [unknown, revoked]);
    expect(Math.max(...cold) - Math.min(...cold)).toBeLessThanOrEqual(0.2);
    const few = [unknown, revoked, malformed].map((list) => Array.from({ length: ASKS }, (_, i) => list[i % 100] ?? ''));
    const warm = await medians(keys, few);
    expect(Math.max(...warm) - Math.min(...warm)).toBeLessThanOrEqual(0.2);
  });

  /** The median milliseconds of a lookup of each kind; the kinds alternate. */
  async function medians(keys: Keys, kinds: readonly (readonly string[])[]): Promise<readonly number[]> {
    const times = kinds.map(() => new Float64Array(ASKS));
    for (let i = 0; i < ASKS; i += 1) {
      for (const [kind, list] of kinds.entries()) {
        const startedAt = performance.now();
        await keys.find(list[i] ?? '');
        (times[kind] as Float64Array)[i] = performance.now() - startedAt;
      }
    }
    return times.map((one) => one.sort()[Math.floor(ASKS / 2)] ?? 0);
  }
});
