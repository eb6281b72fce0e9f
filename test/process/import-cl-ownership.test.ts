import { describe, expect, it } from 'vitest';
import { edge, fileOf, onDisk, people } from '../sources/cl-ownership/support.ts';
import { testDb } from '../support/db.ts';
import { dataFolder, type Run, run } from '../support/process.ts';

const [A, B] = [76_900_001, 76_900_014];

describe('quipu import cl-ownership', () => {
  it('loads a local file without a server, says why it refuses one, and rolls back', { timeout: 120_000 }, async () => {
    const { url, close } = await testDb();
    const settings = { DATABASE_URL: url, QUIPU_KEY_SECRET: 'a-secret-of-the-tests', QUIPU_DATA_DIR: await dataFolder() };
    const importing = (...args: string[]): Run => run('src/cli.ts', ['import', 'cl-ownership', ...args], settings);
    const load = async (rows: readonly string[], ...args: string[]) => importing('--file', await onDisk(fileOf(rows)), ...args);
    try {
      const first = await load([edge(B, A, '60,5'), people(B, '39,5')]);
      expect([await first.ended, first.out()]).toEqual([0, 'cl_ownership: loaded, 2 entries\n']);
      const implausible = [edge(B, A, '605'), people(B, '395'), people(A, '1000'), people(77_000_000, '1000')];
      const refused = await load(implausible);
      expect([await refused.ended, refused.out()]).toEqual([
        1,
        'cl_ownership: refused: shares_out_of_bounds, 4 of 4 shares are below 0 or above 100; the previous version stays\n',
      ]);
      const forced = await load(implausible, '--force');
      expect([await forced.ended, forced.out()]).toEqual([0, 'cl_ownership: loaded, 4 entries\n']);
      const back = importing('--rollback');
      expect([await back.ended, back.out()]).toEqual([0, 'cl_ownership: loaded, 2 entries\n']);
    } finally {
      await close();
    }
  });
});
