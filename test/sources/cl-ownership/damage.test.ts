import { expect, it } from 'vitest';
import { damageFiles } from './damage.ts';
import { ROW_DAMAGES } from './made-up.ts';

it('a damaged file of owners is refused, or gives true owners and says what may be missing', { timeout: 60_000 }, async () => {
  const { wrong, kinds, refused, files } = await damageFiles(400, 20_261_128);
  expect(wrong).toEqual([]);
  expect(Object.keys(ROW_DAMAGES).filter((name) => !kinds.has(name))).toEqual([]);
  expect([refused > files * 0.1, refused < files * 0.9]).toEqual([true, true]);
});
