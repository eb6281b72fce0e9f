import { expect, it } from 'vitest';
import { independentAnswers } from '../sources/receita-copy/independent.ts';
import { copyDb } from '../sources/receita-copy/support.ts';
import { OWN } from '../support/own-numbers.ts';
import { rounds } from '../support/rounds.ts';

const { copy } = copyDb();

it('CG-03 1,000 records, 1,000 reverse look-ups and 500 paths equal those of a plain script over the CSV files of 100,000 establishments', async () => {
  const { records, lookups, paths } = await independentAnswers(copy(), {
    establishments: rounds(100_000),
    records: rounds(OWN['CG-03'].companies),
    lookups: 2 * rounds(OWN['CG-03'].owners / 2),
    pairs: rounds(OWN['CG-03'].pairs),
  });
  for (const { ours, script } of [records, lookups, paths]) expect(ours).toEqual(script);
  expect(lookups.script.flat().length).toBeGreaterThan(lookups.script.length);
  expect(paths.script.some((length) => length === null)).toBe(true);
  expect(paths.script.filter((length) => length !== null).length).toBeGreaterThan(rounds(OWN['CG-03'].pairs) / 3);
});
