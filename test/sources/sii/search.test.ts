import { describe, expect, it } from 'vitest';
import { searchWords } from '../../../src/domain/text.ts';
import { onDisk, rutOf, siiDb } from './support.ts';
import { nomina, nominaOf } from './tables.ts';

const { db, sii } = siiDb();

const NAMES = [
  'INVERSIONES SAN JOSÉ LIMITADA',
  'SAN JOSE DE INVERSIONES DEL SUR SPA',
  'PANADERIA GONZALEZ Y HERMANOS LTDA',
  'VIÑA ÑANDÚ & PEÑALOLÉN "EL SUEÑO" S.A.',
  'J & M ASESORES E.I.R.L.',
  'COMERCIALIZADORA 3-M SpA',
];
const FIRST = 76_000_000;

async function loaded(names: readonly string[]) {
  const copy = sii();
  const files = await onDisk({ 'n.txt': nomina(names.map((name, i) => ({ number: FIRST + i, name }))) });
  expect(await copy.sync({ files })).toMatchObject({ outcome: 'loaded' });
  const page = (text: string, limit = 10, after: { taxId: string; score: number } | null = null) =>
    copy.search({ words: searchWords(text), limit, after });
  const found = async (text: string): Promise<readonly string[]> => (await page(text)).hits.map(({ name }) => name);
  return { copy, page, found };
}

/** The tables of indexes in the database. */
async function indexTables(): Promise<readonly string[]> {
  const { rows } = await db().knex.raw(
    `SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^sii_(names|words)_v' ORDER BY relname`,
  );
  return rows.map(({ relname }: { relname: string }) => relname);
}

describe('a search of companies by name', () => {
  it('has the most similar name first', async () => {
    const { page, found } = await loaded(NAMES);
    expect(await found('inversiones san jose')).toEqual([NAMES[0], NAMES[1]]);
    const [best] = (await page('Inversiones San José Limitada')).hits;
    expect(best).toEqual({ taxId: rutOf(FIRST), name: NAMES[0], score: 1_000 });
  });

  it.each([
    ['accents and letter case', 'vina nandu penalolen', NAMES[3]],
    ['another legal form', 'Inversiones San Jose Ltda.', NAMES[0]],
    ['a misspelled word', 'panaderia gonsales', NAMES[2]],
    ['a word that is not complete', 'comercializ', NAMES[5]],
    ['another order', 'hermanos gonzalez', NAMES[2]],
    ['initials', 'j m asesores', NAMES[4]],
    ['letters alone', 'j & m', NAMES[4]],
  ])('finds a name by %s', async (_, text, name) => {
    expect((await (await loaded(NAMES)).found(text))[0]).toBe(name);
  });

  it('finds nothing where one of the words occurs nowhere, or no name has them all', async () => {
    const { page } = await loaded(NAMES);
    for (const text of ['inversiones xkqzwy', 'panaderia asesores']) {
      expect(await page(text)).toMatchObject({ hits: [], isTruncated: false, version: { entries: NAMES.length } });
    }
  });

  it('pages without gaps and repeats, equal scores by RUT', async () => {
    const { page } = await loaded(Array.from({ length: 7 }, (_, i) => `TRANSPORTES ${'ABCDEFG'.charAt(i)} SPA`));
    const seen: string[] = [];
    for (let after = null; ; ) {
      const { hits } = await page('transportes', 3, after);
      if (hits.length === 0) break;
      seen.push(...hits.map(({ taxId }) => taxId));
      after = hits.at(-1) ?? null;
    }
    expect(seen).toEqual(Array.from({ length: 7 }, (_, i) => rutOf(FIRST + i)));
  });

  it('ranks 1,000 names, and says when there are more', async () => {
    const copy = sii();
    await copy.sync({ files: await onDisk({ 'n.txt': nominaOf(1_001) }) });
    expect(await copy.search({ words: ['empresa'], limit: 2, after: null })).toMatchObject({ isTruncated: true });
    expect(await copy.search({ words: ['76000001'], limit: 2, after: null })).toMatchObject({ isTruncated: false });
  });

  it('makes the same words of a name in SQL and in the query', async () => {
    const names = [...NAMES, 'Ångström ØRSTED ß ﬁn Ⅷ', 'a\u0301b\u0308  c-d_e.f/g', 'İstanbul KELVIN'];
    await loaded(names);
    const [table = ''] = await indexTables();
    const { rows } = await db().knex.raw('SELECT words FROM ?? ORDER BY rut', [table]);
    expect(rows.map(({ words }: { words: string }) => words)).toEqual(names.map((name) => searchWords(name).join(' ')));
  });
});

describe('the index of names', () => {
  it('is replaced with the copy, and its tables are dropped', async () => {
    const { found, copy } = await loaded(NAMES);
    const before = await indexTables();
    await copy.sync({ files: await onDisk({ 'n.txt': nomina(NAMES.map((_, i) => ({ number: FIRST + i, name: `NUEVA ${i}` }))) }) });
    expect([await found('nueva 3'), await found('inversiones')]).toEqual([['NUEVA 3'], []]);
    const after = await indexTables();
    expect(after).toHaveLength(before.length);
    expect(after).not.toEqual(before);
  });

  it('is built by the next sync where the last one did not', async () => {
    const { copy, found } = await loaded(NAMES);
    await db().knex('sii_name_indexes').del();
    for (const table of await indexTables()) await db().knex.raw('DROP TABLE ??', [table]);
    await expect(found('inversiones')).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(
      await copy.sync({ files: await onDisk({ 'n.txt': nomina(NAMES.map((name, i) => ({ number: FIRST + i, name }))) }) }),
    ).toMatchObject({
      outcome: 'unchanged',
    });
    expect(await found('asesores')).toEqual([NAMES[4]]);
  });

  it('stays the one before where the next cannot be built, and the load succeeds', async () => {
    const { copy, found } = await loaded(NAMES);
    const [{ id }] = (await db().knex.raw(`SELECT last_value::bigint + 1 AS id FROM registry_versions_id_seq`)).rows;
    await db().knex.raw(`CREATE TABLE sii_words_v${id} ()`); // its name is taken: the build fails
    expect(await copy.sync({ files: await onDisk({ 'n.txt': nominaOf(NAMES.length) }) })).toMatchObject({ outcome: 'loaded' });
    expect(await found('asesores')).toEqual([NAMES[4]]);
    expect(copy.lines).toContainEqual(expect.objectContaining({ msg: 'names not indexed; the previous index answers searches' }));
    await db().knex.raw(`DROP TABLE sii_words_v${id}`);
  });
});
