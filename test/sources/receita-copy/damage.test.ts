import { describe, expect, it } from 'vitest';
import { cnpjOf, company, copyDb, establishment, type Files, folderOf, lineOf, monthOf, partner, roots } from './support.ts';

const { copy, knex } = copyDb();
const ROOT = '99100000';
const CNPJ = cnpjOf(ROOT);
const COUNT = 300;

async function answerOf(files: Files, cnpj = CNPJ) {
  const own = copy();
  const { facts } = await own.load(await folderOf({ ...monthOf(3), ...files }));
  return { facts, answer: await own.find(cnpj) };
}

describe('CG-02 values of the files', () => {
  it('keeps two partners of one name and the same visible digits', async () => {
    const { answer } = await answerOf({ Socios0: [partner(ROOT), partner(ROOT)] });
    expect(answer).toMatchObject({ value: { partners: [{ name: 'ANA DE TAL' }, { name: 'ANA DE TAL' }] } });
  });

  it.each(['99100001', cnpjOf('99100001')])(
    'reads the document %s of a partner that is a company, with the name of its own record',
    async (document) => {
      const { answer } = await answerOf({ Socios0: [partner(ROOT, 'NOME ERRADO', { 1: '1', 3: document })] });
      expect(answer).toMatchObject({ value: { partners: [{ name: 'EMPRESA 99100001', document: cnpjOf('99100001') }] } });
    },
  );

  it('counts placeholders and impossible dates, which become null', async () => {
    const { facts, answer } = await answerOf({
      Empresas0: [company(ROOT).with(4, '999999999999,00')],
      Estabelecimentos0: [establishment(ROOT, '0001', { 6: '02020101', 10: '41000101' })],
      Socios0: [partner(ROOT, 'ANA DE TAL', { 3: '***000000**', 5: '0' })],
    });
    expect(facts?.notes).toEqual({ placeholder_capital: 1, impossible_date: 2, placeholder_document: 1, placeholder_representative: 1 });
    expect(answer).toMatchObject({
      value: { registrationSince: null, openedOn: null, partners: [{ document: null, entryDate: null, legalRepName: null }] },
    });
  });

  it('removes NUL characters and repeated blanks', async () => {
    const { answer } = await answerOf({ Empresas0: [company(ROOT, 'UM\0A  EMPRESA   \0LTDA')] });
    expect(answer).toMatchObject({ value: { legalName: 'UMA EMPRESA LTDA' } });
  });

  it('reads Latin-1', async () => {
    const { answer } = await answerOf({ Municipios: [['7107', 'SÃO PAULO']] });
    expect(answer).toMatchObject({ value: { municipality: 'SÃO PAULO' } });
  });

  it('accepts codes that their tables lack, and names some of them from another source', async () => {
    const { answer } = await answerOf({
      Estabelecimentos0: [establishment(ROOT, '0001', { 7: '32', 20: '9999' })],
      Socios0: [partner(ROOT, 'X', { 1: '3', 4: '36', 6: '367' })],
    });
    expect(answer).toMatchObject({ value: { municipality: null, partners: [{ roleCode: 36, role: 'Gerente-Delegado', country: null }] } });
  });

  it('finds a company and its establishment in files of different numbers', async () => {
    const { answer } = await answerOf({
      Empresas1: [company('99100009')],
      Estabelecimentos0: [establishment('99100009')],
      Estabelecimentos1: [establishment(ROOT)],
    });
    expect(answer).toMatchObject({ value: { cnpj: CNPJ } });
  });

  it('stores no contact data and no complete CPF', async () => {
    const own = copy();
    await own.load(await folderOf({ ...monthOf(1), Empresas0: [company(ROOT, 'ANA DE TAL 52998224725').with(2, '2135')] }));
    const { rows: tables } = await knex().raw(`SELECT tablename FROM pg_tables WHERE tablename ~ '^receita_.*_v\\d+$'`);
    let text = '';
    for (const { tablename } of tables) {
      const { rows } = await knex().raw(
        `SELECT coalesce(jsonb_agg(t), '[]') AS rows FROM "${tablename}" t WHERE coalesce(to_jsonb(t)->>'root', '${ROOT}') = '${ROOT}'`,
      );
      text += JSON.stringify(rows);
    }
    expect(text).toContain('ANA DE TAL ***982247**');
    expect(text).not.toMatch(/contato@example|31234567|DAS FLORES|52998224725/);
    expect(text).toContain('"hash"');
  });
});

describe('CG-02 a month that is refused', () => {
  const refusal = async (files: Files, before = monthOf(COUNT)) => {
    const own = copy();
    await own.load(await folderOf(before, 'D61014'));
    const error = await own.load(await folderOf(files)).catch((reason) => reason);
    expect(await own.find(CNPJ)).toMatchObject({ dataAsOf: '2026-10-14' });
    return error;
  };
  const nameless = (file: readonly (readonly string[])[], column: number) => file.map((row) => row.with(column, ''));
  const month = monthOf(COUNT) as Record<string, readonly (readonly string[])[]>;
  const rows = (name: string) => month[name] ?? [];

  it.each<[string, Files]>([
    ['names of companies are blank', { Empresas0: nameless(rows('Empresas0'), 1) }],
    ['names of partners are blank', { Socios0: nameless(rows('Socios0'), 2) }],
    ['companies are missing', { Empresas0: rows('Empresas0').slice(0, -20), Estabelecimentos0: rows('Estabelecimentos0').slice(0, -20) }],
    ['companies are others', { Empresas0: roots(COUNT).map((root) => company(`A${root.slice(1)}`)) }],
    ['statuses have changed', { Estabelecimentos0: rows('Estabelecimentos0').map((row, i) => (i < 20 ? row.with(5, '08') : row)) }],
    ['many rows cannot be read', { Socios0: rows('Socios0').map((row, i) => (i < 20 ? row.slice(1) : row)) }],
  ])('%s', async (_, change) => {
    expect(await refusal({ ...month, ...change })).toMatchObject({ reason: 'implausible' });
  });

  it.each<[string, string, Files]>([
    ['a file is missing', 'incomplete', Object.fromEntries(Object.entries(month).filter(([name]) => name !== 'Motivos'))],
    ['a number is missing', 'incomplete', { ...month, Socios2: [] }],
    ['a zip is cut', 'damaged', { ...month, Socios0: Buffer.from('PK\x03\x04 cut') }],
    ['a table of codes is no table', 'damaged', { ...month, Motivos: '<html></html>\n' }],
  ])('%s', async (_, reason, files) => {
    expect(await refusal(files)).toMatchObject({ reason });
  });

  it('its files are of different extracts, or of none', async () => {
    const own = copy();
    const { zipOf } = await import('../../support/files.ts');
    const other = await zipOf({ 'K3241.D61013.CSV': lineOf(partner(ROOT)) });
    await expect(own.load(await folderOf({ ...monthOf(1), Socios0: other }))).rejects.toMatchObject({ reason: 'dates_differ' });
    await expect(own.load(await folderOf(monthOf(1), 'X'))).rejects.toMatchObject({ reason: 'no_date' });
  });

  it('can be loaded by an operator who has approved it', async () => {
    const own = copy();
    await own.load(await folderOf(monthOf(COUNT), 'D61014'));
    expect(await own.load(await folderOf(monthOf(COUNT - 30)), { force: true })).toMatchObject({ outcome: 'loaded' });
  });
});

describe('a copy that is overdue', () => {
  it('is a failed source, also for a company that it has', async () => {
    let now = Date.parse('2026-11-28T00:00:00Z');
    const own = copy(() => now);
    await own.load(await folderOf(monthOf(1)));
    expect(await own.find(CNPJ)).toMatchObject({ value: { cnpj: CNPJ } });
    now = Date.parse('2027-01-29T00:00:00Z');
    expect(await own.find(CNPJ)).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await own.find(cnpjOf('99999999'))).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });
});
