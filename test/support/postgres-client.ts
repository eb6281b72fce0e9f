import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { ensureCluster, ensurePassword, SUPERUSER } from '../../src/db/embedded/cluster.ts';
import { startPostmaster } from '../../src/db/embedded/postmaster.ts';
import { findPrograms, type Programs } from '../../src/db/embedded/programs.ts';
import { needs } from './needs.ts';
import { freePort } from './ports.ts';
import { dataFolder } from './process.ts';

const [, major = ''] = /(\d+)/.exec(spawnSync('pg_dump', ['--version']).stdout?.toString() ?? '') ?? [];
/**
 * Folder in which Debian's packages install a server. pg_dump reads servers up to its own version only, and Debian's is older than the
 * embedded one.
 */
const folder = `/usr/lib/postgresql/${major}/bin`;

/** True when pg_dump and a server of its version are installed. Without them, their tests are skipped; `.ci/run` fails instead. */
export const hasPostgresClient = major !== '' && existsSync(path.join(folder, 'postgres'));
export const needsPostgresClient = needs(hasPostgresClient, 'pg_dump and a server of its version are not installed');

async function installedPrograms(dir: string): Promise<Programs> {
  const { account } = await findPrograms(dir);
  return { account, spawn: (program, args, options) => spawn(path.join(folder, program), args, { cwd: '/', ...options, ...account }) };
}

/** Starts a server of the version of the installed pg_dump, for one test. Returns the address of a database without tables. */
export async function serverOfClient(): Promise<string> {
  const dir = await dataFolder();
  await chmod(dir, 0o755); // root starts it as another user
  const programs = await installedPrograms(dir);
  const password = await ensurePassword(dir);
  await ensureCluster(dir, programs, password);
  const { child, port } = await startPostmaster(dir, programs, {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGQUIT');
    await ended;
  });
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
}

/** Starts a streaming replica of a server, for one test. `stop` ends it at once. */
export async function replicaOf(primaryUrl: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const dir = await dataFolder();
  await chmod(dir, 0o777); // another user writes there if this one is root
  const programs = await installedPrograms(dir);
  const files = path.join(dir, 'replica');
  const copying = spawn(path.join(folder, 'pg_basebackup'), ['-d', primaryUrl, '-D', files, '--write-recovery-conf', '--checkpoint=fast'], {
    cwd: '/',
    stdio: 'inherit',
    ...programs.account,
  });
  const [code] = await once(copying, 'exit');
  if (code !== 0) throw new Error(`pg_basebackup ended with ${code}`);
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = programs.spawn('postgres', ['-D', files, ...settings.flatMap((setting) => ['-c', setting])], { stdio: 'ignore' });
  const ended = once(server, 'exit');
  const stop = async () => {
    server.kill('SIGQUIT');
    await ended;
  };
  onTestFinished(stop);
  const url = new URL(primaryUrl);
  url.port = String(port);
  return { url: url.href, stop };
}
