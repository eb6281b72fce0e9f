import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { Knex } from 'knex';
import { AppError, invalidInput } from '../domain/errors.ts';
import { directUrlOf } from './knex.ts';

/** Programs of the Postgres client, found on the PATH. */
type Program = 'pg_dump' | 'pg_restore';

/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Options without owners and privileges, because another user may restore the database. */
const COMMON_OPTIONS = ['--no-owner', '--no-privileges'];

/**
 * Dumps a database into a new file, in the custom format of pg_dump. The file is complete under its name, or absent; only its owner can
 * read it. Returns its size in bytes.
 * @throws AppError INVALID_INPUT for a file that exists or cannot be written; INTERNAL when pg_dump is missing, too old, or fails
 */
export async function dumpDatabase(db: Knex, file: string, environment: Environment): Promise<number> {
  if (await stat(file).catch(() => null)) throw invalidInput('file', `${file} exists already.`);
  await requireVersion('pg_dump', db);
  const partial = `${file}.partial`;
  const out = await open(partial, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw invalidInput('file', `${partial} cannot be written (${error.code}).`);
  });
  try {
    await runClient('pg_dump', ['--format=custom', ...COMMON_OPTIONS], { db, environment, out: out.fd });
    await out.sync();
    const { size } = await out.stat();
    await rename(partial, file);
    return size;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await out.close();
  }
}

/**
 * Restores a dump into an empty database, in one transaction: everything or nothing.
 * @throws AppError INVALID_INPUT for a file that cannot be read and for a database that has tables; INTERNAL when pg_restore is missing or fails
 */
export async function restoreDatabase(db: Knex, file: string, environment: Environment): Promise<void> {
  const size = await stat(file).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      throw invalidInput('file', `${file} cannot be read (${error.code}).`);
    },
  );
  if (size === 0) throw invalidInput('file', `${file} is empty.`);
  const { rows } = await db.raw(
    `SELECT count(*)::int AS tables FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
     WHERE relkind IN ('r', 'p') AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`,
  );
  if (rows[0].tables > 0)
    throw invalidInput('database', 'This database has tables. Restore into a new, empty one; this one stays as it is.');
  await requireVersion('pg_restore', db);
  await runClient('pg_restore', ['--single-transaction', '--exit-on-error', ...COMMON_OPTIONS, file], { db, environment });
}

/** Returns the number of connections that other processes of the service have to a database. */
export async function otherConnections(db: Knex): Promise<number> {
  const { rows } = await db.raw(
    `SELECT count(*)::int AS connections FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'quipu' AND pid <> pg_backend_pid()`,
  );
  return rows[0].connections;
}

/**
 * Checks the version of a program. Programs dump and restore servers up to their own major version. @throws AppError INTERNAL for one that
 * is missing or older
 */
async function requireVersion(program: Program, db: Knex): Promise<void> {
  const { rows } = await db.raw(`SELECT current_setting('server_version_num')::int / 10000 AS major`);
  const { major } = rows[0];
  const advice = `Install the client of Postgres ${major} (in Debian: postgresql-client-${major}) and put it on the PATH, or copy the data folder (docs/operations.md).`;
  const child = spawn(program, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  await ended(child).catch(() => {
    throw new AppError('INTERNAL', `${program} is not installed. ${advice}`);
  });
  const own = Number(/(\d+)/.exec(output)?.[1] ?? 0);
  if (own < major) throw new AppError('INTERNAL', `${program} is of Postgres ${own}, the server of Postgres ${major}. ${advice}`);
}

interface Run {
  readonly db: Knex;
  readonly environment: Environment;
  /** File descriptor for the output of the program. */
  readonly out?: number;
}

/** Runs a program on the database. The password is passed in its environment, because other users can read arguments. */
async function runClient(program: Program, args: readonly string[], { db, environment, out }: Run): Promise<void> {
  const url = new URL(directUrlOf(db));
  const env = { ...environment, ...(url.password && { PGPASSWORD: decodeURIComponent(url.password) }) };
  url.password = '';
  const child = spawn(program, [`--dbname=${url.href}`, ...args], { env, stdio: ['ignore', out ?? 'ignore', 'pipe'] });
  const stop = () => child.kill();
  process.once('exit', stop);
  let output = '';
  child.stderr?.on('data', (text) => {
    output = `${output}${text}`.slice(0, 2_000); // the first messages state the cause
  });
  const status = await ended(child).finally(() => process.off('exit', stop));
  if (status !== 0) throw new AppError('INTERNAL', `${program} failed: ${output.trim() || `exit code ${status}`}`);
}

/** @returns the exit code; null for a signal @throws Error when the program cannot be started */
async function ended(child: ChildProcess): Promise<number | null> {
  const [status] = await once(child, 'close');
  return status;
}
