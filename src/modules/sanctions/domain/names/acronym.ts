import { isConnector, isKnown } from './lexicon/lexicon.ts';

const LEAST_LETTERS = 4;
/** A shorter name says too little without its acronym. */
const LEAST_OTHERS = 3;

/**
 * The words without an acronym of them at the end: `COMERCIALIZADORA DE CAFE DEL VALLE CODECAFE` without `CODECAFE`, because people write
 * such a name with and without it. Null for a name without an acronym.
 */
export function withoutAcronym(words: readonly string[]): readonly string[] | null {
  const others = words.slice(0, -1);
  const acronym = words.at(-1) ?? '';
  if (acronym.length < LEAST_LETTERS || isKnown(acronym)) return null;
  if (others.filter((word, i) => !isConnector(word, i, others)).length < LEAST_OTHERS) return null;
  return others.some((_, i) => isMadeOf(acronym, others, i, 0)) ? others : null;
}

/** True if a text is made of the beginnings of two words or more that follow each other, from one on. Connecting words may be left out. */
function isMadeOf(text: string, words: readonly string[], from: number, used: number): boolean {
  if (text === '') return used >= 2;
  const word = words[from];
  if (word === undefined) return false;
  if (used > 0 && isConnector(word, from, words) && isMadeOf(text, words, from + 1, used)) return true;
  for (let length = 1; length <= word.length && text.startsWith(word.slice(0, length)); length += 1) {
    if (isMadeOf(text.slice(length), words, from + 1, used + 1)) return true;
  }
  return false;
}
