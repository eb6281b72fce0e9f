import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeys, type Keys } from '../../src/auth/api-keys/keys.ts';
import { createLastUse, type LastUse } from '../../src/auth/last-use.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/domain/time.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');

let database: TestDb;
let time: number;
let keys: Keys;
let lines: ReturnType<typeof memoryLog>['lines'];
let processes: readonly [LastUse, LastUse];
beforeEach(async () => {
  database = await testDb();
  time = NOON;
  const quiet = memoryLog();
  lines = quiet.lines;
  const parts = { db: database.knex, now: () => time, log: quiet.log };
  keys = createKeys({ ...parts, secret: 'a secret of the tests' });
  processes = [createLastUse(parts), createLastUse(parts)];
});
afterEach(async () => {
  await Promise.all(processes.map((one) => one.close()));
  await database.close();
});

const newId = async () => (await keys.create({ name: 'acme', modules: ['kyb'] })).id;
const lastUsedAt = async (id: string) => (await keys.get(id)).lastUsedAt;

/** Records every update of a key row in the table `writes`. */
const COUNT_WRITES = `
  CREATE TABLE writes (key_id uuid, at timestamptz);
  CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO writes VALUES (NEW.id, NEW.last_used_at); RETURN NEW; END $$;
  CREATE TRIGGER note_write AFTER UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION note_write();
`;

describe('the last use of a key', () => {
  it('AK-06 is accurate to the minute with one write per key and minute at 1,000 uses per second in two processes', async () => {
    const [busy, quiet] = [await newId(), await newId()];
    await database.knex.raw(COUNT_WRITES);
    processes[1].record(quiet);
    for (let second = 0; second < 120; second += 1) {
      for (let use = 0; use < 500; use += 1) for (const one of processes) one.record(busy);
      if (second % 10 === 9) await Promise.all(processes.map((one) => one.flush()));
      time += SECOND_MS;
    }
    const writes = await database.knex('writes').orderBy('at');
    expect(writes.filter(({ key_id }) => key_id === busy).map(({ at }) => at.getTime())).toEqual([NOON, NOON + MINUTE_MS]);
    expect(writes.filter(({ key_id }) => key_id === quiet)).toHaveLength(1);
    expect([await lastUsedAt(busy), await lastUsedAt(quiet)]).toEqual([NOON + MINUTE_MS, NOON]);
  });

  it('runs no statement when a use is recorded, and one for all keys when uses are written', async () => {
    const ids = [await newId(), await newId(), await newId()];
    const statements: string[] = [];
    database.knex.on('query', ({ sql }: { sql: string }) => statements.push(sql));
    for (const id of ids) processes[0].record(id);
    expect(statements).toEqual([]);
    await processes[0].flush();
    await processes[0].flush();
    expect(statements).toHaveLength(1);
  });

  it('keeps the latest time when an earlier use is written last', async () => {
    const id = await newId();
    processes[0].record(id);
    time += 2 * MINUTE_MS;
    processes[1].record(id);
    await processes[1].flush();
    await processes[0].flush();
    expect(await lastUsedAt(id)).toBe(NOON + 2 * MINUTE_MS);
  });

  it('is written when the process closes it', async () => {
    const id = await newId();
    processes[0].record(id);
    await processes[0].close();
    expect(await lastUsedAt(id)).toBe(NOON);
  });

  it('is written by the next flush after the database failed, and a process that closes meanwhile logs an error', async () => {
    const id = await newId();
    await database.knex.raw('ALTER TABLE api_keys RENAME TO away');
    processes[0].record(id);
    processes[1].record(id);
    await expect(processes[0].flush()).rejects.toThrow();
    await processes[1].close();
    expect(lines).toMatchObject([{ msg: 'the last use of keys could not be written' }]);
    await database.knex.raw('ALTER TABLE away RENAME TO api_keys');
    time += MINUTE_MS;
    await processes[0].flush();
    expect(await lastUsedAt(id)).toBe(NOON);
  });

  it('of a deleted key does not stop the write of another', async () => {
    const [gone, there] = [await newId(), await newId()];
    processes[0].record(gone);
    processes[0].record(there);
    await database.knex('api_keys').where({ id: gone }).delete();
    await processes[0].flush();
    expect(await lastUsedAt(there)).toBe(NOON);
  });
});
