import { VARIATIONS, type Variation, without } from './name-variants.ts';
import { randomOf } from './random.ts';

/** A party of a list with the fields that pairs need. */
export interface NamedParty {
  readonly id: string;
  readonly name: string;
}

/** A name to search, derived from a listed name. */
export interface NamePair {
  readonly kind: string;
  readonly query: string;
  readonly party: NamedParty;
}

/** Half of the parties: pairs are tuned on one and measured on the other. */
export type Half = 'tuning' | 'held_out';

const halfOf = (name: string): Half => {
  let hash = 7;
  for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  return (hash >>> 7) % 2 === 0 ? 'tuning' : 'held_out';
};

const PER_KIND = 20;

/** Returns names of one half that a person would consider the same, `PER_KIND` of each variation and of two variations at once. */
export function truePairs(parties: readonly NamedParty[], half: Half, seed: number): readonly NamePair[] {
  const kinds: readonly (readonly [string, Variation])[] = [...Object.entries(VARIATIONS), ['two variations', twoVariations]];
  return kinds.flatMap(([kind, vary]) => pairsOf(kind, shuffled(parties, half, seed), (name, random) => vary(name, random), seed));
}

/** Returns names of one half that are similar to a listed name and belong to another company. */
export function falsePairs(parties: readonly NamedParty[], half: Half, seed: number): readonly NamePair[] {
  const all = shuffled(parties, half, seed);
  const shares = wordShares(parties.map(({ name }) => name));
  const listed = new Set(parties.map(({ name }) => bare(name)));
  return Object.entries(FALSE_KINDS).flatMap(([kind, change]) =>
    pairsOf(
      kind,
      all,
      (name, random) => {
        const other = change(name, { random, shares, others: all });
        return other === null || listed.has(bare(other)) ? null : other;
      },
      seed,
    ),
  );
}

const bare = (name: string): string => without(name).replace(/[^A-Z0-9]/gi, '');

function pairsOf(kind: string, parties: readonly NamedParty[], vary: Variation, seed: number): NamePair[] {
  const random = randomOf(seed + kind.length);
  const pairs: NamePair[] = [];
  for (const party of parties) {
    if (pairs.length === PER_KIND) break;
    const query = vary(party.name, random);
    if (query !== null && query !== party.name) pairs.push({ kind, query, party });
  }
  return pairs;
}

/** Matches a long legal form at the beginning. A change of its words is not a change of the name. */
const FORM_FIRST =
  /^(?:(?:PUBLIC|OPEN|CLOSED|PRIVATE|NON)\W+)?(?:JOINT|LIMITED|AKTSIONERNOE|PUBLICHNOE|OTKRYTOE|ZAKRYTOE|OBSHCHESTVO|[A-Z]?JSC|[A-Z]?AO|OOO)\b/;

/** Parties of one half in a random order. Names of one short word are excluded, because a change makes them another word. */
function shuffled(parties: readonly NamedParty[], half: Half, seed: number): readonly NamedParty[] {
  const random = randomOf(seed);
  return parties
    .filter(({ name }) => halfOf(name) === half && bare(name).length >= 6 && !FORM_FIRST.test(name))
    .map((party) => ({ party, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ party }) => party);
}

function twoVariations(name: string, random: () => number): string | null {
  const all = Object.entries(VARIATIONS).filter(([kind]) => kind !== 'acronym');
  const one = () => all[Math.floor(random() * all.length)]?.[1] as Variation;
  const once = one()(name, random);
  return once === null ? null : one()(once.toUpperCase(), random);
}

interface Around {
  readonly random: () => number;
  /** Word → number of listed names that have it. */
  readonly shares: ReadonlyMap<string, number>;
  readonly others: readonly NamedParty[];
}

type Falsification = (name: string, around: Around) => string | null;

function wordShares(names: readonly string[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const name of names) for (const word of new Set(name.split(/[^A-Z0-9]+/i))) shares.set(word, (shares.get(word) ?? 0) + 1);
  return shares;
}

/** Returns the word that the fewest listed names have; null for a name of fewer than two long words. */
function tellingWord(name: string, { shares }: Around): string | null {
  const words = without(name)
    .split(/[^A-Z0-9]+/i)
    .filter((word) => word.length >= 4 && !/\d/.test(word));
  if (words.length < 2) return null;
  const best = words.toSorted((a, b) => (shares.get(a) ?? 0) - (shares.get(b) ?? 0))[0] as string;
  return (shares.get(best) ?? 0) <= 3 ? best : null;
}

const pick = <T>(all: readonly T[], random: () => number): T => all[Math.floor(random() * all.length)] as T;

const NOUNS = 'SOL LUNA CONDOR ESTRELLA AURORA VICTORIA ESPERANZA PRIMAVERA PACIFICO ANDES HORIZONTE PROGRESO'.split(' ');
const BRANDS = 'QUILTRAMA VEMPORIO TASCADERO BRUNDELA ZOFRAMET LIPUNCO CRETALVA MOXUNDIA PRANVELO'.split(' ');
const SURNAMES = 'SILVA GONZALEZ MUNOZ OLIVEIRA CONTRERAS RESTREPO SEPULVEDA BARBOSA CASTILLO'.split(' ');
const PLACES = [
  ['NORTE', 'SUR'],
  ['NORTH', 'SOUTH'],
  ['EAST', 'WEST'],
  ['ORIENTE', 'OCCIDENTE'],
  ['COLOMBIA', 'CHILE'],
  ['MEXICO', 'BRASIL'],
  ['PANAMA', 'PERU'],
  ['IRAN', 'OMAN'],
  ['SYRIA', 'JORDAN'],
  ['SYRIAN', 'JORDANIAN'],
  ['KOREA', 'JAPAN'],
  ['RUSSIA', 'SERBIA'],
  ['MOSCOW', 'LONDON'],
  ['TEHRAN', 'DUBAI'],
  ['ASIA', 'AFRICA'],
] as const;
const TRADES = 'PANADERIA TRANSPORTES CONSTRUCTORA CLINICA HOTEL FERRETERIA RESTAURANTE SUPERMERCADO LIBRERIA OPTICA'.split(' ');

function otherTellingWord(name: string, around: Around, words: readonly string[]): string | null {
  const word = tellingWord(name, around);
  return word === null ? null : name.replace(word, pick(words, around.random));
}

const FALSE_KINDS: Readonly<Record<string, Falsification>> = {
  'shared words, a common noun in place of the telling word': (name, around) => otherTellingWord(name, around, NOUNS),
  'shared words, a brand in place of the telling word': (name, around) => otherTellingWord(name, around, BRANDS),
  'shared words, a surname in place of the telling word': (name, around) => otherTellingWord(name, around, SURNAMES),
  'the telling word of another listed party': (name, around) => {
    const other = tellingWord(pick(around.others, around.random).name, around);
    return other === null || name.includes(other) ? null : otherTellingWord(name, around, [other]);
  },
  'another place': (name) => {
    const pair = PLACES.find(([a]) => new RegExp(`\\b${a}\\b`).test(name.replace(/\(.*/, '')));
    return pair ? name.replace(new RegExp(`\\b${pair[0]}\\b`), pair[1]) : null;
  },
  'another number': (name) => (/\b\d{1,4}\b/.test(name) ? name.replace(/\b\d{1,4}\b/, (digits) => String(Number(digits) + 7)) : null),
  'one shared common word in another trade': (name, { random, shares }) => {
    const word = name.split(/[^A-Z]+/).find((one) => one.length >= 4 && (shares.get(one) ?? 0) >= 8 && (shares.get(one) ?? 0) <= 40);
    return word === undefined ? null : `${pick(TRADES, random)} ${word} LTDA`;
  },
  'the same trade only': (name, { random }) => {
    const [first = ''] = name.split(' ');
    return /^[A-Z]{8,}$/.test(first) && name.includes(' ') ? `${first} ${pick(SURNAMES, random)} ${pick(NOUNS, random)} S.A.S.` : null;
  },
  'the first half of the words of two parties': (name, { random, others }) => {
    const half = (text: string) => without(text).split(' ').slice(0, -1);
    const [one, other] = [half(name), half(pick(others, random).name)];
    const words = [...one.slice(0, 1), ...other.slice(-1)];
    return one.length < 2 || other.length < 2 ? null : words.join(' ');
  },
};
