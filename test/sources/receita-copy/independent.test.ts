import { expect, it } from 'vitest';
import { independentAnswers } from './independent.ts';
import { copyDb } from './support.ts';

const { copy } = copyDb();

it('CG-03 records, companies of owners and people, and paths equal those of a plain script over the CSV files', async () => {
  const { records, lookups, paths } = await independentAnswers(copy(), { establishments: 3_000, records: 100, lookups: 100, pairs: 50 });
  for (const { ours, script } of [records, lookups, paths]) expect(ours).toEqual(script);
  expect(lookups.script.flat().length).toBeGreaterThan(100);
  expect(paths.script.filter((length) => length !== null).length).toBeGreaterThan(20);
}, 120_000);
