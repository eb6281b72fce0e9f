import { expect, it } from 'vitest';
import { indexed } from '../support/listed-companies.ts';
import { randomOf } from '../support/random.ts';

const SEEDS = [1, 2, 3];
const LISTED = 400;
const SEARCHED = 150;
/** Business words, of which the first are added to any name; words that occur in many names; legal forms; and others. */
const WORDS = [
  ...'GRUPO GROUP COMPANY CIA CORPORATION SOCIEDAD TRANSPORTES CONSTRUCCION SHIPPING IMPORT EXPORT PHARMA TECH ESTATE'.split(' '),
  ...'DE LA DEL Y IMPERIAL PACIFICO NORTE SA SAS LTDA CI NORVAL NORVALES KHATAM QUEVA TARIMO ZUNIBEL'.split(' '),
];

function madeUpNames(seed: number, count: number): readonly string[] {
  const random = randomOf(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const name = () => Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(WORDS) + pick(['', '', '', ',', '-', ' ;'])).join(' ');
  return Array.from({ length: count }, name);
}

it.each(SEEDS)('a search finds each name that comparing all names finds: made-up names of seed %i', (seed) => {
  const index = indexed(madeUpNames(seed, LISTED).map((text) => ({ party: text, names: [{ text, matchedOn: 'name' as const }] })));
  for (const name of madeUpNames(seed + 1_000, SEARCHED)) {
    const found = index.searchAll(name);
    expect([name, index.search(name).length]).toEqual([name, found.length]);
    expect(index.search(name)).toEqual(expect.arrayContaining([...found]));
  }
});

it.each([
  ['GRUPO PHARMA', 'PHARMA'],
  ['PHARMA', 'GRUPO PHARMA'],
  ['TRANSPORTES', 'CIA TRANSPORTES'],
  ['REAL ESTATE', 'GRUPO REAL ESTATE COMPANY'],
  ['ESTATE TRANSPORTES', 'ESTATETRANSPORTES CONSTRUCCION'],
])('%s is similar to %s, whose other words any name may have', (searched, listed) => {
  const index = indexed([{ party: listed, names: [{ text: listed, matchedOn: 'name' as const }] }]);
  expect(index.search(searched)).toMatchObject([{ party: listed, decision: 'match' }]);
});
