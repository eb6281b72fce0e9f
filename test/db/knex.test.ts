import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDb, preparedAs, withConnection } from '../../src/db/knex.ts';
import { needsRealClock } from '../support/clock.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { type SilentProxy, silentProxy } from '../support/silent-proxy.ts';

let database: TestDb;
beforeAll(async () => {
  database = await testDb();
});
afterAll(() => database.close());

describe('the pool', () => {
  it('reads days and large numbers as text, and moments as Date', async () => {
    const { rows } = await database.knex.raw(
      `SELECT date '2026-11-21' AS day, 9007199254740993::bigint AS big, timestamptz '2026-11-21 02:30:27Z' AS moment, NULL::date AS none`,
    );
    expect(rows).toEqual([{ day: '2026-11-21', big: '9007199254740993', moment: new Date('2026-11-21T02:30:27Z'), none: null }]);
  });

  it.each([
    ['nothing', []],
    ['identifiers', ['99030001000146', '76.192.083-9']],
    ['delimiters', ['a,b', '{}', '"', '\\\\', "'"]],
    ['blanks and nothing', ['', ' ', ' a b ', 'ção']],
    ['words for null', ['NULL', 'null', 'Annullo']],
    ['a null', ['a', null]],
    [
      'nested arrays',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
  ])('reads an array of texts with %s as it was written', async (_, texts) => {
    const { rows } = await database.knex.raw('SELECT ?::text[] AS texts', [texts as string[]]);
    expect(rows).toEqual([{ texts }]);
  });

  it('reads an array of texts with bounds', async () => {
    const { rows } = await database.knex.raw("SELECT '[5:6]={a,b}'::text[] AS texts");
    expect(rows).toEqual([{ texts: ['a', 'b'] }]);
  });

  it('fails a statement that runs too long, and keeps its connection', needsRealClock, async () => {
    const db = createDb(database.url, { poolMax: 1, statementTimeoutMs: 200 });
    const pid = await backend(db);
    await expect(db.raw('SELECT pg_sleep(5)')).rejects.toThrow(/statement timeout/);
    expect(await backend(db)).toBe(pid);
    await db.destroy();
  });

  it('prepares a named statement once for a connection, and none through a pooler', async () => {
    const named = async (directUrl?: string) => {
      const db = createDb(database.url, { poolMax: 1, ...(directUrl && { directUrl }) });
      for (const n of [1, 2]) await db.raw('SELECT ?::int AS n', [n]).options(preparedAs(db, 'a_number'));
      const { rows } = await db.raw('SELECT name, generic_plans + custom_plans AS runs FROM pg_prepared_statements');
      await db.destroy();
      return rows;
    };
    expect(await named()).toEqual([{ name: 'a_number', runs: '2' }]);
    expect(await named(`${database.url}?direct`)).toEqual([]);
  });

  it('has no statement compiled, in its connections and in separate ones', async () => {
    const db = createDb(database.url);
    try {
      const setting = (rows: readonly { readonly jit: string }[]) => rows[0]?.jit;
      expect(setting((await db.raw('SHOW jit')).rows)).toBe('off');
      const separate = await withConnection(db, (client) => client.query('SHOW jit'), { statementTimeoutMs: 0 });
      expect(setting(separate.rows)).toBe('off');
    } finally {
      await db.destroy();
    }
  });

  it('fails at once when nothing listens at the address', async () => {
    const db = createDb('postgres://quipu:none@127.0.0.1:1/quipu');
    const started = performance.now();
    await expect(db.raw('SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
    expect(performance.now() - started).toBeLessThan(1_000);
    await db.destroy();
  });

  it('does not use a connection again whose statement had no response, even one that was sent right after a response', async () => {
    // A timer of Node may come up to 1 ms early: 20 statements meet such a timer.
    const reuse = async () => {
      const db = createDb(database.url, { poolMax: 1, statementTimeoutMs: 100 });
      const pid = await backend(db);
      await db.raw('SET statement_timeout = 0');
      await expect(db.raw('SELECT pg_sleep(3)')).rejects.toThrow(/read timeout/);
      expect(await backend(db)).not.toBe(pid);
      await db.destroy();
    };
    await Promise.all(Array.from({ length: 20 }, reuse));
  });

  it('reports a failed statement without its values', async () => {
    const failure = await database.knex('no_such_table').where('hash', 'the-secret-value').catch(String);
    expect(failure).toMatch(/no_such_table/);
    expect(failure).not.toMatch(/the-secret-value/);
  });

  it('opens a new connection after the server closed the old one', async () => {
    const db = createDb(database.url, { poolMax: 1 });
    const pid = await backend(db);
    await database.knex.raw('SELECT pg_terminate_backend(?)', [pid]);
    await delay(50);
    expect(await backend(db)).not.toBe(pid);
    await db.destroy();
  });
});

describe('a host that falls silent (no FIN, no RST)', () => {
  let proxy: SilentProxy;
  let db: Knex;
  afterEach(async () => {
    await db.destroy();
    proxy.close();
  });

  it('DB-03 answers every request within 5 s, recovers within 10 s and holds no dead connection', async () => {
    proxy = await silentProxy(database.url);
    db = createDb(proxy.url);
    await Promise.all(Array.from({ length: 10 }, () => db.raw('SELECT pg_sleep(0.05)')));
    const frozen = proxy.freeze();
    expect(frozen).toBe(10);

    const frozenAt = performance.now();
    const asked: Promise<{ readonly tookMs: number; readonly failedAfterMs: number | null }>[] = [];
    while (performance.now() - frozenAt < 8_000) {
      asked.push(timed(db.raw('SELECT 1'), frozenAt));
      await delay(20);
    }
    const answers = await Promise.all(asked);

    expect(answers.some(({ failedAfterMs }) => failedAfterMs !== null)).toBe(true);
    expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(5_000);
    expect(Math.max(...answers.map(({ failedAfterMs }) => failedAfterMs ?? 0))).toBeLessThan(10_000);
    expect(proxy.silent()).toBe(0);
    expect(db.client.pool.numUsed()).toBe(0);
  });

  it('after one timeout, idle connections that have not answered since are not tried one after the other', async () => {
    proxy = await silentProxy(database.url);
    db = createDb(proxy.url);
    await Promise.all(Array.from({ length: 4 }, () => db.raw('SELECT pg_sleep(0.05)')));
    proxy.freeze();

    await expect(db.raw('SELECT 1')).rejects.toThrow(/timeout/);
    const started = performance.now();
    await db.raw('SELECT 1');
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('a transaction fails within 5 s too, because its rollback does not wait for the dead connection', async () => {
    proxy = await silentProxy(database.url);
    db = createDb(proxy.url, { poolMax: 1 });
    const trx = await db.transaction();
    proxy.freeze();
    const started = performance.now();
    await expect(trx.raw('SELECT 1').finally(() => trx.rollback())).rejects.toThrow(/timeout/);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('a separate connection', () => {
  it('is outside the pool, has its own statement timeout and is closed afterwards', async () => {
    const db = createDb(database.url, { poolMax: 1, statementTimeoutMs: 100 });
    const holder = await db.transaction();
    const pid = await withConnection(
      db,
      async (client) => (await client.query('SELECT pg_sleep(0.7), pg_backend_pid() AS pid')).rows[0].pid,
      { statementTimeoutMs: 5_000 },
    );
    await holder.rollback();
    await expect.poll(() => isConnected(pid)).toBe(false);
    await db.destroy();
  });

  it('is closed when the work fails, which ends its transaction', async () => {
    let pid = 0;
    const work = withConnection(
      database.knex,
      async (client) => {
        pid = (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
        await client.query('BEGIN; CREATE TABLE left_open (id int);');
        throw new Error('the work failed');
      },
      { statementTimeoutMs: 5_000 },
    );
    await expect(work).rejects.toThrow('the work failed');
    await expect.poll(() => isConnected(pid)).toBe(false);
    expect(await database.knex.schema.hasTable('left_open')).toBe(false);
  });

  it('cancels a statement at its timeout', needsRealClock, async () => {
    const work = withConnection(database.knex, (client) => client.query('SELECT pg_sleep(5)'), { statementTimeoutMs: 100 });
    await expect(work).rejects.toThrow(/statement timeout/);
  });
});

const backend = async (db: Knex): Promise<number> => (await db.raw('SELECT pg_backend_pid() AS pid')).rows[0].pid;

async function isConnected(pid: number): Promise<boolean> {
  const { rows } = await database.knex.raw('SELECT FROM pg_stat_activity WHERE pid = ?', [pid]);
  return rows.length > 0;
}

async function timed(work: Promise<unknown>, zero: number) {
  const started = performance.now();
  const failed = await work.then(
    () => false,
    () => true,
  );
  const ended = performance.now();
  return { tookMs: ended - started, failedAfterMs: failed ? ended - zero : null };
}
