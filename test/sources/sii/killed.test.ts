import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sii } from '../../../src/sources/sii/sii.ts';
import type { SyncResult } from '../../../src/sources/source.ts';
import { filesIn } from '../../support/files.ts';
import { nodeArguments } from '../../support/process.ts';
import { upstream } from '../../support/upstream.ts';
import { ask, siiDb } from './support.ts';
import { names, nominaOf, numbers } from './tables.ts';

const CHILD = path.join(import.meta.dirname, 'import-child.ts');
const COMPANIES = 4_000;
const NUMBER = 76_000_000;
const OLD = nominaOf(COMPANIES, { mark: 'VIEJA' });
const NEW = nominaOf(COMPANIES + 1, { mark: 'NUEVA' });
const LIST = names(numbers(COMPANIES).map((number) => [number, 'X', '01-01-2010', '']));
const { sii, db, tempDir, tables, leftovers } = siiDb();

/** A copy that serves the old version, a publisher that has a new one, and a process that begins to import it. */
async function importing(point: string, nth = 1) {
  const state = { nomina: OLD, stuck: false };
  const { url, asked } = await upstream((at) => (_, response) => {
    if (state.stuck) response.writeHead(200).write(state.nomina.slice(0, 50_000));
    else response.end(at === '/n.txt' ? LIST : state.nomina);
  });
  const urls = { EMPRESAS: `${url}/e.txt`, NOMBRES: `${url}/n.txt` };
  const copy = sii({ urls });
  expect(await copy.sync()).toMatchObject({ outcome: 'loaded' });
  state.nomina = NEW;
  state.stuck = point === 'downloading';
  const args = [...nodeArguments(CHILD), db().url, tempDir(), JSON.stringify(urls), point, String(nth)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { copy, child, asked, heal: () => Object.assign(state, { stuck: false }) };
}

const stands = (child: ChildProcess): Promise<unknown> => once(child.stdout ?? child, 'data');

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Syncs again until the server has noticed that the killed client is gone. */
async function syncSoon(copy: Sii): Promise<SyncResult> {
  for (;;) {
    const result = await copy.sync();
    if (result.outcome !== 'busy') return result;
    await sleep(50);
  }
}

const nameOf = async (copy: Sii, number: number): Promise<string | undefined> => (await ask(copy, number))?.name;

async function expectHealed(copy: Sii): Promise<void> {
  expect(await nameOf(copy, NUMBER)).toBe(`EMPRESA ${NUMBER} VIEJA`);
  expect(await nameOf(copy, NUMBER + COMPANIES)).toBeUndefined();
  expect(await syncSoon(copy)).toMatchObject({ outcome: 'loaded' });
  expect(await nameOf(copy, NUMBER + COMPANIES)).toBe(`EMPRESA ${NUMBER + COMPANIES} NUEVA`);
  expect([await leftovers(), await tables()]).toEqual([[], [expect.stringMatching(/^sii_companies_v\d+$/)]]);
}

describe('an import of the registry that is killed', () => {
  it.each([
    { at: 'the start of a download', point: 'n.txt', nth: 1 },
    { at: 'the first rows', point: 'e.txt', nth: 2 },
    { at: 'later rows', point: 'e.txt', nth: 3 },
    { at: 'the rows of the next file', point: 'n.txt', nth: 2 },
    { at: 'the verdict', point: 'judged', nth: 1 },
    { at: 'the merge', point: 'merge', nth: 1 },
    { at: 'the switch', point: 'switch', nth: 1 },
  ])('DB-05 keeps the old version current and leaves no tables or files: at $at', async ({ point, nth }) => {
    const { copy, child } = await importing(point, nth);
    await stands(child);
    expect(await nameOf(copy, NUMBER)).toBe(`EMPRESA ${NUMBER} VIEJA`);
    expect(await filesIn(tempDir())).not.toEqual([]);
    await kill(child);
    await expectHealed(copy);
  });

  it('DB-05 keeps the old version current and leaves no tables or files: during the download', async () => {
    const { copy, child, heal } = await importing('downloading');
    while ((await filesIn(tempDir())).length === 0) await sleep(20);
    await kill(child);
    heal();
    await expectHealed(copy);
  });

  it('DB-05 keeps the old version current and leaves no tables or files: waiting for the lock of the switch', async () => {
    const { copy, child } = await importing('never');
    const reader = await db().knex.transaction();
    await reader.raw('SELECT count(*) FROM sii_companies');
    const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE 'LOCK TABLE%' AND datname = current_database()`;
    while ((await db().knex.raw(waiting)).rows[0].count === 0) await sleep(20);
    await kill(child);
    await reader.rollback();
    await expectHealed(copy);
  });

  it('DB-05 leaves the new version current after its commit', async () => {
    const { copy, child } = await importing('committed');
    await stands(child);
    await kill(child);
    expect(await nameOf(copy, NUMBER + COMPANIES)).toBe(`EMPRESA ${NUMBER + COMPANIES} NUEVA`);
    expect(await syncSoon(copy)).toMatchObject({ outcome: 'unchanged' });
    expect(await leftovers()).toEqual([]);
  });

  it('DB-05 leaves one whole version, old or new, when killed at random moments', async () => {
    for (const afterMs of [0, 50, 100, 150]) {
      await db().knex.raw('TRUNCATE registries, registry_versions CASCADE');
      for (const table of await tables()) await db().knex.raw('DROP TABLE ??', [table]);
      const { copy, child, asked } = await importing('never');
      while (asked.length <= 3) await sleep(10);
      await sleep(afterMs);
      if (child.exitCode === null) await kill(child);
      const last = await nameOf(copy, NUMBER + COMPANIES);
      expect(await nameOf(copy, NUMBER)).toBe(`EMPRESA ${NUMBER} ${last === undefined ? 'VIEJA' : 'NUEVA'}`);
      expect(await syncSoon(copy)).toMatchObject({ outcome: last === undefined ? 'loaded' : 'unchanged' });
      expect(await leftovers()).toEqual([]);
    }
  }, 60_000);
});
