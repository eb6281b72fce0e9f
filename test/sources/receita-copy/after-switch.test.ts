import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMonthlyImport } from '../../../src/sources/receita-federal/copy/monthly.ts';
import { memoryLog } from '../../support/log.ts';
import { refuseWrites } from '../../support/refuse-writes.ts';
import { undeletable } from '../../support/undeletable.ts';
import { shareOf } from './share.ts';
import { copyDb, folderOf, monthOf, NOW } from './support.ts';

const { copy, knex } = copyDb();

/** The monthly import of a share with one month. */
async function setup() {
  const share = await shareOf({ '2026-10': await folderOf(monthOf(20), 'D61014') });
  const tempDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-after-'));
  onTestFinished(() => rm(tempDir, { recursive: true }));
  const own = copy();
  const { log, lines } = memoryLog();
  const reader = own.reader();
  const parts = {
    ...{ db: knex(), origin: own.origin, secret: 'a secret of this test', now: () => NOW, diskFolder: null, historyMonths: 24, log },
    ...{ address: share.address, sharePath: '', tempDir, pauseMs: 1 },
  };
  const status = async () => {
    throw new Error('not used here');
  };
  const monthly = (change = {}) => createMonthlyImport({ ...parts, status, olderFirst: false, copy: { ...reader, ...change } });
  return { share, tempDir, lines, monthly, health: () => reader.health() };
}

const LOADED = { outcome: 'loaded', version: { publishedOn: '2026-10-14', entries: 20 } };

describe('an error after the version of a month has become the current one', () => {
  it('that of the record of its files is logged, the month counts as loaded, and the next sync repeats the step without a download', async () => {
    const { share, tempDir, lines, monthly, health } = await setup();
    const end = await refuseWrites(knex(), 'UPDATE OF listing ON receita_versions');
    try {
      expect(await monthly().sync()).toMatchObject(LOADED);
    } finally {
      await end();
    }
    expect(await health()).toMatchObject({ failedAt: null, checkedAt: NOW, version: { extractedOn: '2026-10-14' } });
    expect(lines).toContainEqual(expect.objectContaining({ level: 50, copy: 'receita_federal', code: '58030' }));
    const before = share.downloads();
    expect(await monthly().sync()).toMatchObject({ outcome: 'unchanged' });
    expect([share.downloads(), await readdir(tempDir)]).toEqual([before, []]);
    expect(await knex()('receita_versions').whereNotNull('listing').where({ extracted_on: '2026-10-14' })).toHaveLength(1);
  });

  it('that of the record of its success is logged, the month counts as loaded, and the next sync records it', async () => {
    const { lines, monthly, health } = await setup();
    const end = await refuseWrites(knex(), 'INSERT OR UPDATE ON receita_attempts', 'NEW.checked_at IS NOT NULL');
    try {
      expect(await monthly().sync()).toMatchObject(LOADED);
    } finally {
      await end();
    }
    expect(await health()).toMatchObject({ failedAt: null, checkedAt: null });
    expect(lines).toContainEqual(expect.objectContaining({ level: 50, code: '58030' }));
    expect(await monthly().sync()).toMatchObject({ outcome: 'unchanged' });
    expect(await health()).toMatchObject({ failedAt: null, checkedAt: NOW });
  });

  it('that of the deletion of the downloads is logged, the month counts as loaded, and the next sync deletes them', async () => {
    const { share, tempDir, lines, monthly, health } = await setup();
    const end = undeletable();
    expect(await monthly().sync()).toMatchObject(LOADED);
    end();
    expect(await health()).toMatchObject({ failedAt: null });
    expect(lines).toContainEqual(expect.objectContaining({ level: 50, code: 'EIO' }));
    expect(await readdir(tempDir)).toHaveLength(1);
    const before = share.downloads();
    expect(await monthly().sync()).toMatchObject({ outcome: 'unchanged' });
    expect([share.downloads(), await readdir(tempDir)]).toEqual([before, []]);
  });

  it('that of a statement that reads the version is not possible, because the load has read it', async () => {
    const { monthly, health } = await setup();
    const result = await monthly({ health: () => Promise.reject(new Error('the database is away')) }).sync();
    expect(result).toMatchObject(LOADED);
    const { version } = await health();
    expect(result).toMatchObject({ version: { id: version?.id, loadedAt: version?.loadedAt, checksum: version?.checksum } });
  });

  it('of an earlier listing of the month, whose downloads cannot be deleted, does not keep the month from being loaded', async () => {
    const { share, monthly } = await setup();
    const end = undeletable();
    await monthly().sync();
    share.folders['2026-10'] = await folderOf(monthOf(21), 'D61015');
    expect(await monthly().sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: '2026-10-15' } });
    end();
  });
});
