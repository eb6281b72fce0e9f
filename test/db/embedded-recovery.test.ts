import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmbedded } from '../../src/db/embedded.ts';
import { OWN } from '../support/own-numbers.ts';
import { inFullRun } from '../support/rounds.ts';
import { alive, dataDir, freshDataFolder, log, postmasterPid, query, startOwner } from './data-folder.ts';

freshDataFolder();

describe('an embedded Postgres whose owner ended', () => {
  it('by kill -9: the next start stops the orphan and finds the data', async () => {
    const owner = await startOwner();
    await query(owner.url, 'INSERT INTO writes DEFAULT VALUES');
    const orphan = await postmasterPid();
    await owner.die('SIGKILL');
    expect(await alive(orphan)).toBe(true);

    const next = await startEmbedded(dataDir, { log });
    expect(await alive(orphan)).toBe(false);
    expect(await query(next.url, 'SELECT id FROM writes')).toEqual([{ id: '1' }]);
    await next.stop();
  });

  it('by kill -9 together with Postgres: the next start replays the write-ahead log', async () => {
    const owner = await startOwner();
    await query(owner.url, 'INSERT INTO writes DEFAULT VALUES');
    const pid = await postmasterPid();
    await owner.die('SIGKILL');
    process.kill(pid, 'SIGKILL');

    const next = await startEmbedded(dataDir, { log });
    expect(await query(next.url, 'SELECT id FROM writes')).toEqual([{ id: '1' }]);
    await next.stop();
  });

  it('by kill -9 during initdb: the next start creates the files again', async () => {
    await mkdir(path.join(dataDir, 'postgres.new', 'files', 'base'), { recursive: true });
    await writeFile(path.join(dataDir, 'postgres.new', 'files', 'PG_VERSION'), '18\n');
    const { url, stop } = await startEmbedded(dataDir, { log });
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await stop();
  });

  it('by SIGTERM: it drains while Postgres runs, then stops it', async () => {
    const owner = await startOwner();
    const pid = await postmasterPid();
    await owner.die('SIGTERM');
    expect(owner.said.slice(1)).toEqual(['drained 0', 'stopped']);
    expect(await alive(pid)).toBe(false);
  });

  it("by the terminal's Ctrl-C, which reaches every process of its group: Postgres does not stop before the drain", async () => {
    const owner = await startOwner();
    const pid = await postmasterPid();
    process.kill(-(owner.child.pid ?? 0), 'SIGINT');
    await once(owner.child, 'exit');
    expect(owner.said.slice(1)).toEqual(['drained 0', 'stopped']);
    expect(await alive(pid)).toBe(false);
  });

  it.each([
    { whose: 'of a process that is gone', pid: 2 ** 22 + 1 },
    { whose: 'that by now is of another program', pid: process.pid },
  ])('with a pid file $whose: the next start removes it', async ({ pid }) => {
    await (await startEmbedded(dataDir, { log })).stop();
    await writeFile(path.join(dataDir, 'postgres', 'postmaster.pid'), `${pid}\n${dataDir}/postgres\n1\n5432\n\n127.0.0.1\n\nready\n`);

    const { url, stop } = await startEmbedded(dataDir, { log });
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await stop();
  });

  it.each([
    { whose: 'of a process that is gone', text: JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1', temporary: false }) },
    { whose: 'that by now is of another process', text: JSON.stringify({ pid: process.pid, startedAt: 'earlier', temporary: false }) },
    { whose: 'that a power cut blanked', text: '\0\0\0\0' },
  ])('with an owner file $whose: one of several concurrent starts gets the folder', async ({ text }) => {
    await mkdir(path.join(dataDir, 'owner'));
    await writeFile(path.join(dataDir, 'owner', '7.json'), text);
    const starts = await Promise.allSettled(Array.from({ length: 4 }, () => startEmbedded(dataDir, { log })));
    const winners = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    const losses = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []));

    expect(winners).toHaveLength(1);
    expect(losses).toEqual(losses.map(() => expect.stringContaining('FolderInUse')));
    await winners[0]?.stop();
  });

  it('DB-01 loses no acknowledged write to a kill -9 of the owner and an immediate stop of Postgres', async () => {
    const acknowledged = new Set<string>();
    const rounds = inFullRun(OWN['DB-01'].crashes, 3);
    for (let round = 0; round < rounds; round += 1) {
      const owner = await startOwner('write');
      const before = owner.said.length;
      await expect.poll(() => owner.said.length - before, { timeout: 15_000 }).toBeGreaterThan(200);
      process.kill(await postmasterPid(), 'SIGQUIT');
      await owner.die('SIGKILL');
      for (const id of owner.said.slice(1)) acknowledged.add(id);
    }
    const { url, stop } = await startEmbedded(dataDir, { log });
    const kept = new Set((await query(url, 'SELECT id FROM writes')).map(({ id }) => id));
    expect([...acknowledged].filter((id) => !kept.has(id))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(200 * rounds);
    await stop();
  }, 400_000);
});
