import { describe, expect, it } from 'vitest';
import { REGISTRY_FIELDS } from '../../../src/sources/receita-federal/copy/change-field.ts';
import { readHoldings } from '../../../src/sources/receita-federal/copy/holdings.ts';
import { readNodes } from '../../../src/sources/receita-federal/copy/levels.ts';
import { readPaths } from '../../../src/sources/receita-federal/copy/paths.ts';
import type { ReceitaCopy } from '../../../src/sources/receita-federal/copy/reader.ts';
import { cnpjOf, company, copyDb, establishment, type Files, folderOf, lineOf, monthOf, partner, roots } from './support.ts';

const { copy } = copyDb();
const [KNOWN = '', ROOT = ''] = roots(2);
const ABSENT = '98000001';

/** A month of one company, and two lines of another one with too few cells. */
const damaged = (root: string): Files => ({
  ...monthOf(1),
  Empresas0: lineOf(company(KNOWN)) + lineOf(company(root).slice(0, 3)),
  Estabelecimentos0: lineOf(establishment(KNOWN)) + lineOf(establishment(root).slice(0, 5)),
});

const loaded = async (files: Files) => {
  const own = copy();
  await own.load(await folderOf(monthOf(2), 'D61014'), { force: true });
  await own.load(await folderOf(files), { force: true });
  return own.reader();
};

/** What the copy says about a company that it does not have: a value that is never an absence if it is `unread`. */
async function questions(reader: ReceitaCopy, root: string) {
  const [history] = await reader.history([{ cnpj: cnpjOf(root), fields: [...REGISTRY_FIELDS], first: 10, after: null }]);
  const [holdings] = (await readHoldings(reader, [{ partner: { root }, except: null, first: 10, after: null }])).value;
  const [node] = (await readNodes(reader, [root])).value;
  const [path] = (await readPaths(reader, [{ from: KNOWN, to: root, maxDepth: 2, people: true }])).value;
  return { history, holdings: holdings?.isUnread, node, path: path?.isUnread };
}

const UNREAD = { history: { code: 'SOURCE_UNAVAILABLE' }, holdings: true, node: 'unread', path: true };

describe('CG-02 a company that the copy does not have', () => {
  it('is unread if its own lines could not be read, and another one is absent', async () => {
    const reader = await loaded(damaged(ROOT));
    expect(await questions(reader, ROOT)).toMatchObject(UNREAD);
    expect(await questions(reader, ABSENT)).toMatchObject({ history: { value: null }, holdings: false, node: null, path: false });
  });

  it('is unread if lines of unknown companies could not be read, and a known company is not', async () => {
    const reader = await loaded(damaged('???'));
    expect(await questions(reader, ABSENT)).toMatchObject(UNREAD);
    expect(await questions(reader, KNOWN)).toMatchObject({ holdings: false, node: { cnpj: cnpjOf(KNOWN) }, path: false });
  });
});

describe('UP-03 a whole line of an establishment that cannot be read', () => {
  const DATE = '20120314';
  const month = (line: readonly string[]): Files => ({
    ...monthOf(1),
    Empresas0: [company(KNOWN), company(DATE)],
    Estabelecimentos0: [establishment(KNOWN), line, establishment(DATE)],
  });

  it('leaves no establishment absent if its root is damaged', async () => {
    const own = copy();
    await own.load(await folderOf(month(establishment(KNOWN, '0002', { 0: KNOWN.slice(1) }))), { force: true });
    expect(await own.find(cnpjOf(KNOWN, '0002'))).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    for (const root of [KNOWN, DATE]) expect(await own.find(cnpjOf(root))).toMatchObject({ value: { cnpj: cnpjOf(root) } });
  });

  it('leaves the partners of a limited company unknown that has none, if the root of a partner is damaged', async () => {
    const own = copy();
    const Socios0 = [partner(KNOWN).with(0, KNOWN.slice(1)), partner(DATE)];
    await own.load(await folderOf({ ...month(establishment(KNOWN, '0002')), Socios0 }), { force: true });
    expect(await own.find(cnpjOf(KNOWN))).toMatchObject({ value: { registration: 'ATIVA', partners: null } });
    expect(await own.find(cnpjOf(DATE))).toMatchObject({ value: { partners: [{ name: 'ANA DE TAL' }] }, partnersMayLack: true });
    await own.load(await folderOf({ ...month(establishment(KNOWN, '0002')), Socios0: [partner(DATE)] }), { force: true });
    expect(await own.find(cnpjOf(DATE))).not.toHaveProperty('partnersMayLack');
  });

  it('leaves them unknown as of a date, too', async () => {
    const own = copy();
    const whole = { ...month(establishment(KNOWN, '0002')), Socios0: [partner(DATE)] };
    await own.load(await folderOf(whole, 'D61014'));
    await own.load(await folderOf({ ...whole, Socios0: [partner(KNOWN).with(0, KNOWN.slice(1)), partner(DATE)] }), { force: true });
    for (const asOf of ['2026-10-14', '2026-11-14']) {
      const [known, other] = await own.reader().findAsOf([KNOWN, DATE].map((root) => ({ cnpj: cnpjOf(root), asOf })));
      expect(known).toMatchObject({ value: { registration: 'ATIVA', partners: null } });
      expect(other).toMatchObject({ value: { partners: [{ name: 'ANA DE TAL' }] } });
    }
  });

  it.each<[string, (line: string) => string]>([
    ['a byte order mark', (line) => `\u00ef\u00bb\u00bf${line}`],
    ['a NUL', (line) => `\0${line}`],
    ['blanks', (line) => `  \u00a0 ${line}`],
    ['no quotation mark', (line) => line.slice(1)],
    ['a byte order mark without a quotation mark', (line) => `\u00ef\u00bb\u00bf${line.slice(1)}`],
  ])('makes its company alone unread if %s is before its root', async (_, damage) => {
    const own = copy();
    const Socios0 = lineOf(partner(DATE)) + damage(lineOf(partner(ROOT)));
    const Empresas0 = [KNOWN, ROOT, DATE].map((root) => company(root));
    const Estabelecimentos0 = [KNOWN, ROOT, DATE].map((root) => establishment(root));
    await own.load(await folderOf({ ...monthOf(1), Empresas0, Estabelecimentos0, Socios0 }), { force: true });
    expect(await own.find(cnpjOf(ROOT))).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await own.find(cnpjOf(KNOWN))).toMatchObject({ value: { partners: [] } });
    expect(await own.find(cnpjOf(ABSENT))).toMatchObject({ value: null });
  });

  it('leaves no company absent if a line has lost its root and has a word in place of one', async () => {
    const own = copy();
    const Empresas0 = [company(KNOWN), company(DATE)].map(lineOf).join('') + lineOf(company(ROOT, 'EMPRESAS')).slice(ROOT.length + 4);
    await own.load(await folderOf({ ...month(establishment(KNOWN, '0002')), Empresas0 }), { force: true });
    expect(await own.find(cnpjOf(ABSENT))).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });

  const SIMPLES = [KNOWN, 'S', DATE, '00000000', 'N', '20110101', DATE];

  it.each<[string, Files]>([
    ['an establishment', month([...establishment(KNOWN, '0002'), ''])],
    ['a partner', { ...month(establishment(KNOWN, '0002')), Socios0: [[...partner(KNOWN), ''], partner(DATE)] }],
    ['the simplified tax', { ...month(establishment(KNOWN, '0002')), Simples: [[...SIMPLES, ''], SIMPLES.with(0, DATE)] }],
  ])('makes its company unread, and none whose root is like a date in it: %s', async (_, files) => {
    const own = copy();
    await own.load(await folderOf(files), { force: true });
    expect(await own.find(cnpjOf(KNOWN, '0002'))).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await own.find(cnpjOf(DATE))).toMatchObject({ value: { cnpj: cnpjOf(DATE) } });
    expect(await own.find(cnpjOf(ABSENT))).toMatchObject({ value: null });
  });
});
