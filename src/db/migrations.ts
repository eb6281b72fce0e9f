import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { createDb, directUrlOf } from './knex.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../migrations');
/** Number of the advisory lock for migrations. */
const LOCK = 7_185_117;
const LOCK_POLL_MS = 100;
const LOCK_WAIT_MS = 5 * 60_000;
/** Time in ms that a start waits for another process without a log line. Several processes that start together wait for less. */
const SILENT_WAIT_MS = 2_000;
const TABLE_LOCK_MS = 2_000;

/** Source of the files of migrations/, named without extension: a migration is `.ts` in the sources and `.js` in the build. */
const source: Knex.MigrationSource<string> = {
  getMigrations: async () => (await readdir(FOLDER)).filter((file) => /(?<!\.d)\.[jt]s$/.test(file)).sort(),
  getMigrationName: (file) => file.replace(/\.[jt]s$/, ''),
  getMigration: (file) => import(pathToFileURL(path.join(FOLDER, file)).href),
};

/**
 * Applies pending migrations and returns their names. Several processes may call it at the same time: each migration is applied once, and
 * a process that waits logs for which one. A killed process leaves no lock. Statements have no time limit, but wait at most 2 s for a
 * table lock.
 * @throws Error when another process still migrates after `waitMs`, or when a migration fails (nothing of it is stored)
 */
export async function migrate(db: Knex, log?: Pick<Logger, 'warn'>, waitMs = LOCK_WAIT_MS): Promise<readonly string[]> {
  // One direct connection has the lock and does the work, because the last statement of a killed process keeps the lock until it ends.
  const session = createDb(directUrlOf(db), { poolMax: 1, statementTimeoutMs: 0, lockTimeoutMs: TABLE_LOCK_MS, isBackground: true });
  try {
    await waitForLock(session, waitMs, log);
    await session.migrate.forceFreeMigrationsLock(); // knex's own lock remains after a process was killed; the advisory lock does not
    const [, names] = await session.migrate.latest({ migrationSource: source, disableMigrationsListValidation: true });
    return names;
  } finally {
    await session.destroy();
  }
}

/** Returns the names of the migrations that are not applied yet. */
export async function pendingMigrations(db: Knex): Promise<readonly string[]> {
  const names = (await source.getMigrations([])).map(source.getMigrationName);
  const { rows } = await db.raw(`SELECT to_regclass('knex_migrations') IS NOT NULL AS known`);
  const applied: readonly string[] = rows[0].known ? await db('knex_migrations').pluck('name') : [];
  return names.filter((name) => !applied.includes(name));
}

/** Returns true if every migration of this code is applied, by one short statement. @throws Error when the database does not respond */
export async function isMigrated(db: Knex): Promise<boolean> {
  const names = (await source.getMigrations([])).map(source.getMigrationName);
  const { rows } = await db.raw('SELECT count(*)::int AS applied FROM knex_migrations WHERE name = ANY(?)', [names]);
  return rows[0].applied === names.length;
}

/** Returns the names of applied migrations that this code does not have, because a newer version has migrated the database. */
export async function unknownMigrations(db: Knex): Promise<readonly string[]> {
  const names = (await source.getMigrations([])).map(source.getMigrationName);
  return (await db('knex_migrations').orderBy('id').pluck('name')).filter((name) => !names.includes(name));
}

async function waitForLock(session: Knex, waitMs: number, log?: Pick<Logger, 'warn'>): Promise<void> {
  const began = performance.now();
  let said = false;
  while (!(await session.raw('SELECT pg_try_advisory_lock(?) AS locked', [LOCK])).rows[0].locked) {
    const waitedMs = performance.now() - began;
    if (!said && waitedMs > SILENT_WAIT_MS) {
      said = true;
      log?.warn({ component: 'db', holder: await lockHolder(session) }, 'waiting for another process that migrates this database');
    }
    if (waitedMs > waitMs) throw stillMigrating(await lockHolder(session));
    await delay(LOCK_POLL_MS);
  }
}

const stillMigrating = (holder: Holder | undefined): Error =>
  new Error(
    holder
      ? `Another process (${holder.application}, Postgres process ${holder.pid}) still migrates this database. If it hangs, end it: SELECT pg_terminate_backend(${holder.pid})`
      : 'Other processes still migrate this database, one after another.',
  );

/** The connection that holds the lock for migrations. */
interface Holder {
  /** Id of its server process. */
  readonly pid: number;
  readonly application: string;
  readonly connectedAt: Date;
}

async function lockHolder(session: Knex): Promise<Holder | undefined> {
  const { rows } = await session.raw(
    `SELECT pid, application_name AS application, backend_start AS "connectedAt" FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = ? AND datname = current_database()`,
    [LOCK],
  );
  return rows[0];
}
