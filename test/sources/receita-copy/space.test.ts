import { expect, it, onTestFinished } from 'vitest';
import { sizeOfVersion } from '../../../bench/graph/imports.ts';
import { writeMonth } from '../../../bench/graph/month-files.ts';
import { importFolder } from '../../../src/sources/receita-federal/copy/import.ts';
import { VERSION_SHARE } from '../../../src/sources/receita-federal/copy/space.ts';
import { testDb } from '../../support/db.ts';
import { tempFolder } from '../../support/files.ts';
import { importParts } from '../../support/registry-copy.ts';

it('a version takes no more of the disk than an import requires, and not much less', async () => {
  const db = await testDb();
  onTestFinished(() => db.close());
  const dir = await tempFolder();
  const { bytes } = await writeMonth(dir, 20_000, '2026-10-10', false);
  await importFolder(dir, importParts({ db: db.knex, now: () => Date.parse('2026-10-20') }));
  const share = (await sizeOfVersion(db.url, '1')) / bytes;
  expect([share < VERSION_SHARE, share > VERSION_SHARE / 1.5], `${share} bytes on the disk for each unpacked byte`).toEqual([true, true]);
});
