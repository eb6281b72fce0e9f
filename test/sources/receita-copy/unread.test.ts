import { describe, expect, it } from 'vitest';
import { REGISTRY_FIELDS } from '../../../src/sources/receita-federal/copy/change-field.ts';
import { readHoldings } from '../../../src/sources/receita-federal/copy/holdings.ts';
import { readNodes } from '../../../src/sources/receita-federal/copy/levels.ts';
import { readPaths } from '../../../src/sources/receita-federal/copy/paths.ts';
import type { ReceitaCopy } from '../../../src/sources/receita-federal/copy/reader.ts';
import { cnpjOf, company, copyDb, establishment, type Files, folderOf, lineOf, monthOf, roots } from './support.ts';

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
