import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { ensureCluster, ensurePassword, SUPERUSER } from '../../src/db/embedded/cluster.ts';
import { startPostmaster } from '../../src/db/embedded/postmaster.ts';
import { findPrograms, type Programs } from '../../src/db/embedded/programs.ts';
import { dataFolder } from './process.ts';

const [, major = ''] = /(\d+)/.exec(spawnSync('pg_dump', ['--version']).stdout?.toString() ?? '') ?? [];
/** Where Debian's packages install a server. pg_dump reads servers up to its own version only, and Debian's is older than the embedded one. */
const folder = `/usr/lib/postgresql/${major}/bin`;

/** True when pg_dump and a server of its version are installed. Without them, their tests are skipped with a warning; `.ci/run` fails instead. */
export const hasPostgresClient = major !== '' && existsSync(path.join(folder, 'postgres'));
if (!hasPostgresClient) console.warn('pg_dump and a server of its version are not installed: tests of dumps are skipped');

/** Starts a server of the version of the installed pg_dump, for one test. Returns the address of a database without tables. */
export async function serverOfClient(): Promise<string> {
  const dir = await dataFolder();
  await chmod(dir, 0o755); // root starts it as another user
  const { account } = await findPrograms(dir);
  const programs: Programs = {
    account,
    spawn: (program, args, options) => spawn(path.join(folder, program), args, { cwd: '/', ...options, ...account }),
  };
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
