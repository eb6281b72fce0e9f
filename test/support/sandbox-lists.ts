import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { startSandbox } from '../../sandbox/server/server.ts';
import { simulators } from '../../sandbox/upstreams/index.ts';
import { sourcesOf } from '../../src/app/sources.ts';
import { readConfig } from '../../src/config.ts';
import { createDb } from '../../src/db/knex.ts';
import { databaseCopy, type TestDb, testDb } from './db.ts';
import { memoryLog } from './log.ts';

/** Settings of the lists that `testDbWithLists` has loaded. Two months of tenders are quicker to load than those of the default. */
export const LIST_SETTINGS = { QUIPU_TENDERS_MONTHS: '2' } as const;

let loaded: Promise<string> | undefined;

/**
 * Creates a migrated database that has the lists of the sandbox of this day, with LIST_SETTINGS. The syncs of the service loaded them, once
 * in a run; a service on such a database downloads each list again and finds it unchanged. Its key secret does not matter.
 */
export async function testDbWithLists(): Promise<TestDb> {
  loaded ??= templateWithLists().catch((error: unknown) => {
    loaded = undefined; // the next test tries again
    throw error;
  });
  return databaseCopy(await loaded);
}

/** Returns the name of the database that has the lists. The first process that asks creates it, while the others wait. */
async function templateWithLists(): Promise<string> {
  const name = `${inject('databaseTemplate')}_lists`;
  const lock = createDb(inject('databaseUrl'), { poolMax: 1, statementTimeoutMs: 0 });
  try {
    await lock.raw('SELECT pg_advisory_lock(hashtextextended(?, 0))', [name]);
    const { rows } = await lock.raw('SELECT FROM pg_database WHERE datname = ?', [name]);
    if (rows.length > 0) return name;
    const draft = await testDb();
    await loadLists(draft).finally(() => draft.knex.destroy());
    await lock.raw('ALTER DATABASE ?? RENAME TO ??', [new URL(draft.url).pathname.slice(1), name]);
    return name;
  } finally {
    await lock.destroy();
  }
}

async function loadLists({ url, knex: db }: TestDb): Promise<void> {
  const { log, lines } = memoryLog();
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-lists-'));
  const sandbox = await startSandbox({ simulators, log });
  const config = readConfig({ DATABASE_URL: url, QUIPU_DATA_DIR: dataDir, ...LIST_SETTINGS });
  const sources = sourcesOf(config, { db, log, sandbox, now: Date.now, random: () => 0 });
  try {
    const results = await Promise.all(sources.copies.map((copy) => copy.sync()));
    if (!results.every(({ outcome }) => outcome === 'loaded'))
      throw new Error(`A list of the sandbox was not loaded: ${JSON.stringify(lines)}`);
  } finally {
    await sources.close();
    await sandbox.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
