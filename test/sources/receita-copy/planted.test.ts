import { expect, it } from 'vitest';
import { plantedMonths } from './planted.ts';
import { copyDb, folderOf } from './support.ts';

const { copy, knex } = copyDb();

it('CG-04 a month with 1,000 changes of all kinds has these differences and no other', async () => {
  const own = copy();
  const { before, after, planted } = plantedMonths(1_000);
  await own.load(await folderOf(before, 'D61014'));
  await own.load(await folderOf(after, 'D61114'));
  const { rows } = await knex().raw('SELECT root, branch, field, before, after FROM receita_changes ORDER BY root');
  expect(rows).toEqual(planted);
}, 120_000);
