const LEAST_LETTERS = 3;

/**
 * True if a word is written short: as its beginning (`MANUF`), or without letters between its first and its last (`MFG` for
 * `MANUFACTURING`, `SHPNG` for `SHIPPING`), of which at most one is a vowel, because other words have more.
 */
export function abbreviates(short: string, word: string): boolean {
  const { length } = short;
  if (length < LEAST_LETTERS || length + 1 >= word.length || short[0] !== word[0]) return false;
  if (word.startsWith(short)) return true;
  const last = short[length - 1];
  return (last === word.at(-1) || last === word.at(word.endsWith('ES') ? -3 : -2)) && isWithin(short, word) && vowels(short) <= 1;
}

const vowels = (text: string): number => text.length - text.replace(/[AEIOU]/g, '').length;

/** True if the letters of one text are in the other in the same order. */
function isWithin(letters: string, text: string): boolean {
  let at = 0;
  for (let i = 0; i < text.length && at < letters.length; i += 1) if (text[i] === letters[at]) at += 1;
  return at === letters.length;
}
