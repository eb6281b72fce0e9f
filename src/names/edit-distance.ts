import { BucketInput, finished, hashesWithout } from './buckets.ts';

/** Maximum length of a word that is compared. Longer words count as different. */
const MAX_LENGTH = 64;

let before = new Uint8Array(MAX_LENGTH + 1);
let previous = new Uint8Array(MAX_LENGTH + 1);
let current = new Uint8Array(MAX_LENGTH + 1);

/**
 * Number of letters to insert, delete, replace or swap with their neighbour to turn one word into the other (optimal string alignment).
 * Returns `budget + 1` when it is above `budget`.
 */
export function editDistance(a: string, b: string, budget: number): number {
  if (a === b) return 0;
  const beyond = budget + 1;
  if (Math.abs(a.length - b.length) > budget || a.length > MAX_LENGTH || b.length > MAX_LENGTH) return beyond;
  for (let j = 0; j <= b.length; j += 1) previous[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    current[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
      let edits = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, at(previous, j - 1) + cost);
      if (i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1)) {
        edits = Math.min(edits, at(before, j - 2) + 1);
      }
      current[j] = edits;
      if (edits < least) least = edits;
    }
    if (least > budget) return beyond;
    [before, previous, current] = [previous, current, before];
  }
  return Math.min(at(previous, b.length), beyond);
}

const at = (row: Uint8Array, i: number): number => row[i] ?? 0;

/** Creates a search for the word that a text equals, or differs from by one letter that is missing, added, replaced or swapped. */
export function closeWords(words: readonly string[]): (text: string) => string | undefined {
  const input = new BucketInput();
  for (const [i, word] of words.entries()) hashesWithout(word, 1, (hash) => input.add(hash, i));
  const spellings = finished(input.build());
  const known = new Set(words);
  let searched = '';
  let found: string | undefined;
  const compare = (i: number): void => {
    const word = words[i] as string;
    if (found === undefined && editDistance(searched, word, 1) === 1) found = word;
  };
  const look = (hash: number): void => spellings.find(hash, compare);
  return (text) => {
    if (known.has(text)) return text;
    searched = text;
    found = undefined;
    hashesWithout(text, 1, look);
    return found;
  };
}

/** Minimum length of an abbreviation. It is at least two letters shorter than the word. */
export const LEAST_LETTERS = 3;

/**
 * True if `short` abbreviates a word: it is its beginning (`MANUF`), or lacks letters between its first and its last (`MFG` for
 * `MANUFACTURING`, `SHPNG` for `SHIPPING`), and has at most one vowel, because other words have more.
 */
export function abbreviates(short: string, word: string): boolean {
  const { length } = short;
  if (length < LEAST_LETTERS || length + 1 >= word.length || short[0] !== word[0]) return false;
  if (word.startsWith(short)) return true;
  const last = short[length - 1];
  return (last === word.at(-1) || last === word.at(word.endsWith('ES') ? -3 : -2)) && isWithin(short, word) && !hasTwoVowels(short);
}

/** True if one word has the letters of the other in the same order, from the same first letter on: `CIA` and `COMPANIA`. */
export const isShortened = (one: string, other: string): boolean => one[0] === other[0] && (isWithin(one, other) || isWithin(other, one));

/** True for a text with two vowels or more. Such a text abbreviates a word only if the word begins with it. */
export const hasTwoVowels = (text: string): boolean => /[AEIOU].*[AEIOU]/.test(text);

/** True if the letters of one text are in the other in the same order. */
function isWithin(letters: string, text: string): boolean {
  let at = 0;
  for (let i = 0; i < text.length && at < letters.length; i += 1) if (text[i] === letters[at]) at += 1;
  return at === letters.length;
}
