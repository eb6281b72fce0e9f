const FRONT = 'EIY';

/**
 * Maps a word to a key that its usual spelling variants share: b/v/w, c/s/z, c/k/qu, g/j, i/y, silent h, doubled letters, `ch`/`sh`,
 * `kh`/`zh`/`j`, `ts`/`s`, `ks`/`x`, `ee`/`i`, `oo`/`ou`/`u`, `ph`/`f`, n/m before b, p and f. A word with a digit is its own key.
 */
export function spellingKey(word: string): string {
  if (/\d/.test(word)) return word;
  let key = '';
  for (let i = 0; i < word.length; ) {
    const [sound, length] = soundAt(word, i);
    if (sound !== key.at(-1)) key += sound;
    i += length;
  }
  return key || word;
}

/** `ll` that sounds like `y`, and a pronounced `h`, which is also written `kh`. */
const DOUBLE_L = /LL(?=[AEIOU])/g;
const PRONOUNCED_H = /KH|(?<![A-Z])H(?=[AEIOU])|(?<=[AEIOU])H(?=[AEIOU])/g;

/**
 * Maps a word to a key that more distant spelling variants share: `CASTILLO` and `CASTIYO`, `KHATAM` and `HATAM`, `GHADIR` and `QADIR`. It
 * is separate from `spellingKey`, which reads `ll` as a doubled `l`, `h` as silent and `gh` as `g`, because one key cannot read a word
 * both ways. It costs one more hash per such word in an index.
 */
export const looseKey = (word: string): string =>
  /LL|H/.test(word) ? spellingKey(word.replace(DOUBLE_L, 'Y').replace(/GH/g, 'K').replace(PRONOUNCED_H, 'J')) : spellingKey(word);

/** Phonemes at the boundary of two joined words. */
const BETWEEN: Readonly<Record<string, string>> = { EE: 'I', OO: 'U', TS: 'S', NV: 'MV', NP: 'MP', NF: 'MF' };

/** Returns the key of words that are written without blanks, from the keys of these words. */
export function joinedSpellingKey(keys: readonly string[]): string {
  let joined = '';
  for (const key of keys) {
    const [last = '', first = ''] = [joined.at(-1), key[0]];
    const between = BETWEEN[last + first] ?? (last === first ? first : last + first);
    joined = joined.slice(0, -1) + between + key.slice(1);
  }
  return joined;
}

/** Returns the sound at a position of a word, and the number of letters that write it. A silent letter has the empty sound. */
function soundAt(word: string, i: number): readonly [string, number] {
  const letter = word.charAt(i);
  const next = word.charAt(i + 1);
  switch (letter) {
    case 'B':
    case 'W':
      return ['V', 1];
    case 'C':
      return soundOfC(next);
    case 'E':
      return next === 'E' ? ['I', 2] : ['E', 1];
    case 'G':
      return soundOfG(next, word.charAt(i + 2));
    case 'H':
      return ['', 1];
    case 'K':
      return next === 'H' ? ['J', 2] : ['K', 1];
    case 'N':
      return next !== '' && 'BVWPF'.includes(next) ? ['M', 1] : ['N', 1];
    case 'O':
      return next === 'U' || next === 'O' ? ['U', 2] : ['O', 1];
    case 'P':
      return next === 'H' ? ['F', 2] : ['P', 1];
    case 'Q':
      return ['K', next === 'U' && isFront(word.charAt(i + 2)) ? 2 : 1];
    case 'S':
      if (next === 'H') return ['X', 2];
      return next === 'C' && word.charAt(i + 2) === 'H' ? ['X', 3] : ['S', 1];
    case 'T':
      if (next === 'S') return ['S', 2];
      return next === 'C' && word.charAt(i + 2) === 'H' ? ['X', 3] : ['T', 1];
    case 'Y':
      return ['I', 1];
    case 'X':
      return i === 0 ? ['X', 1] : ['KS', 1];
    case 'Z':
      return next === 'H' ? ['J', 2] : ['S', 1];
    default:
      return [letter, 1];
  }
}

function soundOfC(next: string): readonly [string, number] {
  if (next === 'H') return ['X', 2];
  if (next === 'K') return ['K', 2];
  return [isFront(next) ? 'S' : 'K', 1];
}

function soundOfG(next: string, after: string): readonly [string, number] {
  if (next === 'H') return ['G', 2];
  if (next === 'U' && isFront(after)) return ['G', 2];
  return [isFront(next) ? 'J' : 'G', 1];
}

const isFront = (letter: string): boolean => letter !== '' && FRONT.includes(letter);
