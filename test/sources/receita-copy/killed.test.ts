import { expect, it } from 'vitest';
import { importInProcess, importsEnded } from './killing.ts';
import { cnpjOf, copyDb, folderOf, monthOf } from './support.ts';

const { copy, knex, url } = copyDb();

/** Runs an import in a process of its own and kills it at a progress report. */
async function killAt(step: string, folder: string, origin: string): Promise<void> {
  const isKilled = await importInProcess({ url: url(), folder, origin }, (report, kill) => {
    if (report.startsWith(step)) kill();
  });
  expect(isKilled).toBe(true);
  await importsEnded(knex());
}

it.each([
  'Simples 0',
  'Empresas0 0',
  'Estabelecimentos0 1',
  'Socios0 0',
  'index of companies',
  'index of links',
  'comparison',
  'differences',
])('CG-01 an import that is killed at "%s" continues, loads no file twice, and has the result of an uninterrupted one', async (step) => {
  const own = copy();
  await own.load(await folderOf(monthOf(50), 'D61014'));
  const folder = await folderOf(monthOf(60));
  await killAt(step, folder, own.origin);
  expect(await own.find(cnpjOf('99100000'))).toMatchObject({ dataAsOf: '2026-10-14' });
  expect(await own.load(folder)).toMatchObject({ facts: { companies: 60, establishments: 60, partners: 60, unread: 0 } });
  const { rows } = await knex().raw(
    'SELECT field, count(*)::int AS n FROM receita_changes WHERE comparison_id IN (SELECT id FROM receita_comparisons WHERE origin = ?) GROUP BY 1',
    [own.origin],
  );
  expect(rows).toEqual([{ field: 'registered', n: 10 }]);
  expect(await own.find(cnpjOf('99100059'))).toMatchObject({ dataAsOf: '2026-11-14', value: { registration: 'ATIVA' } });
});
