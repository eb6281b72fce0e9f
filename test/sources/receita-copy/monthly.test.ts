import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startListSync } from '../../../src/jobs/sync-lists.ts';
import { importMonth } from '../../../src/sources/receita-federal/copy/import-month.ts';
import { createMonthlyImport } from '../../../src/sources/receita-federal/copy/monthly.ts';
import { memoryLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';
import { refuse, shareOf } from './share.ts';
import { cnpjOf, copyDb, folderOf, monthOf, NOW } from './support.ts';

const { copy, knex } = copyDb();

/** A share of two months, and the monthly import of it. */
async function setup() {
  const share = await shareOf({ '2026-10': await folderOf(monthOf(20), 'D61014') });
  const tempDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-monthly-'));
  onTestFinished(() => rm(tempDir, { recursive: true }));
  const own = copy();
  const { log } = memoryLog();
  const parts = {
    ...{ db: knex(), origin: own.origin, secret: 'a secret of this test', now: () => NOW, diskFolder: null, historyMonths: 24 },
    ...{ address: share.address, sharePath: '', tempDir, pauseMs: 1 },
  };
  const reader = own.reader();
  const status = async () => {
    throw new Error('not used here');
  };
  const monthly = (olderFirst = false) => createMonthlyImport({ ...parts, copy: own.reader(), status, olderFirst, log });
  const command = (month: string | null = null) => importMonth({ ...parts, log, month, onProgress: () => undefined });
  return { share, tempDir, own, log, monthly, command, health: () => reader.health() };
}

describe('the monthly import', () => {
  it('loads the newest month that the share lists, downloads it once, and deletes the downloads', async () => {
    const { share, tempDir, own, monthly, health } = await setup();
    share.folders['2026-11'] = await folderOf(monthOf(20));
    expect(await monthly().sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: '2026-11-14', entries: 20 } });
    expect(await own.find(cnpjOf('99100001'))).toMatchObject({ dataAsOf: '2026-11-14' });
    expect(await readdir(tempDir)).toEqual([]);
    const before = share.downloads();
    expect(await monthly().sync()).toMatchObject({ outcome: 'unchanged', version: { publishedOn: '2026-11-14' } });
    expect(share.downloads()).toBe(before);
    expect(await health()).toMatchObject({ checkedAt: NOW, failedAt: null });
  });

  it('loads the month before the newest one first where that is wanted, then the newest, and neither again', async () => {
    const { share, monthly, health } = await setup();
    share.folders['2026-11'] = await folderOf(monthOf(20));
    const first = monthly(true);
    expect(await first.sync()).toMatchObject({ outcome: 'loaded', isIncomplete: true, version: { publishedOn: '2026-10-14' } });
    expect([first.awaitsNewest(), first.version()]).toEqual([true, (await health()).version?.id]);
    expect(await first.sync()).toEqual({ outcome: 'loaded', version: expect.objectContaining({ publishedOn: '2026-11-14' }) });
    expect(first.awaitsNewest()).toBe(false);
    const before = share.downloads();
    expect(await monthly(true).sync()).toEqual({ outcome: 'unchanged', version: expect.objectContaining({ publishedOn: '2026-11-14' }) });
    expect(share.downloads()).toBe(before);
  });

  it('loads the only month that the share lists as the newest one, and reports a share that does not answer', async () => {
    const { share, monthly } = await setup();
    share.faults.listing = (response) => refuse(response, 503);
    expect(await monthly(true).sync()).toMatchObject({ outcome: 'refused', reason: 'share' });
    share.faults.listing = undefined;
    expect(await monthly(true).sync()).toEqual({ outcome: 'loaded', version: expect.objectContaining({ publishedOn: '2026-10-14' }) });
  });

  it('loads a month whose folder appears later, and one that was published again', async () => {
    const { share, monthly } = await setup();
    expect(await monthly().sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: '2026-10-14' } });
    share.folders['2027-02'] = await folderOf(monthOf(20)); // no month between them
    expect(await monthly().sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: '2026-11-14' } });
    share.folders['2027-02'] = await folderOf(monthOf(22), 'D61115');
    expect(await monthly().sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: '2026-11-15', entries: 22 } });
  });

  it('does not load a month again from which an operator has rolled back; a command does', async () => {
    const { share, own, monthly, command } = await setup();
    await monthly().sync();
    share.folders['2026-11'] = await folderOf(monthOf(21));
    await monthly().sync();
    expect(await own.rollBack()).toMatchObject({ extractedOn: '2026-10-14' });
    expect(await monthly().sync()).toMatchObject({ outcome: 'unchanged', version: { publishedOn: '2026-10-14' } });
    expect(await command()).toMatchObject({ outcome: 'loaded', extractedOn: '2026-11-14' });
  });

  it('does not undo a rollback from a version that an operator has loaded from a folder; a command does', async () => {
    const { share, own, monthly, command } = await setup();
    await own.load(await folderOf(monthOf(20), 'D61014'));
    share.folders['2026-11'] = await folderOf(monthOf(21));
    await own.load(share.folders['2026-11']);
    await own.rollBack();
    expect(await monthly().sync()).toMatchObject({ outcome: 'unchanged', version: { publishedOn: '2026-10-14' } });
    const before = share.downloads();
    expect(await monthly().sync()).toMatchObject({ outcome: 'unchanged', version: { publishedOn: '2026-10-14' } });
    expect(share.downloads()).toBe(before);
    expect(await command()).toMatchObject({ outcome: 'loaded', extractedOn: '2026-11-14' });
  });

  it('does not replace the version by an older extract, and downloads it once; a command does', async () => {
    const { share, own, monthly, command } = await setup();
    await own.load(await folderOf(monthOf(20)));
    expect(await monthly().sync()).toMatchObject({ outcome: 'unchanged', version: { publishedOn: '2026-11-14' } });
    const before = share.downloads();
    expect(await monthly().sync()).toMatchObject({ outcome: 'unchanged', version: { publishedOn: '2026-11-14' } });
    expect(share.downloads()).toBe(before);
    expect(await command()).toMatchObject({ outcome: 'loaded', extractedOn: '2026-10-14' });
  });

  it('builds the index of names of a version that has none, and so does an import of the same files', async () => {
    const { share, own, monthly, health } = await setup();
    await monthly().sync();
    const id = (await health()).version?.id;
    const tables = [`receita_names_v${id}`, `receita_terms_v${id}`];
    for (const again of [() => monthly().sync(), () => own.load(share.folders['2026-10'] ?? '')]) {
      await knex().raw('DROP TABLE ??, ??', tables);
      expect(await again()).toMatchObject({ outcome: 'unchanged' });
      for (const table of tables) expect((await knex().raw('SELECT count(*)::int AS n FROM ??', [table])).rows[0].n).toBeGreaterThan(0);
    }
  });

  it('records why it failed, with the time that the share asked for, and the older version stays', async () => {
    const { share, own, monthly, health } = await setup();
    await monthly().sync();
    share.faults.listing = (response) => refuse(response, 503, { 'retry-after': '3600' });
    expect(await monthly().sync()).toMatchObject({ outcome: 'refused', reason: 'share', retryAfterMs: 3_600_000 });
    share.faults.listing = undefined;
    const { Simples: _, ...incomplete } = monthOf(20);
    share.folders['2026-11'] = await folderOf(incomplete);
    expect(await monthly().sync()).toMatchObject({ outcome: 'refused', reason: 'incomplete', why: 'The file Simples.zip is missing.' });
    expect(await health()).toMatchObject({ failedAt: NOW, lastError: 'incomplete', version: { extractedOn: '2026-10-14' } });
    expect(await own.find(cnpjOf('99100001'))).toMatchObject({ dataAsOf: '2026-10-14' });
  });

  it('does not run while a command imports, nor a command while it runs', async () => {
    const { share, monthly, command } = await setup();
    const hanging: Socket[] = [];
    share.faults.listing = (_, request, nth) => {
      if (nth > 1 || request.url?.includes('2026')) return false;
      hanging.push(request.socket);
      return true;
    };
    const running = command().catch((error: Error) => error.message);
    await until(() => hanging.length === 1);
    expect(await monthly().sync()).toEqual({ outcome: 'busy' });
    await expect(command()).rejects.toMatchObject({ reason: 'busy' });
    hanging[0]?.destroy();
    expect(await running).toBe('The share cannot be reached.');
    expect(await monthly().sync()).toMatchObject({ outcome: 'loaded' });
  });

  it('stops with its process and continues afterwards', async () => {
    const { share, log, monthly, health } = await setup();
    share.faults.file = (response, request) => {
      if (!request.url?.includes('Socios0')) return false;
      response.writeHead(200);
      return true; // it hangs
    };
    const lists = startListSync([monthly()], { log, random: () => 0 });
    await until(() => share.downloads() >= 8);
    await lists.stop();
    expect(await health()).toMatchObject({ failedAt: null, version: null });
    share.faults.file = undefined;
    const before = share.downloads();
    // Postgres releases the lock when it notices the end of the connection.
    await expect.poll(() => monthly().sync(), { timeout: 10_000, interval: 50 }).toMatchObject({ outcome: 'loaded' });
    expect(share.downloads() - before).toBeLessThan(5);
  });
});
