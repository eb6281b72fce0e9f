import { mkdir, realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { ensureCluster, ensurePassword, readPassword, SUPERUSER } from './embedded/cluster.ts';
import { claimFolder, FolderInUse } from './embedded/owner.ts';
import { clearOrphan, type OwnPostmaster, runningPostmaster, startPostmaster, stopPostmaster } from './embedded/postmaster.ts';
import { findPrograms, type Programs } from './embedded/programs.ts';

const DATABASE = 'quipu';
/** Maximum wait in ms for a command that uses the folder. */
const FOLDER_WAIT_MS = 15_000;
const POLL_MS = 100;
/** Settings of Postgres: commits are on disk before they are acknowledged, and only this machine can connect. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
};

export interface EmbeddedOptions {
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Called when Postgres exits unexpectedly. */
  readonly onExit?: () => void;
  /** Settings of Postgres by name; they override the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A running Postgres. */
export interface Embedded {
  readonly url: string;
  /** Stops it if this process started it. It is idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a Postgres on the files in `dataDir`, which the first start creates. It cleans up after a kill -9: it stops a Postgres without
 * owner, and removes stale pid files and unfinished files. It waits up to 15 s for a command that uses the folder.
 * @throws FolderInUse when another server runs on it; Error with the alternatives when Postgres cannot run here
 */
export async function startEmbedded(dataDir: string, options: EmbeddedOptions): Promise<Embedded> {
  return start(await folder(dataDir), options, false);
}

/**
 * Connects a command to the Postgres of the server that runs on `dataDir`, or starts one until the command ends. @throws FolderInUse when
 * a server owns the folder and its Postgres accepts no connections within 15 s
 */
export async function attachOrStart(dataDir: string, options: EmbeddedOptions): Promise<Embedded> {
  const dir = await folder(dataDir);
  const deadline = performance.now() + FOLDER_WAIT_MS;
  for (;;) {
    try {
      return await start(dir, options, true);
    } catch (error) {
      if (!(error instanceof FolderInUse) || performance.now() > deadline) throw error;
      const running = error.owner.temporary ? null : await runningPostmaster(dir);
      if (running?.ready) return { url: urlOf(await readPassword(dir), running.port, DATABASE), stop: async () => undefined };
      await delay(POLL_MS);
    }
  }
}

/** Creates the folder and returns its real path, which is equal for all processes that use the same folder. */
async function folder(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  return realpath(dataDir);
}

async function start(dataDir: string, options: EmbeddedOptions, temporary: boolean): Promise<Embedded> {
  const release = await claimFolder(dataDir, { temporary, waitMs: FOLDER_WAIT_MS });
  try {
    const programs = await findPrograms(dataDir);
    await clearOrphan(dataDir, programs);
    const password = await ensurePassword(dataDir);
    await ensureCluster(dataDir, programs, password);
    const own = await startPostmaster(dataDir, programs, { ...SETTINGS, ...options.settings });
    const stop = superviseExit(own, dataDir, programs, options, release);
    try {
      await ensureDatabase(urlOf(password, own.port, 'postgres'));
    } catch (error) {
      await stop();
      throw error;
    }
    options.log.info({ component: 'db', port: own.port, dataDir }, 'embedded postgres started');
    return { url: urlOf(password, own.port, DATABASE), stop };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Reports an unexpected exit of Postgres. Returns the function that stops it. */
function superviseExit(
  own: OwnPostmaster,
  dataDir: string,
  programs: Programs,
  { log, onExit }: EmbeddedOptions,
  release: () => Promise<void>,
) {
  const { child } = own;
  let stopping: Promise<void> | null = null;
  child.once('exit', (code, signal) => {
    if (stopping) return;
    log.error({ component: 'db', code, signal, dataDir }, 'embedded postgres ended unexpectedly; see postgres.log');
    onExit?.();
  });
  const isGone = async () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (child.pid !== undefined && !(await isGone())) await stopPostmaster(child.pid, dataDir, programs, isGone);
    await release();
  };
  return (): Promise<void> => {
    stopping ??= stop();
    return stopping;
  };
}

const urlOf = (password: string, port: number, database: string): string =>
  `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;

async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}
