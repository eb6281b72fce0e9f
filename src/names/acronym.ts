import { isConnector, isKnown } from './lexicon/lexicon.ts';

/** Minimum and maximum length of an acronym. An acronym of three letters must consist of all initials. */
const MIN_LETTERS = 4;
const MAX_LETTERS = 20;
/** Minimum number of other words. A name with fewer words identifies too little without its acronym. */
const MIN_OTHERS = 3;

/**
 * Returns the words without a final acronym that is formed from them: `COMERCIALIZADORA DE CAFE DEL VALLE CODECAFE` without `CODECAFE`,
 * because people write such a name with and without it. Null for a name without an acronym.
 */
export function withoutAcronym(words: readonly string[]): readonly string[] | null {
  const acronym = words.at(-1) ?? '';
  if (words.length <= MIN_OTHERS || acronym.length > MAX_LETTERS || isKnown(acronym)) return null;
  const others = words.slice(0, -1);
  const core = others.filter((word, i) => !isConnector(word, i, others));
  if (core.length < MIN_OTHERS) return null;
  if (acronym === core.map((word) => word.charAt(0)).join('')) return others;
  return acronym.length >= MIN_LETTERS && isMadeOf(acronym, others) ? others : null;
}

/** True if a text is formed from the beginnings of two or more consecutive words. Connecting words may be skipped. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  /** Numbers of letters of the text that beginnings of the words so far can form. */
  let read: ReadonlySet<number> = new Set();
  for (const [i, word] of words.entries()) {
    const next = new Set(isConnector(word, i, words) ? read : []);
    for (const start of [0, ...read]) {
      for (let end = start + 1; end <= text.length && word.startsWith(text.slice(start, end)); end += 1) {
        if (start > 0 && end === text.length) return true;
        next.add(end);
      }
    }
    read = next;
  }
  return false;
}
