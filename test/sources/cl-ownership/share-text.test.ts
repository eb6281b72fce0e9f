import { describe, expect, it } from 'vitest';
import { readShare } from '../../../src/sources/cl-ownership/share.ts';
import { edge, fileOf, ownershipDb, people, rutOf } from './support.ts';

const [A, B, C] = [76_900_001, 76_900_014, 76_900_028];
const { copy, db } = ownershipDb();

describe('the text of a share that is no percentage', () => {
  it.each([
    ['10183', '10183'],
    ['133.33333333', '133.33333333'],
    ['-5', '-5'],
    ['1.060,5', '1.060,5'],
    ['133,33333333 %', '133,33333333 %'],
    ['?', '?'],
    ['1\u00002 3', '12 3'],
    ['-'.repeat(50), '-'.repeat(40)],
    ['60,5', null],
    ['', null],
    // RUTs and names, which may be those of people
    ['12345678', null],
    ['123456785', null],
    ['12.345.678-5', null],
    ['12 345 678-5', null],
    ['12,345,678-5', null],
    ["12'345'678-5", null],
    ['12’345’678-5', null],
    ['12-345-678-5', null],
    ['12\u00a0345\u2007678 - 5', null],
    ['12345.678', null],
    ['60,5,12.345.678-5', null],
    ['-5 12 345 678', null],
    ['1.234.567-K', null],
    ['RUT 1234567-4', null],
    ['JUAN INVENTADO', null],
    ['Inventado, Juan', null],
    ['INVENTADO', null],
    ['J. I.', null],
    ['60 % Ñ', null],
    ['s/i', null],
  ])('of the cell %j is %j', (cell, text) => {
    expect(readShare(cell).text ?? null).toBe(text);
  });

  it('is kept with the owner, and shown wherever the share is', async () => {
    const source = copy();
    await source.load(
      fileOf([edge(C, A, '10183'), people(C, '-5'), edge(B, A, '60'), edge(B, A, '(60)'), people(B, ''), people(A, '100')]),
    );
    const ofA = { rut: rutOf(A), share: null };
    expect(await source.of(C)).toMatchObject({ companies: [{ ...ofA, text: '10183' }], people: { share: null, text: '-5' } });
    const { companies, people: persons } = await source.of(B);
    expect([companies, persons]).toEqual([[{ ...ofA, text: '(60)' }], { share: null }]);
    const { pages } = await source.owned([{ owner: rutOf(A), first: 5, after: null }]);
    expect(pages[0]?.items).toEqual([
      { rut: rutOf(B), share: null, text: '(60)' },
      { rut: rutOf(C), share: null, text: '10183' },
    ]);
    const { path } = await source.path({ from: rutOf(A), to: rutOf(C), maxDepth: 2 });
    expect(path.links).toEqual([{ owner: rutOf(A), owned: rutOf(C), share: null, text: '10183' }]);
  });

  it('is stored with no share that is known', async () => {
    await copy().load(fileOf([edge(C, A, '60'), people(C, '40'), edge(B, A, '100,2')]));
    const { rows } = await db().knex.raw('SELECT r.share::text, r.share_text FROM cl_ownership_rows r ORDER BY r.share');
    expect(rows.map((row: { share: string; share_text: null }) => [row.share, row.share_text])).toEqual([
      ['40', null],
      ['60', null],
      ['100', null],
    ]);
  });
});
