import { describe, expect, it } from 'vitest';
import { nameWords } from '../../../src/sources/receita-federal/copy/name-words.ts';
import { readByName } from '../../../src/sources/receita-federal/copy/names.ts';
import type { ReceitaCopy } from '../../../src/sources/receita-federal/copy/reader.ts';
import type { NameQuery } from '../../../src/sources/receita-federal/copy/store/find-by-name.ts';
import { randomOf } from '../../support/random.ts';
import { type Cells, cnpjOf, company, copyDb, establishment, type Files, folderOf, monthOf, roots } from './support.ts';

const { copy, knex } = copyDb();
type Copy = ReturnType<typeof copy>;

const queryOf = (name: string, change: Partial<NameQuery> = {}): NameQuery => ({
  ...{ words: nameWords(name), conditions: [], municipality: null, startedFrom: null, startedTo: null, limit: 101, after: null },
  ...change,
});
/** Returns one page. */
async function page(reader: ReceitaCopy, query: NameQuery) {
  const [found] = (await readByName(reader, [query])).value;
  if (!found) throw new Error('a page for each query');
  return found;
}
const search = async (own: Copy, name: string, change?: Partial<NameQuery>) => await page(own.reader(), queryOf(name, change));
const cnpjs = async (own: Copy, name: string, change?: Partial<NameQuery>) =>
  (await search(own, name, change)).items.map(({ cnpj }) => cnpj);

/** Returns a month of companies, each with its head office, by name. */
function named(names: readonly string[], change: (index: number) => Readonly<Record<number, string>> = () => ({ 4: '' })): Files {
  const all = roots(names.length);
  return {
    ...monthOf(1),
    Empresas0: all.map((root, i) => company(root, names[i])),
    Estabelecimentos0: all.map((root, i) => establishment(root, '0001', change(i))),
    Socios0: [],
  };
}

const of = (i: number): string => cnpjOf(String(99_100_000 + i));

describe('the search by name', () => {
  it('finds names that have every word, in any order and spelling, with the last word incomplete', async () => {
    const own = copy();
    await own.load(
      await folderOf(named(['PADARIA SAO JOAO LTDA', 'JOAO PADARIA SAO S.A.', 'PADARIA SAO PEDRO', 'Padaria S\u00e3o Jo\u00e3o ME'])),
    );
    expect(await cnpjs(own, 'padaria são joão')).toEqual([of(0), of(3), of(1)]);
    expect(await cnpjs(own, 'PADARIA SAO JOA')).toEqual([of(0), of(3), of(1)]);
    expect(await cnpjs(own, 'PADARIA JO')).toEqual([]); // two letters are not completed
    expect(await cnpjs(own, 'PADAR JOAO')).toEqual([]);
  });

  it('ranks exact names before names with the words in order, active before closed, head offices before branches, short names first', async () => {
    const own = copy();
    const names = ['LUA NOVA BAR', 'BAR LUA', 'LUA E BAR', 'LUA BAR', 'LUA BAR', 'LUA BAR'];
    const changes: Readonly<Record<number, Readonly<Record<number, string>>>> = { 3: { 4: '', 5: '08' }, 4: { 4: '', 3: '2' } };
    const files = named(names, (i) => changes[i] ?? { 4: '' });
    await own.load(await folderOf(files));
    expect(await cnpjs(own, 'lua bar')).toEqual([of(2), of(5), of(4), of(3), of(0), of(1)]);
  });

  it('has no municipality of an establishment abroad, for which the registry has EXTERIOR', async () => {
    const own = copy();
    const [abroad, inBrazil] = [{ 4: '', 19: 'EX', 20: '9707' }, { 4: '' }];
    const files = named(['SOL HOLDING LLC', 'SOL LTDA'], (i) => [abroad, inBrazil][i] as Readonly<Record<number, string>>);
    await own.load(
      await folderOf({
        ...files,
        Municipios: [
          ['7107', 'SAO PAULO'],
          ['9707', 'EXTERIOR'],
        ],
      }),
    );
    const { items } = await search(own, 'sol');
    const places = items.map(({ cnpj, state, municipality }) => [cnpj, state, municipality]);
    expect(places).toEqual([
      [of(1), 'SP', 'SAO PAULO'],
      [of(0), 'EX', null],
    ]);
  });

  it('finds an establishment by its trade name, once', async () => {
    const own = copy();
    await own.load(
      await folderOf(named(['SOL ALIMENTOS LTDA', 'MAR ALIMENTOS'], (i) => ({ 4: i === 0 ? 'SOL ALIMENTOS E BEBIDAS' : 'CAFE' }))),
    );
    expect((await search(own, 'cafe')).items).toMatchObject([{ cnpj: of(1), matched: 'trade', name: 'MAR ALIMENTOS', tradeName: 'CAFE' }]);
    expect((await search(own, 'sol alimentos')).items).toMatchObject([{ cnpj: of(0), matched: 'legal' }]);
  });

  it('finds sole traders by the words of their trade name that are not words of their own name', async () => {
    const own = copy();
    const [first = '', second = '', third = '', fourth = ''] = roots(4);
    const trader = (root: string, name: string, nature: string): Cells => company(root, name).map((cell, i) => (i === 2 ? nature : cell));
    await own.load(
      await folderOf({
        ...monthOf(1),
        Empresas0: [
          trader(first, 'MARIA DAS DORES INVENTADA', '2135'),
          trader(second, '00.000.001 ODETE INVENTADA', '2135'),
          trader(third, 'FAZENDA DE RUI INVENTADO', '4120'),
          trader(fourth, 'RUI MEIRELES BOLOS', '2062'),
        ],
        Estabelecimentos0: [
          establishment(first, '0001', { 4: 'DORES BOLOS DA MARIA' }),
          establishment(second, '0001', { 4: 'ODETE INVENTADA' }),
          establishment(third, '0001', { 4: '' }),
          establishment(fourth, '0001', { 4: '' }),
        ],
        Socios0: [],
        Simples: [[fourth, 'S', '20200101', '00000000', 'S', '20200101', '00000000']],
      }),
    );
    for (const name of ['maria', 'maria dores', 'odete', 'inventada', 'rui', 'fazenda', 'meireles', '00 000 001'])
      expect(await cnpjs(own, name), name).toEqual([]);
    expect((await search(own, 'bolos')).items).toMatchObject([{ cnpj: cnpjOf(first), matched: 'trade' }]);
  });

  it('searches the names of the oldest companies and the exact names if very many names have the words, and says so', async () => {
    const own = copy();
    const count = 5_000;
    const names = Array.from({ length: count }, (_, i) =>
      i === count - 1 ? 'COMERCIO' : `COMERCIO ${i % 2 === 0 ? 'VERDE' : 'AZUL'} N${i}`,
    );
    await own.load(await folderOf(named(names)));
    const found = await search(own, 'comercio');
    expect(found).toMatchObject({ level: 1, isCut: true });
    expect(found.items[0]).toMatchObject({ cnpj: of(count - 1) });
    expect(found.items.slice(1).every(({ cnpj }) => cnpj < of(count / 4))).toBe(true);
    expect(await search(own, 'comercio verde')).toMatchObject({ level: 0, isCut: true });
    expect(await search(own, 'comercio n777')).toMatchObject({ level: 0, isCut: false, hasMoreWords: false });
    expect(await search(own, 'comercio azu')).toMatchObject({ level: 0, isCut: true, hasMoreWords: false });
  }, 120_000);

  it('reads another version from the next page on, at the same position', async () => {
    const own = copy();
    const names = Array.from({ length: 30 }, (_, i) => `CASA ${i}`);
    await own.load(await folderOf(named(names), 'D61014'));
    const [first] = (await search(own, 'casa', { limit: 1 })).items;
    await own.load(await folderOf(named([...names, 'CASA NOVA']), 'D61114'));
    const rest = await cnpjs(own, 'casa', { after: first ?? null });
    expect(rest).toEqual(Array.from({ length: 30 }, (_, i) => of(i + 1)));
    await own.rollBack();
    expect(await cnpjs(own, 'casa', { after: first ?? null })).toHaveLength(29);
  });

  it('reads a page by one statement', async () => {
    const own = copy();
    await own.load(await folderOf(named(['CASA', 'CASA NOVA'])));
    const reader = own.reader();
    await page(reader, queryOf('casa')); // reads the pointer to the version, too
    const statements: string[] = [];
    const record = ({ sql }: { readonly sql: string }) => statements.push(sql);
    knex().on('query', record);
    expect((await page(reader, queryOf('casa', { limit: 1 }))).items).toHaveLength(1);
    knex().off('query', record);
    expect(statements).toHaveLength(1);
  });

  it('is unavailable without a copy and while the copy is overdue', async () => {
    await expect(page(copy().reader(), queryOf('casa'))).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    const late = copy(() => Date.parse('2027-02-28T12:00:00Z'));
    await late.load(await folderOf(named(['CASA'])));
    await expect(page(late.reader(), queryOf('casa'))).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });
});

describe('5,000 made-up companies', () => {
  const WORDS = 'PADARIA MERCADO AUTO PECAS SAO JOAO MARIA SANTOS SANTANA VERDE AZUL NORTE SUL COMERCIO SERVICOS'.split(' ');
  const FORMS = ['', ' LTDA', ' S.A.', ' S/A', ' ME', ' - EPP', ' EIRELI'];
  const random = randomOf(20_261_128);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const made = roots(5_000).map((root) => {
    const words = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(WORDS));
    const trade = random() < 0.2 ? [pick(WORDS), pick(WORDS)] : [];
    const branch = random() < 0.1 ? '0002' : '0001';
    const [status, state, activity, year] = [
      pick(['02', '02', '02', '08', '04', '05']),
      pick(['SP', 'RJ', 'AC']),
      pick(['4711301', '4721102', '6201501']),
      pick([1999, 2010, 2020]),
    ];
    const [nature, size] = [pick(['2062', '2054']), pick(['01', '03', '05'])];
    return { root, words, trade, branch, status, state, activity, year, nature, size, form: pick(FORMS), place: pick(['7107', '6001']) };
  });
  type Made = (typeof made)[number];

  const files = (): Files => ({
    ...monthOf(1),
    Empresas0: made.map(({ root, words, form, nature, size }) => [root, words.join(' ') + form, nature, '49', '1,00', size, '']),
    Estabelecimentos0: made.map(({ root, branch, trade, status, state, activity, year, place }) =>
      establishment(root, branch, { 4: trade.join(' '), 5: status, 10: `${year}0615`, 11: activity, 19: state, 20: place }),
    ),
    Socios0: [],
    Municipios: [
      ['7107', 'SAO PAULO'],
      ['6001', 'RIO DE JANEIRO'],
    ],
  });

  /** The rank of a name by the words of a search; null if it lacks one. */
  function rankOf(name: readonly string[], asked: readonly string[], { status, branch }: Made): readonly number[] | null {
    const last = asked.at(-1) ?? '';
    const isLast = (word: string) => word === last || (last.length >= 3 && word.startsWith(last));
    if (!asked.slice(0, -1).every((word) => name.includes(word)) || !name.some(isLast)) return null;
    const isExact = name.join(' ') === asked.join(' ');
    let from = 0;
    const isInOrder = asked.every((word) => {
      const at = name.findIndex((one, i) => i >= from && one.startsWith(word));
      from = at + 1;
      return at !== -1;
    });
    return [isExact ? 0 : isInOrder ? 1 : 2, ['02', '05'].includes(status) ? 0 : 1, branch === '0001' ? 0 : 1, name.length];
  }

  function expected(asked: readonly string[], meets: (one: Made) => boolean): readonly string[] {
    const found = made.filter(meets).flatMap((one) => {
      const ranks = [one.words, ...(one.trade.length > 0 ? [one.trade] : [])].flatMap((name) => {
        const rank = rankOf(name, asked, one);
        return rank ? [rank] : [];
      });
      const [best] = ranks.toSorted(compare);
      return best ? [{ cnpj: cnpjOf(one.root, one.branch), rank: best }] : [];
    });
    return found.toSorted((a, b) => compare(a.rank, b.rank) || (a.cnpj < b.cnpj ? -1 : 1)).map(({ cnpj }) => cnpj);
  }
  function compare(a: readonly number[], b: readonly number[]): number {
    for (const [i, one] of a.entries()) if (one !== b[i]) return one - (b[i] ?? 0);
    return 0;
  }

  const term = (...terms: string[]) => ({ terms, isPrefix: false });
  const CONDITIONS: readonly (readonly [string, Partial<NameQuery>, (one: Made) => boolean])[] = [
    ['no condition', {}, () => true],
    ['active', { conditions: [term('a1')] }, ({ status }) => ['02', '05'].includes(status)],
    ['closed', { conditions: [term('a0')] }, ({ status }) => ['08', '04'].includes(status)],
    ['a state', { conditions: [term('uAC')] }, ({ state }) => state === 'AC'],
    ['the code of a municipality', { conditions: [term('m7107')] }, ({ place }) => place === '7107'],
    ['the name of a municipality', { municipality: 'RIO DE JANEIRO' }, ({ place }) => place === '6001'],
    ['an activity', { conditions: [term('c4721102')] }, ({ activity }) => activity === '4721102'],
    ['the beginning of an activity', { conditions: [term('e47')] }, ({ activity }) => activity.startsWith('47')],
    [
      'the first three digits of an activity',
      { conditions: [{ terms: ['d472'], isPrefix: true }] },
      ({ activity }) => activity.startsWith('472'),
    ],
    [
      'the first five digits of an activity',
      { conditions: [{ terms: ['c47113'], isPrefix: true }] },
      ({ activity }) => activity.startsWith('47113'),
    ],
    ['a legal nature', { conditions: [term('j2054')] }, ({ nature }) => nature === '2054'],
    ['a size', { conditions: [term('z3')] }, ({ size }) => size === '03'],
    ['branches', { conditions: [term('h0')] }, ({ branch }) => branch !== '0001'],
    ['a period', { conditions: [term('y2010', 'y2011')], startedFrom: '2010-06-15', startedTo: '2011-01-01' }, ({ year }) => year === 2010],
    ['a period without its first day', { conditions: [term('y2010')], startedFrom: '2010-06-16' }, () => false],
    ['two conditions', { conditions: [term('uSP'), term('a1')] }, ({ state, status }) => state === 'SP' && ['02', '05'].includes(status)],
  ];

  it('CG-03 are found as an independent computation finds them, with every condition, page by page', async () => {
    const own = copy();
    await own.load(await folderOf(files()));
    const reader = own.reader();
    const searches = [
      ['PADARIA', 'VERDE'],
      ['SANT'],
      ['VERDE', 'AZUL', 'SUL'],
      ['JOAO', 'SAO'],
      ['SANTOS', 'SERV'],
      ['SUL', 'NORTE', 'COM'],
    ];
    for (const words of searches) {
      for (const [what, change, meets] of CONDITIONS) {
        const all: string[] = [];
        let after: NameQuery['after'] = null;
        do {
          const value = await page(reader, queryOf('', { words, ...change, limit: 301, after }));
          expect(value.level).toBe(0);
          after = value.items.length > 300 ? (value.items[299] ?? null) : null;
          all.push(...value.items.slice(0, 300).map(({ cnpj }) => cnpj));
        } while (after);
        expect(all, `${words.join(' ')}, ${what}`).toEqual(expected(words, meets).slice(0, 1_000));
      }
    }
  }, 120_000);
});
