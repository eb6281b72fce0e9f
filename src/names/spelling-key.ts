const FRONT = 'EIY';

/**
 * Maps a word to a key that its usual spelling variants share: b/v/w, c/s/z, c/k/qu, g/j, i/y, silent h, doubled letters, `ch`/`sh`,
 * `kh`/`zh`/`j`, `ts`/`s`, `ks`/`x`, `ee`/`i`, `oo`/`ou`/`u`, `ph`/`f`, n/m before b, p and f. A word with a digit is its own key.
 */
export function spellingKey(word: string): string {
  if (/\d/.test(word)) return word;
  let key = '';
  let last = '';
  for (let i = 0; i < word.length; ) {
    const sound = soundAt(word, i);
    if (sound !== '' && sound !== last) {
      key += sound;
      last = sound === 'KS' ? 'S' : sound;
    }
    i += letters;
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
 * @param key the spelling key of the word
 */
export const looseKey = (word: string, key: string): string =>
  /LL|H/.test(word) ? spellingKey(word.replace(DOUBLE_L, 'Y').replace(/GH/g, 'K').replace(PRONOUNCED_H, 'J')) : key;

/** Phonemes at the boundary of two joined words: by the first letter of the second word, then by the last one of the first. */
const BETWEEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  E: { E: 'I' },
  O: { O: 'U' },
  S: { T: 'S' },
  V: { N: 'MV' },
  P: { N: 'MP' },
  F: { N: 'MF' },
};

/** Returns the key of words that are written without blanks, from the joined key of all but the last one, and the key of the last one. */
export function withKey(joined: string, key: string): string {
  const last = joined.charAt(joined.length - 1);
  const first = key.charAt(0);
  const between = BETWEEN[first]?.[last] ?? (first === last ? first : null);
  return between === null ? joined + key : joined.slice(0, -1) + between + key.slice(1);
}

/** Number of letters that write the last sound that `soundAt` returned. As part of the result, it would cost an object for each letter. */
let letters = 1;

/** Returns a sound that several letters write. */
function written(count: number, sound: string): string {
  letters = count;
  return sound;
}

/** Returns the sound at a position of a word, and sets `letters`. A silent letter has the empty sound. */
function soundAt(word: string, i: number): string {
  letters = 1;
  const letter = word.charAt(i);
  const next = word.charAt(i + 1);
  switch (letter) {
    case 'B':
    case 'W':
      return 'V';
    case 'C':
      return soundOfC(next);
    case 'E':
      return next === 'E' ? written(2, 'I') : 'E';
    case 'G':
      return soundOfG(next, word.charAt(i + 2));
    case 'H':
      return '';
    case 'K':
      return next === 'H' ? written(2, 'J') : 'K';
    case 'N':
      return next !== '' && 'BVWPF'.includes(next) ? 'M' : 'N';
    case 'O':
      return next === 'U' || next === 'O' ? written(2, 'U') : 'O';
    case 'P':
      return next === 'H' ? written(2, 'F') : 'P';
    case 'Q':
      return next === 'U' && isFront(word.charAt(i + 2)) ? written(2, 'K') : 'K';
    case 'S':
      if (next === 'H') return written(2, 'X');
      return next === 'C' && word.charAt(i + 2) === 'H' ? written(3, 'X') : 'S';
    case 'T':
      if (next === 'S') return written(2, 'S');
      return next === 'C' && word.charAt(i + 2) === 'H' ? written(3, 'X') : 'T';
    case 'Y':
      return 'I';
    case 'X':
      return i === 0 ? 'X' : 'KS';
    case 'Z':
      return next === 'H' ? written(2, 'J') : 'S';
    default:
      return letter;
  }
}

function soundOfC(next: string): string {
  if (next === 'H') return written(2, 'X');
  if (next === 'K') return written(2, 'K');
  return isFront(next) ? 'S' : 'K';
}

function soundOfG(next: string, after: string): string {
  if (next === 'H') return written(2, 'G');
  if (next === 'U' && isFront(after)) return written(2, 'G');
  return isFront(next) ? 'J' : 'G';
}

const isFront = (letter: string): boolean => letter !== '' && FRONT.includes(letter);
