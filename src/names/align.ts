import { abbreviates } from './edit-distance.ts';
import { joined, type Name, type NameWord } from './name.ts';
import { isBusiness, similarity } from './similarity.ts';

/** Corresponding words of two names: one word each, adjacent words that the other name writes as one, or all words of both. */
export interface Pair {
  readonly searched: readonly NameWord[];
  readonly listed: readonly NameWord[];
  /** 0 to 1. */
  readonly similarity: number;
  /** Weight of the words for identifying a company, as in `NameWord`. */
  readonly weight: number;
}

/** The corresponding words of two names, and the words without a counterpart. */
export interface Alignment {
  readonly pairs: readonly Pair[];
  readonly searchedOnly: readonly NameWord[];
  readonly listedOnly: readonly NameWord[];
}

const JOINED = 0.97;
const INITIALS = 0.8;
const INITIAL = 0.8;
const INITIAL_WEIGHT = 0.3;
const ABBREVIATION = 0.9;
const ABBREVIATION_WEIGHT = 0.2;

/**
 * Pairs the words of two names. Names that differ in blanks only, and initials with the name that they abbreviate, are paired as a whole.
 * Listed initials must be at least five letters, because many long names share four. Otherwise it pairs equal words first, then words that
 * one name joins, then words with the same key, then similar words, then business words and their abbreviations, then initials. The order
 * of words does not matter.
 * @param initials false: names are not compared with initials
 */
export function align(searched: Name, listed: Name, { initials }: { readonly initials: boolean }): Alignment {
  if (isSolid(searched, listed)) return whole(searched, listed, JOINED);
  if (initials && (hasInitials(searched, listed, 4) || hasInitials(listed, searched, 5))) return whole(searched, listed, INITIALS);
  return alignWords(searched.words, listed.words);
}

const whole = ({ words: searched }: Name, { words: listed }: Name, similarity: number): Alignment => ({
  pairs: [
    {
      searched,
      listed,
      similarity,
      weight: Math.max(...[searched, listed].map((words) => words.reduce((sum, { weight }) => sum + weight, 0))),
    },
  ],
  searchedOnly: [],
  listedOnly: [],
});

/** Minimum length of a name without blanks that is compared as a whole, in letters. */
const LEAST_SOLID = 5;

const isSolid = (one: Name, other: Name): boolean =>
  one.words.some(({ key }, i) => key !== other.words[i]?.key) &&
  one.solid.some((key) => key.length >= LEAST_SOLID && other.solid.includes(key));

/** True for a name of one word that is the initials of the other. */
const hasInitials = ({ words: [word, second] }: Name, { initials }: Name, least: number): boolean =>
  second === undefined && word !== undefined && word.text.length >= least && initials.includes(word.text);

function alignWords(searched: readonly NameWord[], listed: readonly NameWord[]): Alignment {
  const pairs: Pair[] = [];
  const left = [...searched];
  const right = [...listed];
  pairEqual('text', left, right, pairs);
  for (const count of [3, 2]) {
    pairJoined(count, left, right, (some, word) => pairs.push({ searched: some, listed: [word], similarity: JOINED, weight: word.weight }));
    pairJoined(count, right, left, (some, word) => pairs.push({ searched: [word], listed: some, similarity: JOINED, weight: word.weight }));
  }
  pairEqual('key', left, right, pairs);
  if (left.length > 0 && right.length > 0) {
    pairSimilar(left, right, pairs, similarity);
    pairSimilar(left, right, pairs, (a, b) => (isAbbreviated(a, b) ? ABBREVIATION : 0), ABBREVIATION_WEIGHT);
    if (pairs.some(isIdentifyingPair)) {
      pairSimilar(left, right, pairs, (a, b) => (isInitial(a, b) || isInitial(b, a) ? INITIAL : 0), INITIAL_WEIGHT);
    }
  }
  return { pairs, searchedOnly: left, listedOnly: right };
}

/** True for a word that distinguishes companies from each other. */
export const isIdentifying = ({ kind }: NameWord): boolean => !['general', 'trade', 'place'].includes(kind);

export const isIdentifyingPair = ({ searched, listed, weight }: Pair): boolean =>
  weight > ABBREVIATION_WEIGHT && [searched, listed].some((words) => words.every(isIdentifying));

/** True for a business word and its abbreviation, if the abbreviation is in no table. */
export const isAbbreviated = (a: NameWord, b: NameWord): boolean =>
  (a.isShort && isBusiness(b) && abbreviates(a.text, b.text)) || (b.isShort && isBusiness(a) && abbreviates(b.text, a.text));

const isInitial = (initial: NameWord, word: NameWord): boolean => initial.text.length === 1 && word.text.startsWith(initial.text);

/** Pairs words of the same text or key, each with the first unpaired one. */
function pairEqual(part: 'text' | 'key', left: NameWord[], right: NameWord[], pairs: Pair[]): void {
  for (let i = 0; i < left.length; ) {
    const a = left[i] as NameWord;
    const j = right.findIndex((b) => b[part] === a[part]);
    if (j === -1) i += 1;
    else {
      left.splice(i, 1);
      const [b] = right.splice(j, 1) as [NameWord];
      pairs.push({ searched: [a], listed: [b], similarity: similarity(a, b), weight: b.weight });
    }
  }
}

/** Pairs the most similar words first, until none are similar. */
function pairSimilar(
  left: NameWord[],
  right: NameWord[],
  pairs: Pair[],
  like: (a: NameWord, b: NameWord) => number,
  weight?: number,
): void {
  const similar = left.flatMap((a) => right.flatMap((b) => ({ a, b, alike: like(a, b) }))).filter(({ alike }) => alike > 0);
  for (const { a, b, alike } of similar.sort((one, other) => other.alike - one.alike)) {
    const [i, j] = [left.indexOf(a), right.indexOf(b)];
    if (i === -1 || j === -1) continue;
    left.splice(i, 1);
    right.splice(j, 1);
    pairs.push({ searched: [a], listed: [b], similarity: alike, weight: weight ?? b.weight });
  }
}

/** Removes `count` adjacent words from `split`, and the word that joins them from `others`. */
function pairJoined(
  count: number,
  split: NameWord[],
  others: NameWord[],
  found: (some: readonly NameWord[], word: NameWord) => void,
): void {
  for (let i = 0; i + count <= split.length && others.length > 0; ) {
    const some = split.slice(i, i + count);
    const { key, text } = joined(some);
    const match = others.findIndex((word) => word.key === key || word.text === text);
    if (match === -1) i += 1;
    else {
      split.splice(i, count);
      found(some, others.splice(match, 1)[0] as NameWord);
    }
  }
}
