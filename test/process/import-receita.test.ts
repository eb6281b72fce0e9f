import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refuse, shareOf } from '../sources/receita-copy/share.ts';
import { folderOf, monthOf } from '../sources/receita-copy/support.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { dataFolder, run } from '../support/process.ts';
import { until } from '../support/until.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.knex.raw('TRUNCATE receita_current, receita_attempts; DELETE FROM receita_versions');
});

/** Runs `quipu import receita` on the database of this file to its end. */
async function importing(args: readonly string[], shareUrl = 'http://127.0.0.1:1/index.php/s/the-token') {
  const { ended, out, err } = start(args, shareUrl, await dataFolder());
  return { code: await ended, out: out(), err: err() };
}

const start = (args: readonly string[], shareUrl: string, folder: string) =>
  run('src/cli.ts', ['import', 'receita', ...args], {
    DATABASE_URL: db.url,
    QUIPU_KEY_SECRET: 'a-secret-of-the-tests',
    QUIPU_DATA_DIR: folder,
    QUIPU_SOURCES: 'live',
    QUIPU_RECEITA_SHARE_URL: shareUrl,
  });

const LOADED = (day: string, count: number) =>
  expect.stringMatching(
    new RegExp(
      `^receita_federal: the extract of ${day} is loaded: ${count} companies, ${count} establishments, ${count} partners; 0 unread`,
    ),
  );

describe('quipu import receita --dir', () => {
  it('loads a folder with progress, loads it once, and returns to the version before', async () => {
    const october = await folderOf(monthOf(20), 'D61014');
    const first = await importing(['--dir', october]);
    expect([first.code, first.out]).toEqual([0, LOADED('2026-10-14', 20)]);
    for (const step of ['Empresas0: 20 rows', 'Socios0: 20 rows', 'index of companies', 'comparison']) expect(first.err).toContain(step);
    const again = await importing(['--dir', october]);
    expect([again.code, again.out]).toEqual([0, 'receita_federal: the extract of 2026-10-14 is already loaded.\n']);
    const none = await importing(['--rollback']);
    expect([none.code, none.out]).toEqual([1, 'receita_federal: refused (no_previous). There is no previous version to return to.\n']);
    await importing(['--dir', await folderOf(monthOf(21))]);
    const back = await importing(['--rollback', '--json']);
    expect([back.code, JSON.parse(back.out)]).toMatchObject([0, { outcome: 'rolled_back', extractedOn: '2026-10-14' }]);
  }, 120_000);

  it('refuses an implausible month with the reasons, and loads it with --force', async () => {
    await importing(['--dir', await folderOf(monthOf(100), 'D61014')]);
    const half = await folderOf(monthOf(50));
    const refused = await importing(['--dir', half]);
    expect([refused.code, refused.out]).toEqual([
      1,
      expect.stringMatching(/^receita_federal: refused \(implausible\)\. companies fewer than before: 50 of 100\. .*\n$/),
    ]);
    const forced = await importing(['--dir', half, '--force']);
    expect([forced.code, forced.out]).toEqual([0, LOADED('2026-11-14', 50)]);
  }, 120_000);

  it('refuses a cut zip', async () => {
    const folder = await folderOf(monthOf(200));
    const file = path.join(folder, 'Empresas0.zip');
    const whole = await readFile(file);
    await writeFile(file, whole.subarray(0, whole.length - 100));
    const { code, out } = await importing(['--dir', folder]);
    expect([code, out]).toEqual([1, 'receita_federal: refused (damaged). Empresas0.zip is cut or damaged.\n']);
  }, 60_000);

  it('names a wrong argument', async () => {
    expect(await importing(['--month', '2026-13'])).toMatchObject({ code: 1, err: '--month must be a month, e.g. 2026-01.\n' });
    expect(await importing(['--month', '2026-10', '--rollback'])).toMatchObject({
      code: 1,
      err: 'Only one of --dir, --month and --rollback can be given.\n',
    });
    expect(await importing(['--dir', '/nowhere'])).toMatchObject({
      code: 1,
      out: 'receita_federal: refused (not_found). The folder cannot be read.\n',
    });
  }, 60_000);
});

describe('quipu import receita from the share', () => {
  it('loads the newest month or a given one, and says which months there are', async () => {
    const share = await shareOf({ '2026-10': await folderOf(monthOf(20), 'D61014'), '2026-11': await folderOf(monthOf(21)) });
    const older = await importing(['--month', '2026-10'], share.address);
    expect([older.code, older.out]).toEqual([0, LOADED('2026-10-14', 20)]);
    const newest = await importing([], share.address);
    expect([newest.code, newest.out]).toEqual([0, LOADED('2026-11-14', 21)]);
    expect(newest.err).toContain('download: ');
    const before = share.downloads();
    expect(await importing([], share.address)).toMatchObject({
      code: 0,
      out: 'receita_federal: the extract of 2026-11-14 is already loaded.\n',
    });
    expect(share.downloads()).toBe(before);
    expect(await importing(['--month', '2026-09'], share.address)).toMatchObject({
      code: 1,
      out: 'receita_federal: refused (not_found). The share has no such month. It has: 2026-10, 2026-11.\n',
    });
  }, 120_000);

  it('says that the share cannot be reached, without its token', async () => {
    const { code, out, err } = await importing([]);
    expect([code, out, /the-token/.test(out + err)]).toEqual([
      1,
      'receita_federal: refused (share). The share cannot be reached.\n',
      false,
    ]);
  }, 60_000);

  it('says what to check when the share refuses the token', async () => {
    const share = await shareOf({});
    share.faults.listing = (response) => refuse(response, 401);
    const { code, out } = await importing([], share.address);
    expect([code, out]).toEqual([
      1,
      'receita_federal: refused (share). The share answered 401 to the listing of a folder. Its address, its token or its folder may have changed: QUIPU_RECEITA_SHARE_URL, QUIPU_RECEITA_SHARE_PATH.\n',
    ]);
  }, 60_000);

  it('refuses a month that the disk has no room for, before the first byte', async () => {
    const share = await shareOf({ '2026-11': await folderOf(monthOf(20)) });
    share.faults.listing = (response, request) => {
      if (!request.url?.includes('2026-11')) return false;
      response.writeHead(207).end(HUGE);
      return true;
    };
    const { code, out } = await importing([], share.address);
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(
        /^receita_federal: refused \(no_space\)\. The rest of the download needs 900000\.0 GB; [\d.]+ GB are free\.\n$/,
      ),
    ]);
    expect(share.downloads()).toBe(0);
  }, 60_000);

  it('continues after a kill: no file is downloaded twice, and the result is that of an uninterrupted import', async () => {
    const files = { ...monthOf(20_000), Simples: [['99100001', 'S', '20120314', '00000000', 'N', '00000000', '00000000']] };
    const share = await shareOf({ '2026-11': await folderOf(files) });
    const folder = await dataFolder();
    const killed = start([], share.address, folder);
    await until(() => /^Socios0: /m.test(killed.err()));
    killed.child.kill('SIGKILL');
    await killed.ended;
    await until(async () => {
      const { rows } = await db.knex.raw(`SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'`);
      return rows[0].n === 0;
    });
    const before = share.downloads();
    const resumed = start([], share.address, folder);
    expect([await resumed.ended, resumed.out()]).toEqual([0, LOADED('2026-11-14', 20_000)]);
    expect(share.downloads()).toBe(before);
    expect(resumed.err()).not.toMatch(/^Empresas0: /m);
  }, 120_000);
});

const NAMES = [
  ...['Empresas0', 'Estabelecimentos0', 'Socios0', 'Simples', 'Cnaes', 'Motivos', 'Municipios', 'Naturezas', 'Paises', 'Qualificacoes'],
];
/** Listing of a month whose first file has 900 terabytes. */
const HUGE = `<d:multistatus xmlns:d="DAV:"><d:response><d:href>/public.php/webdav/2026-11/</d:href></d:response>${NAMES.map(
  (name, i) =>
    `<d:response><d:href>/public.php/webdav/2026-11/${name}.zip</d:href><d:getcontentlength>${i === 0 ? 9e14 : 1}</d:getcontentlength></d:response>`,
).join('')}</d:multistatus>`;
