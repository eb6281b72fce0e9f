import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Knex } from 'knex';
import { createDb, urlOf } from './knex.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../migrations');
/** Number of the advisory lock for migrations. */
const LOCK = 7_185_117;
const LOCK_POLL_MS = 100;
const LOCK_WAIT_MS = 5 * 60_000;
const TABLE_LOCK_MS = 2_000;

/** The files of migrations/, named without extension: a migration is `.ts` in the sources and `.js` in the build. */
const source: Knex.MigrationSource<string> = {
  getMigrations: async () => (await readdir(FOLDER)).filter((file) => /(?<!\.d)\.[jt]s$/.test(file)).sort(),
  getMigrationName: (file) => file.replace(/\.[jt]s$/, ''),
  getMigration: (file) => import(pathToFileURL(path.join(FOLDER, file)).href),
};

/**
 * Applies pending migrations and returns their names. Several processes may call it at the same time: each migration is applied once.
 * A killed process leaves no lock. Statements have no time limit, but wait at most 2 s for a table lock.
 * @throws Error when another process has been migrating for five minutes, or when a migration fails (nothing of it is kept)
 */
export async function migrate(db: Knex): Promise<readonly string[]> {
  // One connection for the lock and the work: the last statement of a killed process keeps the lock until it ends.
  const session = createDb(urlOf(db), { poolMax: 1, statementTimeoutMs: 0, lockTimeoutMs: TABLE_LOCK_MS });
  try {
    await waitForLock(async () => (await session.raw('SELECT pg_try_advisory_lock(?) AS locked', [LOCK])).rows[0].locked);
    await session.migrate.forceFreeMigrationsLock(); // knex's own lock stays after a process was killed; the advisory lock does not
    const [, names] = await session.migrate.latest({ migrationSource: source, disableMigrationsListValidation: true });
    return names;
  } finally {
    await session.destroy();
  }
}

/** Names of the migrations that are not applied yet. */
export async function pendingMigrations(db: Knex): Promise<readonly string[]> {
  const names = (await source.getMigrations([])).map(source.getMigrationName);
  const { rows } = await db.raw(`SELECT to_regclass('knex_migrations') IS NOT NULL AS known`);
  const applied: readonly string[] = rows[0].known ? await db('knex_migrations').pluck('name') : [];
  return names.filter((name) => !applied.includes(name));
}

/** Whether every migration of this code is applied, by one short statement. @throws Error when the database does not answer */
export async function isMigrated(db: Knex): Promise<boolean> {
  const names = (await source.getMigrations([])).map(source.getMigrationName);
  const { rows } = await db.raw('SELECT count(*)::int AS applied FROM knex_migrations WHERE name = ANY(?)', [names]);
  return rows[0].applied === names.length;
}

async function waitForLock(tryLock: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LOCK_WAIT_MS;
  while (!(await tryLock())) {
    if (performance.now() > deadline) throw new Error('Another process has been migrating this database for five minutes.');
    await delay(LOCK_POLL_MS);
  }
}
