import { describe, expect, it } from 'vitest';
import { readBranches } from '../../../src/sources/receita-federal/copy/branches.ts';
import { readHoldings } from '../../../src/sources/receita-federal/copy/holdings.ts';
import type { ReceitaCopy } from '../../../src/sources/receita-federal/copy/reader.ts';
import type { HoldingPosition } from '../../../src/sources/receita-federal/copy/store/holdings.ts';
import { OWN } from '../../support/own-numbers.ts';
import { randomOf } from '../../support/random.ts';
import { type Cells, cnpjOf, company, copyDb, establishment, type Files, folderOf, lineOf, monthOf, partner, roots } from './support.ts';

const { copy } = copyDb();
const [OWNER = '', FIRST = '', SECOND = '', THIRD = ''] = roots(4);

/** Row of a company as partner of `owned`. */
const owner = (owned: string, document: string, change: Readonly<Record<number, string>> = {}): Cells =>
  partner(owned, 'NOME DO ARQUIVO DE SOCIOS', { 1: '1', 3: document, 4: '22', 5: '20150601', ...change });

const loaded = async (files: Files) => {
  const own = copy();
  await own.load(await folderOf(files));
  return own.reader();
};

const page = async (reader: ReceitaCopy, root: string, first = 100, after: HoldingPosition | null = null) => {
  const { value } = await readHoldings(reader, [{ partner: { root }, except: null, first, after }]);
  const [found] = value;
  if (!found) throw new Error('every query has a page');
  return found;
};

/** All items of a list, in pages of `first`. */
async function all(reader: ReceitaCopy, root: string, first: number) {
  const items = [];
  for (let after: HoldingPosition | null = null; ; after = items.at(-1)?.position ?? null) {
    const { items: next, hasMore } = await page(reader, root, first, after);
    items.push(...next);
    if (!hasMore) return items;
    expect(next).toHaveLength(first);
  }
}

describe('the companies of an owner', () => {
  it.each(['2', '3'])('are found by its CNPJ also if the file calls it a person or foreign: %s', async (kind) => {
    const reader = await loaded({ ...monthOf(4), Socios0: [owner(FIRST, cnpjOf(OWNER), { 1: kind, 4: '37', 6: '158' })] });
    expect((await page(reader, OWNER)).items).toMatchObject([{ cnpj: cnpjOf(FIRST) }]);
    const record = (await reader.find([cnpjOf(FIRST)])).get(cnpjOf(FIRST));
    expect(record).toMatchObject({ value: { partners: [{ kind: 'company', document: cnpjOf(OWNER), country: 'CHILE' }] } });
  });

  it('are found by its CNPJ, by that of its branch and by its root, and are named by their own records', async () => {
    const reader = await loaded({
      ...monthOf(4),
      Socios0: [owner(FIRST, cnpjOf(OWNER)), owner(SECOND, OWNER), owner(THIRD, cnpjOf(OWNER, '0002'))],
    });
    expect(await page(reader, OWNER)).toMatchObject({
      isKnown: true,
      hasMore: false,
      unreadPartners: 0,
      items: [FIRST, SECOND, THIRD].map((root) => ({
        cnpj: cnpjOf(root),
        name: `EMPRESA ${root}`,
        registration: 'ATIVA',
        role: 'Sócio',
        since: '2015-06-01',
      })),
    });
  });

  it('are one item for each role and date, also if the file repeats a row', async () => {
    const rows = [
      owner(FIRST, OWNER),
      owner(FIRST, cnpjOf(OWNER)),
      owner(FIRST, OWNER, { 4: '49' }),
      owner(FIRST, OWNER, { 5: '00000000' }),
      owner(FIRST, OWNER, { 4: '' }),
    ];
    const reader = await loaded({ ...monthOf(2), Socios0: rows });
    const found = [
      { role: '', since: '2015-06-01' },
      { role: 'Sócio', since: null },
      { role: 'Sócio', since: '2015-06-01' },
      { role: 'Sócio-Administrador', since: '2015-06-01' },
    ];
    for (const first of [1, 2, 3, 100]) expect(await all(reader, OWNER, first)).toMatchObject(found);
  });

  it('are not those of a person or a foreigner with the same digits', async () => {
    const rows = [partner(FIRST), owner(SECOND, '', { 1: '3' }), partner(THIRD, 'ANA DE TAL', { 3: `***${OWNER.slice(0, 6)}**` })];
    expect((await page(await loaded({ ...monthOf(4), Socios0: rows }), OWNER)).items).toEqual([]);
  });

  it('include itself if it holds its own quotas, and both companies of a cycle', async () => {
    const reader = await loaded({ ...monthOf(3), Socios0: [owner(OWNER, OWNER), owner(FIRST, OWNER), owner(OWNER, cnpjOf(FIRST))] });
    expect((await page(reader, OWNER)).items.map(({ cnpj }) => cnpj)).toEqual([cnpjOf(OWNER), cnpjOf(FIRST)]);
    expect((await page(reader, FIRST)).items.map(({ cnpj }) => cnpj)).toEqual([cnpjOf(OWNER)]);
  });

  it('include one without a record, and are found for an owner that has vanished', async () => {
    const [orphan, vanished] = ['98000001', '98000002'];
    const reader = await loaded({ ...monthOf(2), Socios0: [owner(orphan, OWNER), owner(FIRST, vanished)] });
    expect((await page(reader, OWNER)).items).toMatchObject([{ cnpj: cnpjOf(orphan), name: null, registration: null }]);
    expect(await page(reader, vanished)).toMatchObject({ isKnown: false, items: [{ cnpj: cnpjOf(FIRST) }] });
    expect(await page(reader, '98000003')).toEqual({
      ...{ items: [], hasMore: false, isKnown: false, isUnread: false },
      ...{ unreadPartners: 0, hasErased: false },
    });
  });

  it('have the CPF in the name of a sole trader masked', async () => {
    const trader: Cells = ['99100001', 'ODETE DE TAL 52998224725', '2135', '50', '0,00', '01', ''];
    const reader = await loaded({ ...monthOf(2), Empresas0: [company(OWNER), trader], Socios0: [owner(FIRST, OWNER)] });
    const [found] = (await page(reader, OWNER)).items;
    expect(found?.name).toMatch(/^ODETE DE TAL \*/);
    expect(JSON.stringify(found)).not.toContain('52998224725');
  });

  it('are stated to be incomplete if a row of partners could not be read', async () => {
    const reader = await loaded({ ...monthOf(2), Socios0: lineOf(owner(FIRST, OWNER)) + lineOf(owner(OWNER, OWNER).slice(0, 5)) });
    expect(await page(reader, OWNER)).toMatchObject({ unreadPartners: 1, items: [{ cnpj: cnpjOf(FIRST) }] });
  });

  it('are 10,000 without a gap or a repetition, a page at a time', async () => {
    const owned = roots(10_001).slice(1);
    const reader = await loaded({ ...monthOf(10_001), Socios0: owned.map((root) => owner(root, OWNER)) });
    expect((await all(reader, OWNER, 1_000)).map(({ cnpj }) => cnpj)).toEqual(owned.map((root) => cnpjOf(root)));
    expect(await page(reader, OWNER, 1)).toMatchObject({ hasMore: true, items: [{ cnpj: cnpjOf(FIRST) }] });
  }, 60_000);

  it('CG-03 equal a plain computation over the rows, for 1,000 owners of a random graph', async () => {
    const random = randomOf(7);
    const some = roots(1_200);
    const pick = (): string => some[Math.floor(random() * random() * some.length)] ?? OWNER;
    const rows = Array.from({ length: 3_000 }, () => {
      const by = pick();
      return { owned: pick(), by, cells: random() < 0.5 ? by : cnpjOf(by, random() < 0.3 ? '0002' : '0001') };
    });
    const reader = await loaded({
      ...monthOf(some.length),
      Socios0: rows.filter((_, i) => i % 2 === 0).map(({ owned, cells }) => owner(owned, cells)),
      Socios1: rows.filter((_, i) => i % 2 === 1).map(({ owned, cells }) => owner(owned, cells)),
    });
    const looked = some.slice(0, OWN['CG-03'].owners);
    const { value } = await readHoldings(
      reader,
      looked.map((root) => ({ partner: { root }, except: null, first: 1_000, after: null })),
    );
    const expected = looked.map((root) => [...new Set(rows.filter(({ by }) => by === root).map(({ owned }) => cnpjOf(owned)))].sort());
    expect(expected.flat().length).toBeGreaterThan(1_000);
    expect(value.map(({ items }) => items.map(({ cnpj }) => cnpj))).toEqual(expected);
  }, 60_000);
});

describe('the branches of a company', () => {
  const branchesOf = async (reader: ReceitaCopy, root: string, statuses: readonly number[] | null = null) =>
    (await readBranches(reader, [{ root, first: 100, after: null, statuses }])).value[0];

  it('are its establishments without the head office, whatever its number is', async () => {
    const rows = [
      establishment(OWNER, '0001', { 3: '2', 5: '08' }),
      establishment(OWNER, '0002', { 3: '1' }),
      establishment(OWNER, '0003', { 3: '2', 5: '05' }),
    ];
    const reader = await loaded({ ...monthOf(2), Estabelecimentos0: [...rows, establishment(FIRST)] });
    expect((await branchesOf(reader, OWNER))?.items.map(({ cnpj, registration }) => [cnpj, registration])).toEqual([
      [cnpjOf(OWNER, '0001'), 'BAIXADA'],
      [cnpjOf(OWNER, '0003'), 'ATIVA NÃO REGULAR'],
    ]);
    expect((await branchesOf(reader, OWNER, [2, 5]))?.items).toHaveLength(1);
    expect(await branchesOf(reader, FIRST)).toEqual({ items: [], hasMore: false, isKnown: true, isUnread: false });
  });

  it('are stated to be incomplete if a row of the company could not be read', async () => {
    const lines = [establishment(OWNER), establishment(OWNER, '0002', { 5: '99' }), establishment(FIRST)].map(lineOf).join('');
    const reader = await loaded({ ...monthOf(2), Estabelecimentos0: lines });
    expect(await branchesOf(reader, OWNER)).toMatchObject({ items: [], isUnread: true });
    expect(await branchesOf(reader, FIRST)).toMatchObject({ items: [], isUnread: false });
  });
});
