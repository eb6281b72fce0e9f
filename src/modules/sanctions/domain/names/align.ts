import { joinedKey, type NameWord } from './name.ts';
import { similarity } from './similarity.ts';

/** Words of two names that stand for each other: one each, or two adjacent ones that the other name writes as one. */
export interface Pair {
  readonly searched: readonly NameWord[];
  readonly listed: readonly NameWord[];
  /** 0 to 1. */
  readonly similarity: number;
  /** How much the words say. */
  readonly weight: number;
}

/** Which words of two names stand for each other. */
export interface Alignment {
  readonly pairs: readonly Pair[];
  readonly searchedOnly: readonly NameWord[];
  readonly listedOnly: readonly NameWord[];
}

const JOINED = 0.97;
const INITIAL = 0.8;
const INITIAL_WEIGHT = 0.3;

/** Pairs equal words first, then words that one name joins, then similar words, then initials. The order of words is free. */
export function align(searched: readonly NameWord[], listed: readonly NameWord[]): Alignment {
  const pairs: Pair[] = [];
  const left = [...searched];
  const right = [...listed];
  pairEqual(left, right, pairs);
  if (left.length > 0 && right.length > 0) {
    pairJoined(left, right, (one, two, joined) =>
      pairs.push({ searched: [one, two], listed: [joined], similarity: JOINED, weight: joined.weight }),
    );
    pairJoined(right, left, (one, two, joined) =>
      pairs.push({ searched: [joined], listed: [one, two], similarity: JOINED, weight: joined.weight }),
    );
    pairSimilar(left, right, pairs, similarity);
    if (pairs.some(isIdentifyingPair)) {
      pairSimilar(left, right, pairs, (a, b) => (isInitial(a, b) || isInitial(b, a) ? INITIAL : 0), INITIAL_WEIGHT);
    }
  }
  return { pairs, searchedOnly: left, listedOnly: right };
}

/** A word from which a company can be told from others. */
export const isIdentifying = ({ kind }: NameWord): boolean => !['general', 'trade', 'place'].includes(kind);

export const isIdentifyingPair = ({ searched, listed }: Pair): boolean => [...searched, ...listed].every(isIdentifying);

const isInitial = (initial: NameWord, word: NameWord): boolean => initial.text.length === 1 && word.text.startsWith(initial.text);

/** Pairs words of the same text, then words of the same key, each with the first that is left. */
function pairEqual(left: NameWord[], right: NameWord[], pairs: Pair[]): void {
  for (const part of ['text', 'key'] as const) {
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

/** Takes two adjacent words out of `split`, and the word that joins them out of `joined`. */
function pairJoined(split: NameWord[], joined: NameWord[], found: (one: NameWord, two: NameWord, joined: NameWord) => void): void {
  for (let i = 0; i + 1 < split.length && joined.length > 0; ) {
    const [one, two] = split.slice(i, i + 2) as [NameWord, NameWord];
    const key = joinedKey(one, two);
    const match = joined.findIndex((word) => word.key === key);
    if (match === -1) i += 1;
    else {
      split.splice(i, 2);
      found(one, two, joined.splice(match, 1)[0] as NameWord);
    }
  }
}
