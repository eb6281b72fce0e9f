import { isKnown } from './lexicon/lexicon.ts';

/** Characters between letters that stand for letters which an encoding has lost. A decoder writes one or two for each letter. */
const LOST = /(?<=\p{L})([?\ufffd]+)(?=\p{L})/gu;
const MAY_HAVE_LOST = /[?\ufffd]/;

/** Letters that have accents in Spanish and Portuguese. An encoding loses no others. */
const ONE_LETTER = [...'AEIOUNC'];
/** For two characters or more: one letter, or the two of `ÇÃ`, `ÇÕ`, `ÇÚ` and `ÑÍ`. */
const LETTERS = [...ONE_LETTER, 'CA', 'CO', 'CU', 'NI'];

/** Maximum number of places in a word at which letters are tried, and maximum length of the word. No word of the tables is longer. */
const MAX_PLACES = 2;
const MAX_LENGTH = 24;

/**
 * Restores letters that an encoding has lost where the word is one of the tables: `CONSTRUCCI?N` → `CONSTRUCCION`. From other words it removes
 * the characters in their place, so that a letter is missing, as with a slip: `NORV?LEZ` → `NORVLEZ`. A blank in their place would make two
 * words of one, which is another reading of the name (`lostAsBlanks`).
 */
export function withLostLetters(name: string): string {
  if (!MAY_HAVE_LOST.test(name)) return name;
  return name.replace(/[\p{L}?\ufffd]+/gu, (word) => (MAY_HAVE_LOST.test(word) ? known(word) : word));
}

/** Returns a name with blanks in place of what an encoding has lost, which may be a blank or a dash; null if it has lost nothing. */
export function lostAsBlanks(name: string): string | null {
  const apart = MAY_HAVE_LOST.test(name) ? name.replace(LOST, ' ') : name;
  return apart === name ? null : apart;
}

/** Words of the names that were read last. A name is read several times, and a word takes up to a hundred attempts. */
const lastWords = new Map<string, string>();
const MAX_LAST_WORDS = 1_000;

function known(word: string): string {
  const last = lastWords.get(word);
  if (last !== undefined) return last;
  const read = restored(word);
  if (lastWords.size >= MAX_LAST_WORDS) lastWords.clear();
  lastWords.set(word, read);
  return read;
}

function restored(word: string): string {
  const [first = '', ...rest] = word.split(LOST);
  const isTried = rest.length > 0 && rest.length <= 2 * MAX_PLACES && word.length <= MAX_LENGTH;
  let tried = isTried ? [plain(first)] : [];
  for (let i = 0; i < rest.length; i += 2) {
    const letters = (rest[i] ?? '').length > 1 ? LETTERS : ONE_LETTER;
    const end = plain(rest[i + 1] ?? '');
    tried = tried.flatMap((start) => letters.map((letter) => start + letter + end));
  }
  return tried.find(isKnown) ?? word.replace(LOST, '');
}

/** Returns capitals without accents, as the tables have them. */
const plain = (text: string): string => text.toUpperCase().normalize('NFD').replace(/\p{M}/gu, '');
