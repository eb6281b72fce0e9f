import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { downloadMonth } from '../../src/sources/receita-federal/copy/download.ts';
import { importFolder } from '../../src/sources/receita-federal/copy/import.ts';
import type { TestApp } from './app.ts';

/** Setting of an app whose sources read the own copy of the Brazilian registry. */
export const COPY_MODE = { QUIPU_RECEITA_MODE: 'copy' } as const;

/** Loads a month of the sandbox's share into the copy of an app. The newest month is the default. Call it before the copy is read. */
export async function loadSandboxCopy({ db, sandbox }: TestApp, month: string | null = null, now = Date.now): Promise<void> {
  if (!sandbox) throw new Error('the app has no sandbox');
  const onProgress = () => undefined;
  const tempDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-copy-'));
  const address = `${sandbox.url}/receita_share/index.php/s/sandbox`;
  const signal = new AbortController().signal;
  try {
    const folder = await downloadMonth({ address, sharePath: '', month, tempDir, signal, onProgress });
    const disk = { diskFolder: null, historyMonths: 24 };
    await importFolder(folder, { db, origin: 'sandbox', secret: 'a secret of this test', now, ...disk, onProgress });
  } finally {
    await rm(tempDir, { recursive: true });
  }
}

/** Loads both months of the sandbox's share, the older one first. */
export async function loadSandboxMonths(app: TestApp, now = Date.now): Promise<void> {
  const listing = await fetch(`${app.sandbox?.url}/receita_share/public.php/webdav/`, { method: 'PROPFIND' });
  const months = new Set((await listing.text()).match(/\d{4}-\d{2}(?=\/<)/g));
  for (const month of [...months].toSorted()) await loadSandboxCopy(app, month, now);
}
