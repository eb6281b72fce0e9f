import { describe, expect, it } from 'vitest';
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

describe('an old version that cannot be deleted when an import begins', () => {
  const DATES = ['2026-09-14', '2026-10-14', '2026-11-14'];
  const versionsOf = async (origin: string): Promise<readonly string[]> => {
    const { rows } = await knex().raw('SELECT extracted_on::text AS day FROM receita_versions WHERE origin = ? ORDER BY 1', [origin]);
    return rows.map(({ day }: { readonly day: string }) => day);
  };

  /** A copy of two months, and the import of a third while the first one cannot be deleted. */
  async function setup(table: string) {
    const own = copy();
    const folder = await folderOf(monthOf(3), 'D61114');
    await own.load(await folderOf(monthOf(3), 'D60914'));
    await own.load(await folderOf(monthOf(3), 'D61014'));
    const end = await refuseDeletions(knex(), table);
    try {
      expect(await own.load(folder)).toMatchObject({ outcome: 'loaded', extractedOn: '2026-11-14' });
    } finally {
      await end();
    }
    expect(await own.reader().health()).toMatchObject({ failedAt: null });
    return { own, folder };
  }

  it('is logged with the code of the error, the import counts as loaded, and the next one deletes it, also one that loads nothing', async () => {
    const { own, folder } = await setup('receita_versions');
    expect(own.lines).toContainEqual(
      expect.objectContaining({ level: 50, code: '58030', msg: 'an old version could not be deleted; the next import tries again' }),
    );
    expect(await versionsOf(own.origin)).toEqual(DATES);
    expect(await own.load(folder)).toMatchObject({ outcome: 'unchanged' });
    expect(await versionsOf(own.origin)).toEqual(DATES.slice(1));
    expect(await own.rollBack()).toMatchObject({ extractedOn: '2026-10-14' });
  });

  it('is deleted without the version that an interrupted import has begun, which the next one continues', async () => {
    const { own, folder } = await setup('receita_versions');
    await expect(own.load(await folderOf({ ...monthOf(3), Socios0: 'no row\n' }, 'D61214'))).rejects.toMatchObject({ reason: 'damaged' });
    expect(await own.load(folder)).toMatchObject({ outcome: 'unchanged' });
    expect(await versionsOf(own.origin)).toEqual(['2026-11-14', '2026-12-14']);
  });

  it('may be a comparison: the import counts as loaded', async () => {
    const own = copy(undefined, { historyMonths: 1 });
    await own.load(await folderOf(monthOf(3), 'D60814'));
    await own.load(await folderOf(monthOf(3), 'D60914'));
    await own.rollBack();
    const end = await refuseDeletions(knex(), 'receita_comparisons');
    try {
      expect(await own.load(await folderOf(monthOf(4), 'D61014'))).toMatchObject({ outcome: 'loaded', extractedOn: '2026-10-14' });
    } finally {
      await end();
    }
  });
});
