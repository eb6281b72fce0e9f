import { describe, expect, it } from 'vitest';
import { type Relations, resolveSigns } from '../../../src/modules/tech/domain.ts';

const plain: Relations = { categories: [1], implies: [], excludes: [], requires: [], requiresCategories: [] };
const relations = new Map<string, Relations>([
  ['Shop', { ...plain, implies: [{ name: 'PHP', confidence: 80 }] }],
  ['PHP', { ...plain, categories: [2], implies: [{ name: 'Shop', confidence: 100 }] }],
  ['Plugin', { ...plain, requires: ['Shop'] }],
  ['Theme', { ...plain, requiresCategories: [2] }],
  ['Rival', { ...plain, excludes: ['Shop'] }],
]);
const categories = new Map([
  [1, 'Ecommerce'],
  [2, 'Programming languages'],
]);
const sign = (technology: string, confidence = 100, version = '') => ({ technology, confidence, version });
const resolve = (...signs: Parameters<typeof sign>[]) =>
  resolveSigns(
    signs.map((one) => sign(...one)),
    relations,
    categories,
  ).map(({ name, version, confidence }) => `${name} ${version} ${confidence}`);

describe('signs', () => {
  it('add up to 100, and are left out below 50', () => {
    expect(resolve(['PHP', 40], ['PHP', 30])).toContain('PHP null 70');
    expect(resolve(['PHP', 80], ['PHP', 80])).toContain('PHP null 100');
    expect(resolve(['PHP', 40])).toEqual([]);
  });

  it('give the longest version that looks like one', () => {
    expect(resolve(['PHP', 100, '7'], ['PHP', 10, '7.4.33'], ['PHP', 10, '20261121'], ['PHP', 10, '1.2.3.4.5.6.7.8.9'])).toContain(
      'PHP 7.4.33 100',
    );
  });

  it('imply others with the product of both confidences, in cycles too', () => {
    expect(resolve(['Shop', 90])).toEqual(['Shop null 90', 'PHP null 72']);
  });

  it('count only together with what they require', () => {
    expect(resolve(['Plugin'])).toEqual([]);
    expect(resolve(['Plugin'], ['Shop'])).toContain('Plugin null 100');
    expect(resolve(['Theme'])).toEqual([]);
    expect(resolve(['Theme'], ['PHP'])).toContain('Theme null 100');
  });

  it('exclude others', () => {
    expect(resolve(['Rival'], ['Shop'])).toEqual(['Rival null 100', 'PHP null 80']);
  });

  it('name their categories', () => {
    expect(resolveSigns([sign('PHP')], relations, categories)[0]).toMatchObject({ name: 'PHP', categories: ['Programming languages'] });
  });
});
