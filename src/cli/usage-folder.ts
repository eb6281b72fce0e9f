import { access, constants, readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { MINUTE_MS } from '../domain/time.ts';
import { JOURNAL } from '../metering/journal/folder.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Type of a file system in memory, by statfs(2) of Linux. */
const TMPFS = 0x01021994;

/** Checks the folder of the usage journals: its disk, usage that no process has drained, and files that cannot be read. */
export async function usageFolder(dir: string): Promise<readonly Finding[]> {
  const files = await filesOf(dir).catch((error: NodeJS.ErrnoException) => error);
  if (files instanceof Error)
    return [
      problem(
        'usage journal',
        `${dir} cannot be used (${files.code ?? 'unknown'})`,
        'let the user of the service read and write there, or set QUIPU_USAGE_DIR',
      ),
    ];
  if (files === null) return [ok('usage journal', `${dir}, which the first start creates`)];
  const damaged = files.filter(({ name }) => name.endsWith('.damaged'));
  if (damaged.length > 0)
    return [
      problem(
        'usage journal',
        `${damaged.length} files have lines that cannot be read, e.g. ${damaged[0]?.name}`,
        'keep and examine these files: their other lines were counted (docs/operations.md)',
      ),
    ];
  const old = files.filter(({ name, ageMs }) => name.endsWith(JOURNAL) && ageMs > MINUTE_MS);
  if (old.length > 0)
    return [
      warning(
        'usage journal',
        `${old.length} files in ${dir} are older than a minute: their usage is not counted in the database`,
        'start the service with this folder, or look in its log for "the usage journal could not be drained"',
      ),
    ];
  const isInMemory = (await statfs(dir)).type === TMPFS;
  return [
    isInMemory
      ? warning(
          'usage journal',
          `${dir} is in memory`,
          'set QUIPU_USAGE_DIR to a disk: a restart of the machine loses usage that is not drained',
        )
      : ok('usage journal', dir),
  ];
}

/** Returns the files of all processes; null if the folder does not exist. @throws Error of a folder that cannot be read or written */
async function filesOf(dir: string): Promise<readonly { readonly name: string; readonly ageMs: number }[] | null> {
  const names = await readdir(dir, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (names === null) return null;
  await access(dir, constants.W_OK);
  const found = await Promise.all(names.map(async (name) => ({ name, stats: await stat(path.join(dir, name)).catch(() => null) })));
  return found.flatMap(({ name, stats }) => (stats?.isFile() ? [{ name, ageMs: Date.now() - stats.mtimeMs }] : []));
}
