import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Bytes of the files of a Postgres: tables, indexes and temporary files; and the write-ahead log, whose size is a setting. */
export interface DiskUse {
  readonly data: number;
  readonly log: number;
}

const INTERVAL_MS = 500;

async function diskUse(cluster: string): Promise<DiskUse> {
  const use = { data: 0, log: 0 };
  for (const entry of await readdir(cluster, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const size = (await stat(path.join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0; // deleted meanwhile
    use[entry.parentPath.includes('pg_wal') ? 'log' : 'data'] += size;
  }
  return use;
}

/** Runs `work`, and returns the greatest sizes meanwhile, measured twice a second, without the data that were there before. */
export async function withPeakDisk<T>(cluster: string, work: () => Promise<T>): Promise<{ readonly result: T; readonly peak: DiskUse }> {
  const before = await diskUse(cluster);
  const peak = { data: 0, log: 0 };
  const ended = new AbortController();
  const sampled = (async () => {
    while (!ended.signal.aborted) {
      const { data, log } = await diskUse(cluster);
      peak.data = Math.max(peak.data, data - before.data);
      peak.log = Math.max(peak.log, log);
      await delay(INTERVAL_MS, undefined, { signal: ended.signal }).catch(() => undefined); // ends with the work
    }
  })();
  try {
    return { result: await work(), peak };
  } finally {
    ended.abort();
    await sampled;
  }
}
