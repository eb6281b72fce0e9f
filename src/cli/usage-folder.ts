import { access, constants, readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { isDead, JOURNAL } from '../metering/journal/folder.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Types of file systems, by statfs(2) of Linux. */
const TMPFS = 0x01021994;
/** File systems that machines share: NFS, SMB, CIFS, Ceph, 9p, GFS2 and OCFS2. */
const SHARED: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x00c36400, 0x01021997, 0x01161970, 0x7461636f]);
/** Time for which folders are watched for a process on another machine. A process with usage changes its folder each second. */
const WATCH_MS = 2 * SECOND_MS;

/**
 * Checks the folder of the usage journals: its disk, processes of other machines, usage that no process has drained, and files that cannot be
 * read.
 */
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
  const foreign = await foreignProcesses(dir);
  if (foreign.length > 0)
    return [
      problem(
        'usage journal',
        `${foreign.length} processes that this machine does not reach write to ${dir}, e.g. in ${foreign[0]}`,
        'give the processes of each machine a local folder of their own (QUIPU_USAGE_DIR): those of another machine take files that are in use',
      ),
    ];
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
  return [diskFinding(dir, (await statfs(dir)).type)];
}

/** Judges the file system of the folder. @param type as statfs(2) reports it */
export function diskFinding(dir: string, type: number): Finding {
  if (type === TMPFS) {
    const advice = 'set QUIPU_USAGE_DIR to a disk: a restart of the machine loses usage that is not drained';
    return warning('usage journal', `${dir} is in memory`, advice);
  }
  if (SHARED.has(type)) {
    const advice = 'set QUIPU_USAGE_DIR to a local disk: processes of another machine would take files that are in use';
    return problem('usage journal', `${dir} is on a file system that machines share`, advice);
  }
  return ok('usage journal', dir);
}

/** Returns the folders of processes whose socket nobody answers on this machine, and that change nevertheless. */
async function foreignProcesses(dir: string): Promise<readonly string[]> {
  const changedAt = async (name: string) => (await stat(path.join(dir, name)).catch(() => null))?.mtimeMs;
  const folders = (await readdir(dir, { withFileTypes: true })).filter((one) => one.isDirectory()).map(({ name }) => name);
  const silent: [name: string, changed: number][] = [];
  for (const name of folders) {
    const changed = await changedAt(name);
    if (changed !== undefined && Date.now() - changed < MINUTE_MS && (await isDead(path.join(dir, name)))) silent.push([name, changed]);
  }
  if (silent.length === 0) return [];
  await sleep(WATCH_MS);
  const now = await Promise.all(silent.map(([name]) => changedAt(name)));
  return silent.filter(([, changed], i) => now[i] !== undefined && now[i] !== changed).map(([name]) => name);
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
