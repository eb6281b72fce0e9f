import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { downloadMonth } from '../../src/sources/receita-federal/copy/download.ts';
import { type ImportParts, importFolder } from '../../src/sources/receita-federal/copy/import.ts';
import { type TestApp, testApp } from './app.ts';
import { memoryLog } from './log.ts';

/** Setting of an app whose sources read the own copy of the Brazilian registry. */
export const COPY_MODE = { QUIPU_RECEITA_MODE: 'copy' } as const;

/** Creates the parts of an import, by default of the copy of a sandbox now. */
export const importParts = (given: Pick<ImportParts, 'db'> & Partial<ImportParts>): ImportParts => ({
  ...{ origin: 'sandbox', secret: 'a secret of this test', now: Date.now },
  ...{ diskFolder: null, historyMonths: 24, log: memoryLog().log, onProgress: () => undefined },
  ...given,
});

/** Starts an app that answers from the newest month of the sandbox's share. */
export async function appWithCopy(): Promise<TestApp> {
  const app = await testApp({ env: COPY_MODE });
  await loadSandboxCopy(app);
  return app;
}

/** Returns the SQL statements of an app from now on. */
export function statementsOf(app: TestApp): string[] {
  const statements: string[] = [];
  app.db.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  return statements;
}

/** Loads a month of the sandbox's share into the copy of an app. The newest month is the default. Call it before the copy is read. */
export async function loadSandboxCopy({ db, sandbox }: TestApp, month: string | null = null, now = Date.now): Promise<void> {
  if (!sandbox) throw new Error('the app has no sandbox');
  const onProgress = () => undefined;
  const tempDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-copy-'));
  const address = `${sandbox.url}/receita_share/index.php/s/sandbox`;
  const signal = new AbortController().signal;
  try {
    const folder = await downloadMonth({ address, sharePath: '', month, tempDir, signal, onProgress });
    await importFolder(folder, importParts({ db, now }));
  } finally {
    await rm(tempDir, { recursive: true });
  }
}

/** Returns the months of the share of a sandbox, the oldest first. */
export async function monthsOfShare(sandboxUrl: string): Promise<readonly string[]> {
  const listing = await fetch(`${sandboxUrl}/receita_share/public.php/webdav/`, { method: 'PROPFIND' });
  return [...new Set((await listing.text()).match(/\d{4}-\d{2}(?=\/<)/g))].toSorted();
}

/** Loads both months of the sandbox's share, the older one first. */
export async function loadSandboxMonths(app: TestApp, now = Date.now): Promise<void> {
  for (const month of await monthsOfShare(app.sandbox?.url ?? '')) await loadSandboxCopy(app, month, now);
}

/**
 * Starts two apps before the tests of a file, and closes them after it: one that answers from both months of the sandbox, and one in live
 * mode.
 */
export function sandboxMonths(now: () => number, start: (copy: TestApp, live: TestApp) => void): void {
  const apps: TestApp[] = [];
  beforeAll(async () => {
    const copy = await testApp({ env: COPY_MODE, now });
    apps.push(copy);
    await loadSandboxMonths(copy, now);
    const live = await testApp({ now, listsTried: false });
    apps.push(live);
    start(copy, live);
  }, 120_000);
  afterAll(() => Promise.all(apps.map((app) => app.close())));
}
