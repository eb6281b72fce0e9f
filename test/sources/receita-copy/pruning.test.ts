import { expect, it } from 'vitest';
import { refuseDeletions } from '../../support/refuse-writes.ts';
import { copyDb, folderOf, monthOf } from './support.ts';

const { copy, knex } = copyDb();

it('an error of the deletion of old comparisons after an import is logged with its code, the import counts as loaded, and that of the next month deletes them', async () => {
  const own = copy(undefined, { historyMonths: 1 });
  const load = async (date: string) => own.load(await folderOf(monthOf(3), date));
  const compared = async () => {
    const { rows } = await knex().raw('SELECT extract_to::text AS day FROM receita_comparisons WHERE origin = ? ORDER BY 1', [own.origin]);
    return rows.map(({ day }: { readonly day: string }) => day);
  };
  await load('D60814');
  await load('D60914');
  const end = await refuseDeletions(knex(), 'receita_comparisons');
  try {
    expect(await load('D61014')).toMatchObject({ outcome: 'loaded', extractedOn: '2026-10-14' });
  } finally {
    await end();
  }
  expect(await own.reader().health()).toMatchObject({ failedAt: null });
  expect(own.lines).toContainEqual(expect.objectContaining({ level: 50, copy: 'receita_federal', code: '58030' }));
  expect(await compared()).toEqual(['2026-09-14', '2026-10-14']);
  await load('D61114');
  expect(await compared()).toEqual(['2026-11-14']);
});
