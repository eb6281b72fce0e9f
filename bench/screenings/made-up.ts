import type { SanctionsEntry } from '../../src/modules/sanctions/sources/entry.ts';

const CONSONANTS = 'BCDFGHJKLMNPRSTVZ';
const VOWELS = 'AEIOU';
/** Number of letters from which a word is replaced. Shorter ones are articles and legal forms. */
const REPLACED_LETTERS = 5;
const GIVEN_NAMES = 400;
/** Share of people with a second given name, and with a second alias. */
const SECOND = 0.4;

const pick = <T>(all: ArrayLike<T>, random: () => number): T => all[Math.floor(random() * all.length)] as T;

/** Makes up a word without meaning. */
export const madeUpWord = (letters: number, random: () => number): string =>
  Array.from({ length: letters }, (_, i) => pick(i % 2 === 0 ? CONSONANTS : VOWELS, random)).join('');

/** Makes up a party like a given one: the longest word of each of its names is another one, the same in all its names. */
export function similarParty(party: SanctionsEntry, random: () => number): SanctionsEntry {
  const words = new Map<string, string>();
  const renamed = (name: string): string => {
    const [longest = ''] = (name.match(/[A-Z]+/gi) ?? []).toSorted((a, b) => b.length - a.length);
    if (longest.length < REPLACED_LETTERS) return `${name} ${madeUpWord(REPLACED_LETTERS, random)}`;
    const other = words.get(longest) ?? madeUpWord(longest.length, random);
    words.set(longest, other);
    return name.replace(longest, other);
  };
  return { ...party, name: renamed(party.name), aliases: party.aliases.map((alias) => ({ ...alias, name: renamed(alias.name) })) };
}

/** Makes up people with the number of aliases and the facts that people of the published lists have. */
export function madeUpPeople(count: number, random: () => number): readonly SanctionsEntry[] {
  const given = Array.from({ length: GIVEN_NAMES }, () => madeUpWord(4 + Math.floor(random() * 4), random));
  return Array.from({ length: count }, (_, i): SanctionsEntry => {
    const family = madeUpWord(5 + Math.floor(random() * 5), random);
    const first = pick(given, random);
    const full = random() < SECOND ? `${first} ${pick(given, random)}` : first;
    const spelt = `${family.slice(0, -1)}${pick(VOWELS, random)}`;
    const aliases = [`${spelt}, ${full}`, ...(random() < SECOND ? [`${family}, ${pick(given, random)}`] : [])];
    return {
      uid: String(i + 1),
      kind: 'individual',
      name: `${family}, ${full}`,
      aliases: aliases.map((name) => ({ name, type: 'a.k.a.', weak: false })),
      programs: ['SDNTK'],
      countries: [],
      nationalities: ['Colombia'],
      datesOfBirth: [`${String(1 + Math.floor(random() * 28)).padStart(2, '0')} Feb ${1940 + Math.floor(random() * 60)}`],
      taxIds: [],
      reference: null,
    };
  });
}
