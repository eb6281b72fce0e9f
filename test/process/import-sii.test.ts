import { describe, expect, it } from 'vitest';
import { onDisk } from '../sources/sii/support.ts';
import { names, nominaOf } from '../sources/sii/tables.ts';
import { testDb } from '../support/db.ts';
import { zipOf } from '../support/files.ts';
import { dataFolder, type Run, run } from '../support/process.ts';

/** A database for one test and the command on it, without a running server. */
async function commands(env: Record<string, string>) {
  const { url, knex, close } = await testDb();
  const settings = { DATABASE_URL: url, QUIPU_KEY_SECRET: 'a-secret-of-the-tests', QUIPU_DATA_DIR: await dataFolder(), ...env };
  const importing = (...args: string[]): Run => run('src/cli.ts', ['import', 'sii', ...args], settings);
  const count = async (): Promise<number> => (await knex.raw('SELECT count(*)::int AS count FROM sii_companies')).rows[0].count;
  return { importing, count, close };
}

describe('quipu import sii', () => {
  it.each(['sandbox', 'live'])(
    'loads local files without a server, with QUIPU_SOURCES=%s',
    async (mode) => {
      const { importing, count, close } = await commands({ QUIPU_SOURCES: mode });
      try {
        const files = await onDisk({ 'a.txt': nominaOf(50), 'b.txt': names([[77_000_000, 'SOLO NOMBRE', '', '']]) });
        const first = importing('--file', ...files);
        expect([await first.ended, first.out(), await count()]).toEqual([0, 'sii: loaded, 51 entries\n', 51]);
        expect(first.err()).toMatch(/a\.txt: 50 rows/);
        const again = importing('--json', '--file', ...files);
        expect([await again.ended, JSON.parse(again.out())]).toMatchObject([
          0,
          { sii: { outcome: 'unchanged', version: { entries: 51 } } },
        ]);
      } finally {
        await close();
      }
    },
    60_000,
  );

  it('exits with 1 when a load is refused, and loads the same file with --force', async () => {
    const { importing, count, close } = await commands({ QUIPU_SOURCES: 'live' });
    try {
      const [large = '', small = ''] = await onDisk({ 'a.txt': nominaOf(50), 'b.txt': nominaOf(5) });
      await importing('--file', large).ended;
      const refused = importing('--file', small);
      expect([await refused.ended, refused.out(), await count()]).toEqual([1, 'sii: refused: shrunk; the previous version stays\n', 50]);
      const forced = importing('--force', '--file', small);
      expect([await forced.ended, await count()]).toEqual([0, 5]);
    } finally {
      await close();
    }
  }, 60_000);

  it('exits with 1 and says why when a file is no table of the registry', async () => {
    const { importing, count, close } = await commands({ QUIPU_SOURCES: 'live' });
    try {
      const bomb = await zipOf({ 'PUB_EMPRESAS_PJ.txt': Buffer.alloc(65 * 1024 ** 2) });
      const refused = importing('--file', ...(await onDisk({ 'a.zip': bomb })));
      expect([await refused.ended, refused.out(), await count()]).toEqual([
        1,
        'sii: refused: not_a_list, a.zip unpacks to more than 200 times its size; the previous version stays\n',
        0,
      ]);
    } finally {
      await close();
    }
  }, 60_000);

  it('prints the path of a missing file, and its options with --help', async () => {
    const { importing, close } = await commands({ QUIPU_SOURCES: 'live' });
    try {
      const missing = importing('--file', '/nowhere/PUB_EMPRESAS_PJ_2024.txt');
      expect([await missing.ended, missing.err()]).toEqual([1, 'There is no file /nowhere/PUB_EMPRESAS_PJ_2024.txt.\n']);
      const help = importing('--help');
      expect([await help.ended, help.out()]).toEqual([0, expect.stringMatching(/--file <path\.\.\.>.*--force.*--json/s)]);
    } finally {
      await close();
    }
  }, 60_000);
});
