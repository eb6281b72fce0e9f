import { expect, it } from 'vitest';
import { lists } from '../../sources/damage/lists.ts';
import { seeded } from '../../support/damage.ts';
import { campaign } from '../../support/damage-oracle.ts';
import { tempFolder } from '../../support/files.ts';
import { inFullRun } from '../../support/rounds.ts';

/** Files of each list: 1,500 in a full run. */
const FILES = inFullRun(1_500, 60);
const seed = Number(process.env.QUIPU_SEED ?? process.env.QUIPU_PROPERTY_SEED ?? 54);

it(`UP-03 damaged tables of contract fines give no wrong answer, QUIPU_SEED=${seed}`, { timeout: 300_000 }, async () => {
  const random = seeded(seed);
  const subjects = (await lists(await tempFolder())).filter(({ name }) => name.startsWith('MULTAS'));
  expect(subjects).toHaveLength(2);
  for (const subject of subjects) {
    const { wrong, failed, same } = await campaign(subject, FILES, random);
    expect(wrong).toEqual([]);
    expect(Math.min(failed, same)).toBeGreaterThan(0);
  }
});
