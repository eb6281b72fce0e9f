import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/**
 * Makes `rm` fail with an I/O error for all paths, until the returned function is called or the test ends. A file system does not refuse a
 * deletion to every user, and tests may run as root.
 */
export function undeletable(): () => void {
  const { rm } = fs;
  const set = (next: typeof rm) => {
    fs.rm = next;
    syncBuiltinESMExports();
  };
  set(async (path) => {
    throw Object.assign(new Error(`EIO: i/o error, rm '${path}'`), { code: 'EIO' });
  });
  const end = () => set(rm);
  onTestFinished(end);
  return end;
}
