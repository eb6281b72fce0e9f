import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Knex } from 'knex';
import { startSandbox } from '../../sandbox/server/server.ts';
import { simulators } from '../../sandbox/upstreams/index.ts';
import type { Clock } from '../../src/domain/time.ts';
import { downloadMonth } from '../../src/sources/receita-federal/copy/download.ts';
import { importFolder } from '../../src/sources/receita-federal/copy/import.ts';

/** Loads both months of the sandbox's registry, the older one first, as `quipu import receita` does. */
export async function loadSandboxMonths(db: Knex, now: Clock = Date.now): Promise<void> {
  const sandbox = await startSandbox({ simulators, now });
  const tempDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-months-'));
  const address = `${sandbox.url}/receita_share/index.php/s/sandbox`;
  const onProgress = () => undefined;
  const parts = { db, origin: 'sandbox', secret: 'a secret of this test', now, diskFolder: null, historyMonths: 24, onProgress };
  try {
    for (const month of await monthsOf(address)) {
      const given = { address, sharePath: '', month, tempDir, signal: new AbortController().signal, onProgress };
      await importFolder(await downloadMonth(given), parts);
    }
  } finally {
    await sandbox.close();
    await rm(tempDir, { recursive: true });
  }
}

/** Lists the months of the share, the oldest first. */
async function monthsOf(address: string): Promise<readonly string[]> {
  const listing = await fetch(new URL('/receita_share/public.php/webdav/', address), { method: 'PROPFIND' });
  return [...new Set((await listing.text()).match(/\d{4}-\d{2}(?=\/<)/g))].toSorted();
}
