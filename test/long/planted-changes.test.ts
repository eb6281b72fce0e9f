import { expect, it } from 'vitest';
import { plantedMonths } from '../sources/receita-copy/planted.ts';
import { copyDb, folderOf } from '../sources/receita-copy/support.ts';
import { OWN } from '../support/own-numbers.ts';
import { rounds } from '../support/rounds.ts';

const { copy, knex } = copyDb();

it('CG-04 a month with 10,000 changes of all kinds has these differences and no other', async () => {
  const own = copy();
  const { before, after, planted } = plantedMonths(rounds(OWN['CG-04'].changes));
  await own.load(await folderOf(before, 'D61014'));
  await own.load(await folderOf(after, 'D61114'));
  const { rows } = await knex().raw('SELECT root, branch, field, before, after FROM receita_changes ORDER BY root');
  expect(rows).toEqual(planted);
}, 600_000);
