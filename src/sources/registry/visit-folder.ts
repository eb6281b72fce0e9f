import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder for one visit to a publisher under `tempDir` and removes those that killed processes left for the same `label`.
 * Only one visit of a label may be under way per process.
 * @param label `a-z0-9_-`, unique to the list and its origin
 */
export async function openVisitFolder(tempDir: string, label: string): Promise<string> {
  await mkdir(tempDir, { recursive: true });
  const prefix = `${label}.`;
  for (const name of await readdir(tempDir)) {
    if (name.startsWith(prefix) && isLeftover(Number(name.slice(prefix.length).split('.')[0])))
      await removeFolder(path.join(tempDir, name));
  }
  return mkdtemp(path.join(tempDir, `${prefix}${process.pid}.`));
}

export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** Our own id may be that of a process before us: a restarted container numbers alike. */
function isLeftover(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
