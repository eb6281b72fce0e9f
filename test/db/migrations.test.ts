import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDb } from '../../src/db/knex.ts';
import { migrate, pendingMigrations } from '../../src/db/migrations.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NAMES = (await readdir(path.join(ROOT, 'migrations'))).map((file) => path.parse(file).name).sort();

/** Slows down one of the migrations. */
const SLOW_TABLES = `
  CREATE FUNCTION be_slow() RETURNS event_trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF current_query() LIKE '%CREATE TABLE api_keys%' THEN PERFORM pg_sleep(3); END IF;
  END $$;
  CREATE EVENT TRIGGER be_slow ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION be_slow();
`;

let database: TestDb;
let db: Knex;
beforeEach(async () => {
  database = await testDb();
  db = database.knex;
  await db.raw('DROP SCHEMA public CASCADE; CREATE SCHEMA public;');
});
afterEach(() => database.close());

/** Reverts the last migration, so that it is pending. */
async function takeBackLast(): Promise<void> {
  const { down } = await import(path.join(ROOT, 'migrations', `${NAMES.at(-1)}.ts`));
  await down(db);
  await db('knex_migrations').where('name', NAMES.at(-1)).delete();
}

const applied = (): Promise<string[]> => db('knex_migrations').orderBy('id').pluck('name');

describe('migrating', () => {
  it('sets up an empty database once and returns the applied migrations, without file extensions', async () => {
    expect(await pendingMigrations(db)).toEqual(NAMES);
    expect(await migrate(db)).toEqual(NAMES);
    expect(await pendingMigrations(db)).toEqual([]);
    expect(await migrate(db)).toEqual([]);
    expect(await applied()).toEqual(NAMES);
  });

  it('DB-07 applies each migration exactly once when several migrate at the same moment', async () => {
    const pools = Array.from({ length: 4 }, () => createDb(database.url));
    const done = await Promise.all(pools.map((pool) => migrate(pool)));
    await Promise.all(pools.map((pool) => pool.destroy()));

    expect(done.flat()).toEqual(NAMES);
    expect(await applied()).toEqual(NAMES);
  });

  it('is not stopped by a lock that a killed process left', async () => {
    await migrate(db);
    await takeBackLast();
    await db('knex_migrations_lock').update({ is_locked: 1 });

    expect(await migrate(db)).toEqual(NAMES.slice(-1));
  });

  it('completes after a kill -9 in the middle of a migration, even while its last statement still runs', async () => {
    await db.raw(SLOW_TABLES);
    const killed = migrateElsewhere(database.url);
    await until(async () => {
      const { rows } = await db.raw(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`);
      return rows.length > 0;
    });
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const pending = await pendingMigrations(db);
    expect(pending.length).toBeGreaterThan(0);
    expect(pending).toEqual(NAMES.slice(-pending.length));

    expect(await migrate(db)).toEqual(pending);
    expect(await applied()).toEqual(NAMES);
  });

  it('fails on a locked table after 2 s and rolls the migration back', async () => {
    await migrate(db);
    await takeBackLast();
    const holder = await db.transaction();
    await holder.raw('LOCK TABLE knex_migrations');

    const started = performance.now();
    await expect(migrate(db)).rejects.toThrow(/lock timeout/);
    expect(performance.now() - started).toBeLessThan(4_000);
    await holder.rollback();
    expect(await migrate(db)).toEqual(NAMES.slice(-1));
  });

  it('logs for which connection it waits, and gives up', async () => {
    const holder = createDb(database.url, { poolMax: 1 });
    onTestFinished(() => holder.destroy());
    const { rows } = await holder.raw('SELECT pg_advisory_lock(7185117), pg_backend_pid() AS pid');
    const { log, lines } = memoryLog();

    await expect(migrate(db, log, 2_500)).rejects.toThrow(
      `Another process (quipu, Postgres process ${rows[0].pid}) still migrates this database. If it hangs, end it: SELECT pg_terminate_backend(${rows[0].pid})`,
    );
    expect(lines).toMatchObject([{ holder: { pid: rows[0].pid, application: 'quipu' } }]);
  });

  it('accepts a database that a newer release has migrated further', async () => {
    await migrate(db);
    await db('knex_migrations').insert({ name: '29990101000000_from_the_future', batch: 2, migration_time: new Date() });

    expect(await migrate(db)).toEqual([]);
    expect(await pendingMigrations(db)).toEqual([]);
  });
});

function migrateElsewhere(url: string) {
  const script = `
    import { createDb } from './src/db/knex.ts';
    import { migrate } from './src/db/migrations.ts';
    await migrate(createDb(process.argv[1]));
  `;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, url], { cwd: ROOT, stdio: 'inherit' });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20);
}
