import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { testDb } from './db.ts';
import { needs } from './needs.ts';
import { atPort } from './ports.ts';

/** True when PgBouncer is installed. Without it, its tests are skipped; `.ci/run` fails instead. */
export const hasPooler = spawnSync('pgbouncer', ['--version']).status === 0;
export const needsPooler = needs(hasPooler, 'pgbouncer is not installed');

export interface Pooler {
  /** Address of the database through the pooler. */
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** Configuration of PgBouncer: the port to listen on, and the database behind it. */
export interface PoolerTarget {
  readonly port: number;
  readonly host: string;
  readonly postgresPort: string;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** Folder for further files of the configuration. */
  readonly dir: string;
}

/**
 * Creates a configuration in which any client may connect, as the user of the database. As in deploy/compose.yml, the connection to
 * Postgres is retried every second while it is unavailable.
 */
const trusting = async ({ port, host, postgresPort, database, user, password }: PoolerTarget): Promise<string> => `[databases]
${database} = host=${host} port=${postgresPort} user=${user} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 200
server_login_retry = 1
`;

/** Creates a database of the test server for one test, and PgBouncer in front of it. */
export async function pooledDb(settingsOf = trusting) {
  const db = await testDb();
  onTestFinished(() => db.close());
  return { db, pooler: await testPooler(db.url, settingsOf) };
}

/** Starts PgBouncer in front of a database, for one test. @param settingsOf returns its pgbouncer.ini; default `trusting` */
export async function testPooler(databaseUrl: string, settingsOf = trusting): Promise<Pooler> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'quipu-pooler-'));
  await chmod(dir, 0o755); // root starts it as another user
  const { hostname, port: postgresPort, pathname, username, password } = new URL(databaseUrl);
  const database = pathname.slice(1);
  let child: ChildProcess | null = null;

  async function start(port: number): Promise<void> {
    const settings = path.join(dir, 'pgbouncer.ini');
    const [user, secret] = [username, password].map(decodeURIComponent) as [string, string];
    await writeFile(settings, await settingsOf({ port, host: hostname, postgresPort, database, user, password: secret, dir }));
    const started = spawn('pgbouncer', [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), settings]);
    child = started;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      started.stderr.on('data', (text) => {
        said += text;
        if (/process up/.test(said)) resolve();
      });
      started.once('close', (status) => {
        const code = /Address already in use/.test(said) ? 'EADDRINUSE' : 'POOLER_ENDED';
        reject(Object.assign(new Error(`pgbouncer ended with ${status}: ${said}`), { code }));
      });
    });
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  onTestFinished(async () => {
    await kill();
    await rm(dir, { recursive: true, force: true });
  });
  const port = await atPort(async (candidate) => {
    await start(candidate);
    return candidate;
  });
  return { url: `postgres://anyone@127.0.0.1:${port}/${database}`, start: () => start(port), kill };
}
