import { describe, expect, it } from 'vitest';
import { readBranches } from '../../../src/sources/receita-federal/copy/branches.ts';
import { REGISTRY_FIELDS } from '../../../src/sources/receita-federal/copy/change-field.ts';
import { readHoldings } from '../../../src/sources/receita-federal/copy/holdings.ts';
import { readNodes } from '../../../src/sources/receita-federal/copy/levels.ts';
import { changed, cnpjOf, company, copyDb, establishment, type Files, folderOf, monthOf, partner, rowsOf } from './support.ts';

const { copy } = copyDb();
const ROOT = '99100000';
const CNPJ = cnpjOf(ROOT);
const BRANCH = cnpjOf(ROOT, '0002');
const OTHER = cnpjOf('99100001');
const MONTH = monthOf(3);
const DATES = ['D60914', 'D61014', 'D61114'];

type Copy = ReturnType<typeof copy>;
const historyOf = async (own: Copy, cnpj: string) =>
  (await own.reader().history([{ cnpj, fields: REGISTRY_FIELDS, first: 100, after: null }]))[0];
const asOf = async (own: Copy, asOfDate: string, cnpj = CNPJ) => (await own.reader().findAsOf([{ cnpj, asOf: asOfDate }]))[0];

/** Loads months, and returns their copy. */
async function loaded(months: readonly Files[]) {
  const own = copy();
  for (const [i, month] of months.entries()) await own.load(await folderOf(month, DATES[i]));
  return own;
}

const without = (month: Files, file: string): Files => ({ ...month, [file]: rowsOf(month, file).filter(([root]) => root !== ROOT) });
const WHOLE = changed(MONTH, {}, { Estabelecimentos0: [establishment(ROOT, '0002')] });
const ROW_ONLY = without(WHOLE, 'Estabelecimentos0');
const ORPHANS = without(WHOLE, 'Empresas0');
const RENAMED = changed(WHOLE, { Empresas0: company(ROOT, 'OUTRO NOME LTDA') });

describe('CG-02 an extract that has the row of a company or its establishments, and not both', () => {
  it.each<[string, Files]>([
    ['row', ROW_ONLY],
    ['establishments', ORPHANS],
  ])('is a failed source for a company of which it has the %s only, and not an absence', async (_, lost) => {
    const own = await loaded([WHOLE, lost]);
    for (const cnpj of [CNPJ, BRANCH]) {
      expect(await own.find(cnpj)).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
      expect(await asOf(own, '2026-10-14', cnpj)).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    }
    expect(await historyOf(own, OTHER)).toMatchObject({ value: { coveredFrom: '2026-09-14', changes: [] } });
  });

  it.each<[string, Files, object]>([
    ['the row', ROW_ONLY, { holdings: { isKnown: true }, branches: { isKnown: true, isUnread: true }, node: { cnpj: CNPJ } }],
    ['establishments', ORPHANS, { holdings: { isUnread: true }, branches: { isKnown: false, isUnread: true }, node: 'unread' }],
  ])('is no absence in graphs and lists of a company of which it has %s only', async (_, lost, expected) => {
    const reader = (await loaded([WHOLE, lost])).reader();
    const [holdings] = (await readHoldings(reader, [{ partner: { root: ROOT }, except: null, first: 10, after: null }])).value;
    const [branches] = (await readBranches(reader, [{ root: ROOT, first: 10, after: null, statuses: null }])).value;
    const [node] = (await readNodes(reader, [ROOT])).value;
    expect({ holdings, branches, node }).toMatchObject(expected);
  });

  it.each<[string, readonly Files[]]>([
    ['row between two whole ones', [WHOLE, ROW_ONLY, RENAMED]],
    ['establishments between two whole ones', [WHOLE, ORPHANS, RENAMED]],
    ['row at first', [ROW_ONLY, RENAMED]],
    ['establishments at first', [ORPHANS, RENAMED]],
    ['row, and then the establishments', [ROW_ONLY, ORPHANS, RENAMED]],
  ])('begins the history of a company anew with the next whole extract: its %s', async (_, months) => {
    const own = await loaded(months);
    const lastOf = ['2026-09-14', '2026-10-14', '2026-11-14'].at(months.length - 1) ?? '';
    for (const cnpj of [CNPJ, BRANCH]) {
      expect(await historyOf(own, cnpj)).toMatchObject({ code: 'NO_RECORD_THEN' });
      for (const date of ['2026-09-14', '2026-10-13']) expect(await asOf(own, date, cnpj)).toMatchObject({ code: 'NO_RECORD_THEN' });
      expect(await asOf(own, lastOf, cnpj)).toMatchObject({ value: { legalName: 'OUTRO NOME LTDA' } });
    }
    expect(await historyOf(own, OTHER)).toMatchObject({ value: { coveredFrom: '2026-09-14', changes: [] } });
  });
});

describe('the history of an establishment', () => {
  it('is none of one that the registry never had, although its legal person has changes', async () => {
    const own = await loaded([WHOLE, RENAMED]);
    expect(await historyOf(own, BRANCH)).toMatchObject({ value: { changes: [{ field: 'name' }] } });
    expect(await historyOf(own, cnpjOf(ROOT, '0099'))).toMatchObject({ value: null });
  });

  it('has one that vanished', async () => {
    const own = await loaded([WHOLE, MONTH]);
    expect(await historyOf(own, BRANCH)).toMatchObject({ value: { changes: [{ field: 'branch_closed', establishment: BRANCH }] } });
  });

  it('has the CNPJ of a company partner of which the files had the root only, once they have its head office', async () => {
    const late = '99200000';
    const lone = changed(MONTH, {}, { Socios0: [partner(ROOT, 'TARDIA LTDA', { 1: '1', 3: late })] });
    const after = changed(MONTH, {}, { Empresas0: [company(late)], Estabelecimentos0: [establishment(late)] });
    const own = await loaded([lone, after]);
    const document = cnpjOf(late);
    expect(await historyOf(own, CNPJ)).toMatchObject({ value: { changes: [{ field: 'partner_left', partner: { document } }] } });
    expect(await asOf(own, '2026-09-14')).toMatchObject({ value: { partners: [{ document: '***000101**' }, { document }] } });
  });
});

describe('a record as of an earlier date', () => {
  it('has no date of a partner or of the registration that is later than its extract', async () => {
    const moved = changed(MONTH, {
      Estabelecimentos0: establishment(ROOT, '0001', { 10: '20261001' }),
      Socios0: partner(ROOT, 'ANA DE TAL', { 5: '20261002' }),
    });
    const own = await loaded([MONTH, moved]);
    expect(await asOf(own, '2026-09-14')).toMatchObject({ value: { openedOn: null, partners: [{ name: 'ANA DE TAL', entryDate: null }] } });
    expect(await asOf(own, '2026-10-14')).toMatchObject({ value: { openedOn: '2026-10-01', partners: [{ entryDate: '2026-10-02' }] } });
  });
});
