import { describe, expect, it } from 'vitest';
import { changed, cnpjOf, company, copyDb, establishment, folderOf, lineOf, monthOf, partner } from './support.ts';

const { copy, knex } = copyDb();
const ROOT = '99100000';
const CNPJ = cnpjOf(ROOT);

describe('the import of a folder', () => {
  it('answers for the companies of the extract, with its date', async () => {
    const own = copy();
    expect(await own.load(await folderOf(monthOf(3)))).toMatchObject({
      outcome: 'loaded',
      extractedOn: '2026-11-14',
      facts: { companies: 3, establishments: 3, partners: 3, orphans: 0, unread: 0, unattributed: 0, statuses: { 2: 3 } },
    });
    expect(await own.find(CNPJ)).toMatchObject({
      dataAsOf: '2026-11-14',
      value: {
        cnpj: CNPJ,
        legalName: `EMPRESA ${ROOT}`,
        registration: 'ATIVA',
        municipality: 'SAO PAULO',
        partners: [{ name: 'ANA DE TAL', document: '***000101**', role: 'Sócio-Administrador', entryDate: '2012-03-14' }],
      },
    });
    expect(await own.find(cnpjOf('99999999'))).toMatchObject({ value: null, dataAsOf: '2026-11-14' });
  });

  it('has no country of a partner with the code 000, which stands for none and has a name in the table of the registry', async () => {
    const own = copy();
    const first = { Socios0: partner(ROOT, 'ANA DE TAL', { 6: '000' }) };
    const more = { Socios0: [partner(ROOT, 'BIA', { 6: '158' })], Paises: [['000', 'COLIS POSTAUX']] };
    await own.load(await folderOf(changed(monthOf(1), first, more)));
    expect(await own.find(CNPJ)).toMatchObject({ value: { partners: [{ country: null }, { country: 'CHILE' }] } });
  });

  it('loads the same files once', async () => {
    const own = copy();
    const folder = await folderOf(monthOf(2));
    await own.load(folder);
    expect(await own.load(folder)).toMatchObject({ outcome: 'unchanged' });
  });

  it('leaves statistics of every table, and indexes that answer without the table or a list of pending rows', async () => {
    await copy().load(await folderOf(monthOf(50)));
    const tables = await knex().raw(
      `SELECT relname FROM pg_stat_user_tables WHERE last_analyze IS NULL
         AND (relname ~ '^receita_[a-z]+_v[0-9]+$' OR relname IN ('receita_versions', 'receita_files', 'receita_lookups', 'receita_unread'))`,
    );
    expect(tables.rows).toEqual([]);
    const terms = await knex().raw(
      `SELECT last_vacuum IS NOT NULL AS "isVacuumed" FROM pg_stat_user_tables WHERE relname ~ '^receita_terms_v[0-9]+$'`,
    );
    expect(terms.rows.length).toBeGreaterThan(0);
    for (const row of terms.rows) expect(row).toEqual({ isVacuumed: true });
    const names = await knex().raw(`SELECT reloptions FROM pg_class WHERE relname ~ '^receita_names_v[0-9]+_0$'`);
    for (const { reloptions } of names.rows) expect(reloptions).toEqual(['fastupdate=off']);
  });

  it('makes the version before answer again', async () => {
    const own = copy();
    await own.load(await folderOf(monthOf(2), 'D61014'));
    await own.load(await folderOf({ ...monthOf(3) }, 'D61114'));
    expect(await own.find(CNPJ)).toMatchObject({ dataAsOf: '2026-11-14' });
    expect(await own.rollBack()).toMatchObject({ outcome: 'rolled_back', extractedOn: '2026-10-14' });
    expect(await own.find(CNPJ)).toMatchObject({ dataAsOf: '2026-10-14' });
    expect(await own.find(cnpjOf('99100002'))).toMatchObject({ value: null });
  });

  it('has no version to return to after the first import', async () => {
    const own = copy();
    await own.load(await folderOf(monthOf(2)));
    await expect(own.rollBack()).rejects.toMatchObject({ reason: 'no_previous' });
  });

  it('continues after a damaged file with the files that it had not loaded', async () => {
    const own = copy();
    const broken = { ...monthOf(2), Socios0: 'no row\n' };
    await expect(own.load(await folderOf(broken))).rejects.toMatchObject({ reason: 'damaged' });
    expect(await own.find(CNPJ)).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    // a file that was loaded is not read again, and one with another checksum starts a new version
    expect(await own.load(await folderOf(monthOf(2)))).toMatchObject({ outcome: 'loaded', facts: { companies: 2, partners: 2 } });
  });
});

describe('a company of which a row cannot be read', () => {
  it.each([
    ['with too few fields', lineOf(establishment(ROOT).slice(0, -1))],
    ['with an unknown status', lineOf(establishment(ROOT, '0001', { 5: '99' }))],
    ['with wrong check digits', lineOf(establishment(ROOT, '0001', { 2: '00' }))],
    ['cut in the middle', `${lineOf(establishment(ROOT)).slice(0, 60)}\n`],
    ['broken by a line break in a field', lineOf(establishment(ROOT, '0001', { 4: 'NOME\nQUEBRADO' }))],
  ])('is a failed source: %s', async (_, line) => {
    const own = copy();
    const [, other] = monthOf(2).Estabelecimentos0 as readonly (readonly string[])[];
    await own.load(await folderOf({ ...monthOf(2), Estabelecimentos0: line + lineOf(other ?? []) }));
    expect(await own.find(CNPJ)).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await own.find(cnpjOf('99100001'))).toMatchObject({ value: { registration: 'ATIVA' } });
  });

  it('is a failed source together with the company of the next row if its line has no end', async () => {
    const own = copy();
    const [first, other] = (monthOf(2).Estabelecimentos0 as readonly (readonly string[])[]).map(lineOf);
    await own.load(
      await folderOf({ ...monthOf(2), Estabelecimentos0: `${first?.slice(0, 60)}${other}${lineOf(establishment('99100002'))}` }),
    );
    expect(await own.find(CNPJ)).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await own.find(cnpjOf('99100001'))).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await own.find(cnpjOf('99100009'))).toMatchObject({ value: null });
  });

  it('is a failed source when a row of its partners cannot be read', async () => {
    const own = copy();
    await own.load(await folderOf({ ...monthOf(2), Socios0: [partner(ROOT), partner(ROOT, 'X', { 1: '7' })] }));
    expect(await own.find(CNPJ)).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });

  it('makes every absence a failure while its root is unknown', async () => {
    const own = copy();
    await own.load(await folderOf({ ...monthOf(2), Estabelecimentos0: `garbage\n${lineOf(establishment(ROOT))}` }));
    expect(await own.find(cnpjOf('99999999'))).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await own.find(CNPJ)).toMatchObject({ value: { registration: 'ATIVA' } });
  });

  it('is a failed source without its row in the file of companies', async () => {
    const own = copy();
    const { facts } = await own.load(await folderOf({ ...monthOf(2), Empresas0: [company('99100001')] }));
    expect(facts).toMatchObject({ orphans: 1 });
    expect(await own.find(CNPJ)).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });
});
