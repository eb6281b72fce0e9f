import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import { openProcessFolder } from '../../src/metering/journal/folder.ts';
import { openUsageJournal, type UsageJournal, type UsageJournalDeps } from '../../src/metering/journal/journal.ts';
import type { TestApp } from './app.ts';
import { memoryLog } from './log.ts';

export const KEY_SECRET = 'a-secret-of-the-tests';

export interface TestJournal extends UsageJournal {
  /** Folder of all journals. */
  readonly dir: string;
  /** Folder of this journal. */
  readonly own: string;
  readonly lines: readonly Record<string, unknown>[];
}

/** Opens a journal that drains only when it is called, and closes it after the test. By default it has a folder of its own. */
export async function journalOfTest(
  db: Knex,
  { dir, ...options }: { dir?: string } & Partial<UsageJournalDeps> = {},
): Promise<TestJournal> {
  const parent = dir ?? (await mkdtemp(path.join(os.tmpdir(), 'quipu-usage-')));
  const { log, lines } = memoryLog();
  const folder = await openProcessFolder(parent, KEY_SECRET);
  const journal = await openUsageJournal({ folder, db, log, drainEveryMs: 1_000_000, ...options });
  onTestFinished(async () => {
    await journal.close();
    if (dir === undefined) await rm(parent, { recursive: true, force: true });
  });
  return { ...journal, dir: parent, own: folder.path, lines };
}

/** Moves the journal of a process away, so that nothing can be recorded, for the time of the work. */
export async function withoutJournal(
  { usageDir, drainUsage }: Pick<TestApp, 'usageDir' | 'drainUsage'>,
  work: () => Promise<void>,
): Promise<void> {
  await drainUsage(); // ends the file that is open, to which a record could be appended wherever its folder is
  const [own = ''] = await readdir(usageDir);
  const away = path.join(path.dirname(usageDir), `${own}.away`);
  await rename(path.join(usageDir, own), away);
  await work().finally(() => rename(away, path.join(usageDir, own)));
}

interface Recording {
  readonly dir: string;
  /** Address of the database. */
  readonly url: string;
  readonly keyId: string;
  /** Number of answers that the process records. */
  readonly count: number;
  /** True for a process that drains its journal and is killed between the commit and the deletion of the file. */
  readonly isKilledAfterCommit?: boolean;
}

/** Starts a process with a journal. Resolves when it has recorded; `ended` resolves to the signal that ended it. */
export async function recordingProcess({ dir, url, keyId, count, isKilledAfterCommit = false }: Recording) {
  const script = path.join(import.meta.dirname, '../metering/journal-child.ts');
  const args = ['--import', 'tsx', script, dir, url, keyId, String(count), ...(isKilledAfterCommit ? ['kill-after-commit'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null);
  await once(child.stdout, 'data');
  return { child, ended };
}
