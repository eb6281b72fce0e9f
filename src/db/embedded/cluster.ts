import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, lchown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Programs } from './programs.ts';

export const SUPERUSER = 'quipu';
const MAJOR = '18';

/** Returns the folder of Postgres's own files. */
export const clusterDir = (dataDir: string): string => path.join(dataDir, 'postgres');

/** Returns the password of the Postgres of this folder. It is generated at the first start, in a file of mode 0600. */
export async function ensurePassword(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'postgres.password');
  const draft = `${file}.${process.pid}`;
  try {
    return await readPassword(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await writeFile(draft, randomBytes(24).toString('hex'), { mode: 0o600 });
  await rename(draft, file);
  return readPassword(dataDir);
}

/** Reads the password. @throws ENOENT when the folder has no Postgres yet */
export const readPassword = (dataDir: string): Promise<string> => readFile(path.join(dataDir, 'postgres.password'), 'utf8');

/**
 * Creates the files of Postgres if there are none. They are created in another folder that is renamed at the end, so that a killed process
 * leaves no incomplete files.
 * @throws Error when the files are of another major version, or cannot be created
 */
export async function ensureCluster(dataDir: string, programs: Programs, password: string): Promise<void> {
  const dir = clusterDir(dataDir);
  const version = await readFile(path.join(dir, 'PG_VERSION'), 'utf8').catch(() => null);
  if (version === null) return createCluster(dataDir, programs, password);
  if (version.trim() === MAJOR) return changeOwner(programs, dir);
  throw new Error(
    `${dir} holds data of Postgres ${version.trim()}, and this version of Quipu includes Postgres ${MAJOR}. Set QUIPU_DATA_DIR to a new folder.`,
  );
}

async function createCluster(dataDir: string, programs: Programs, password: string): Promise<void> {
  const draft = path.join(dataDir, 'postgres.new');
  const passwordFile = path.join(draft, 'password');
  const files = path.join(draft, 'files');
  await rm(draft, { recursive: true, force: true });
  await mkdir(files, { recursive: true });
  await writeFile(passwordFile, password, { mode: 0o600 });
  await changeOwner(programs, draft);
  const settings = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions'];
  const initdb = programs.spawn('initdb', ['-D', files, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, ...settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [output, [code]] = await Promise.all([initdb.stderr ? text(initdb.stderr) : '', once(initdb, 'exit')]);
  if (code !== 0) throw new Error(`Postgres could not make its files in ${dataDir}: ${output.trim()}`);
  await rename(files, clusterDir(dataDir));
  await rm(draft, { recursive: true, force: true });
}

/** Changes the owner of the files, because Postgres refuses files that another user owns, such as a copy made by root. */
async function changeOwner({ account }: Programs, dir: string): Promise<void> {
  if (account === null || (await stat(dir)).uid === account.uid) return;
  for (const entry of await readdir(dir, { recursive: true })) await lchown(path.join(dir, entry), account.uid, account.gid);
  await chown(dir, account.uid, account.gid); // last step: the owner of the folder marks the change as complete
}
