import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Registry } from '../../src/sources/registry/registry.ts';
import type { SyncResult } from '../../src/sources/source.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { filesIn, tempFolder } from '../support/files.ts';
import { nodeArguments } from '../support/process.ts';
import { inFullRun } from '../support/rounds.ts';
import { upstream } from '../support/upstream.ts';
import { personOf, type Toy, toyCsv, toyRegistry, toyRows } from './toy-list.ts';

const CHILD = path.join(import.meta.dirname, 'import-child.ts');
const OLD = toyCsv(toyRows(3_000, 'old'));
const NEW = toyCsv(toyRows(3_001, 'new'));

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

const tables = async (): Promise<number> => {
  const { rows } = await db.knex.raw(
    `SELECT count(*)::int AS count FROM pg_class WHERE relname LIKE 'registry\\_entries\\_v%' AND relkind = 'r'`,
  );
  return rows[0].count;
};

const nameOf = async (list: Registry<Toy>, n: number): Promise<string | undefined> =>
  (await list.lookup([personOf(n)])).entries.get(personOf(n))?.[0]?.record.name;

/** A list that serves the old version, a publisher that has a new one, and a process that begins to import it. */
async function importing(point: string) {
  await db.knex.raw('TRUNCATE registries, registry_versions CASCADE');
  const { rows } = await db.knex.raw(`SELECT relname FROM pg_class WHERE relname LIKE 'registry\\_entries\\_v%' AND relkind = 'r'`);
  for (const { relname } of rows) await db.knex.raw('DROP TABLE ??', [relname]);
  const tempDir = await tempFolder();
  const state = { content: OLD, stuck: false };
  const { url, asked } = await upstream(() => (_, response) => {
    if (state.stuck) response.writeHead(200).write(state.content.slice(0, 50_000));
    else response.end(state.content);
  });
  const list = toyRegistry({ db: db.knex, tempDir, url });
  expect(await list.sync()).toMatchObject({ outcome: 'loaded' });
  state.content = NEW;
  state.stuck = point === 'downloading';
  const child = spawn(process.execPath, [...nodeArguments(CHILD), db.url, tempDir, url, point], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const healed = () => Object.assign(state, { stuck: false });
  return { list, child, tempDir, healed, asked };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const stands = (child: ChildProcess): Promise<unknown> => once(child.stdout ?? child, 'data');

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

/** Syncs again until the server has noticed that the killed client is gone. */
async function syncSoon(list: Registry<Toy>): Promise<SyncResult> {
  for (;;) {
    const result = await list.sync();
    if (result.outcome !== 'busy') return result;
    await sleep(50);
  }
}

async function expectHealed(list: Registry<Toy>, tempDir: string): Promise<void> {
  expect(await nameOf(list, 3_000)).toBe('old 3000');
  expect(await nameOf(list, 3_001)).toBeUndefined();
  expect(await syncSoon(list)).toMatchObject({ outcome: 'loaded' });
  expect(await nameOf(list, 3_001)).toBe('new 3001');
  expect(await tables()).toBe(1);
  expect(await filesIn(tempDir)).toEqual([]);
}

describe('an import that is killed', () => {
  it.each(['downloaded', 'row 1', 'row 1000', 'row 2000', 'row 3001', 'read', 'judged'])(
    'DB-05 keeps the old version current and leaves no tables or files: %s',
    async (point) => {
      const { list, child, tempDir } = await importing(point);
      await stands(child);
      expect(await nameOf(list, 1)).toBe('old 1');
      expect(await filesIn(tempDir)).not.toEqual([]);
      await kill(child);
      await expectHealed(list, tempDir);
    },
  );

  it('DB-05 keeps the old version current and leaves no tables or files: during the download', async () => {
    const { list, child, tempDir, healed } = await importing('downloading');
    await until(async () => (await filesIn(tempDir)).length > 0);
    await kill(child);
    healed();
    await expectHealed(list, tempDir);
  });

  it('DB-05 keeps the old version current and leaves no tables or files: waiting for the lock of the switch', async () => {
    const { list, child, tempDir } = await importing('never');
    const reader = await db.knex.transaction();
    await reader.raw('SELECT count(*) FROM registry_entries');
    const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE 'LOCK TABLE%' AND datname = current_database()`;
    await until(async () => (await db.knex.raw(waiting)).rows[0].count > 0);
    await kill(child);
    await reader.rollback();
    await expectHealed(list, tempDir);
  });

  it('DB-05 leaves the new version current after its commit', async () => {
    const { list, child, tempDir } = await importing('committed');
    await stands(child);
    await kill(child);
    expect(await nameOf(list, 3_001)).toBe('new 3001');
    expect(await syncSoon(list)).toMatchObject({ outcome: 'unchanged' });
    expect([await tables(), await filesIn(tempDir)]).toEqual([1, []]);
  });

  it('DB-05 leaves one whole version, old or new, when killed at random moments', async () => {
    for (let afterMs = 0; afterMs <= 80; afterMs += inFullRun(10, 40)) {
      const { list, child, tempDir, asked } = await importing('never');
      await until(async () => asked.length > 1);
      await sleep(afterMs);
      if (child.exitCode === null) await kill(child);
      const last = await nameOf(list, 3_001);
      expect(await nameOf(list, 1)).toBe(last === undefined ? 'old 1' : 'new 1');
      expect(await syncSoon(list)).toMatchObject({ outcome: last === undefined ? 'loaded' : 'unchanged' });
      expect([await tables(), await filesIn(tempDir)]).toEqual([1, []]);
    }
  }, 60_000);
});
