import { expect, it } from 'vitest';
import { damageFiles } from '../sources/cl-ownership/damage.ts';
import { rounds } from '../support/rounds.ts';

it('10,000 damaged files of Chilean owners give no wrong answer', { timeout: 3_600_000 }, async () => {
  const { wrong, refused, files } = await damageFiles(rounds(10_000), Date.now());
  console.log(`${files} damaged files: ${refused} refused`);
  expect(wrong.slice(0, 20)).toEqual([]);
});
