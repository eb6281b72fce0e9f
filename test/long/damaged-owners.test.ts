import { expect, it } from 'vitest';
import { damageFiles } from '../sources/cl-ownership/damage.ts';
import { rounds } from '../support/rounds.ts';

const SEED = Number(process.env.QUIPU_SEED ?? process.env.QUIPU_PROPERTY_SEED ?? Date.now());

it(`10,000 damaged files of Chilean owners give no wrong answer, QUIPU_SEED=${SEED}`, { timeout: 3_600_000 }, async () => {
  const { wrong, refused, files } = await damageFiles(rounds(10_000), SEED);
  console.log(`${files} damaged files: ${refused} refused`);
  expect(wrong.slice(0, 20)).toEqual([]);
});
