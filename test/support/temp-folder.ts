import { mkdirSync, statfsSync } from 'node:fs';
import os from 'node:os';

const MEMORY = '/dev/shm';
/** Free space that is needed. Every test database takes 10 MB, and at most about 40 are open at once. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * Returns a folder for the temporary files of tests: in memory if at least 2 GiB are free there, else the system's, which
 * QUIPU_TEST_DURABLE=1 selects, too. In memory, copying a test database takes 25 ms instead of 70–200 ms.
 */
export function fastTempFolder(): string {
  if (process.env.QUIPU_TEST_DURABLE === '1') return os.tmpdir();
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < NEEDED_BYTES) return os.tmpdir();
    const folder = `${MEMORY}/quipu-tests`;
    mkdirSync(folder, { recursive: true, mode: 0o1777 });
    return folder;
  } catch {
    return os.tmpdir();
  }
}
