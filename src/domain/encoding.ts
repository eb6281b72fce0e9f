import { folded } from './text.ts';

/* Decodes texts, and repairs those of registries that were decoded with the wrong charset. */

/** Decodes UTF-8 when the bytes are valid UTF-8 (a BOM is dropped), else Windows-1252. */
export function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const LATIN_1 = Array.from({ length: 128 }, (_, i) => String.fromCharCode(0x80 + i));
const WINDOWS_1252 = [...new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 128 }, (_, i) => 0x80 + i))];
/** Character → its byte in Windows-1252, or in Latin-1, which has control characters for the bytes of some punctuation of Windows-1252. */
const BYTES: ReadonlyMap<string, number> = new Map([LATIN_1, WINDOWS_1252].flatMap((chars) => chars.map((char, i) => [char, 0x80 + i])));

/**
 * First bytes in UTF-8 of the letters and punctuation of Portuguese and Spanish, decoded as Latin-1 or Windows-1252. Every wrongly decoded
 * text contains one of these characters.
 */
const FIRST_BYTES = /[ÂÃâ]/;
/** Characters that a repaired text may contain. Ö is excluded, because a dash after `IRMÃ` has its bytes. */
const EXPECTED = /^[\p{ASCII}ÁÀÂÃÄÉÊËÍÎÏÓÔÕÚÜÇÑáàâãäéêëíîïóôõöúüçñªº°§·´¿¡«»–—‘’“”…•€®™\u00a0]*$/u;
/**
 * A capital in a word of small letters, or a small letter in a word of capitals. `IRMà` is not a word, although it has the bytes of `IRMÃ`
 * and a no-break space.
 */
const MIXED_CASE = /\p{Lu}\p{Lu}(?!\p{ASCII})\p{Ll}|(?!\p{ASCII})\p{Ll}\p{Lu}|\p{Ll}(?!\p{ASCII})\p{Lu}/u;
/** Maximum number of repairs of a text, which may have been decoded wrongly more than once. */
const MAX_ROUNDS = 3;

/**
 * Repairs a text whose UTF-8 was read as Latin-1 or Windows-1252: `SÃ³cio` → `Sócio`. Returns every other text unchanged: the complete
 * text must have the bytes of valid UTF-8, and these must be Portuguese or Spanish. Lost characters (`S?cio`, U+FFFD) cannot be repaired.
 */
export function repaired(text: string): string {
  let best = text;
  let current = text;
  for (let round = 0; round < MAX_ROUNDS && FIRST_BYTES.test(current); round += 1) {
    const next = readAsUtf8(current);
    if (next === null) break;
    current = next;
    if (EXPECTED.test(current) && !MIXED_CASE.test(current)) best = current;
  }
  return best;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes the bytes of a Windows-1252 text as UTF-8; null if they are not valid UTF-8. */
function readAsUtf8(text: string): string | null {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    const byte = code < 0x80 ? code : BYTES.get(text.charAt(i));
    if (byte === undefined) return null;
    bytes[i] = byte;
  }
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

const MARKS: Readonly<Record<string, string>> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  cedil: '\u0327',
};
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', ordf: 'ª', ordm: 'º' };
const ENTITY = /&(?:#(\d{1,7})|#[xX]([\dA-Fa-f]{1,6})|([A-Za-z])(acute|grave|circ|tilde|uml|cedil)|(amp|lt|gt|quot|apos|nbsp|ordf|ordm));/g;

/** Decodes the HTML entities of a text once: `A &amp; B` → `A & B`. Unknown entities stay unchanged. */
export const unescaped = (text: string): string =>
  text.includes('&')
    ? text.replace(ENTITY, (written, decimal?: string, hex?: string, letter?: string, mark?: string, name?: string) => {
        if (letter) return `${letter}${MARKS[mark ?? '']}`.normalize('NFC');
        if (name) return NAMED[name] ?? written;
        const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
        const isText = code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) && (code < 0x7f || code > 0x9f);
        return isText ? String.fromCodePoint(code) : written;
      })
    : text;

/** Repairs the text of a registry and decodes its HTML entities, which some mirrors have encoded twice. */
export const mended = (text: string): string => unescaped(unescaped(repaired(text)));

/** Applies `mend` to every text in a value of parsed JSON, except the names of members. Unchanged values are the same objects. */
export function mapTexts<T>(value: T, mend: (text: string) => string): T {
  if (typeof value === 'string') return mend(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, mend)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, mend)])) as T;
}

/** Two characters of a decoding error that could not be repaired, because the rest of the text has none: `JOÃƒO DA CONCEIÇÃO`. */
const UNREPAIRED = /[ÂÃ](?:[^\p{ASCII}\p{L}\s]|[ƒŠŒŽšœžŸªºµ])/u;

/** True if a decoder or an encoder replaced letters by U+FFFD, `?` or other characters, so that a part of the text is lost. */
export const hasLostCharacters = (text: string): boolean => /\ufffd|\p{L}\?|\?\p{L}/u.test(text) || UNREPAIRED.test(text);

/** Returns the letters that every encoding has. Replacements of accented letters, including `?`, are removed. */
const asciiWords = (text: string): string => text.toLowerCase().replace(/[^!->@-~]+/g, '');

/**
 * Returns two keys of a description: its words without accents, and its ASCII letters. Two spellings of one description share at least one
 * key.
 */
export const descriptionKeys = (text: string): readonly [words: string, letters: string] => {
  const meant = mended(text);
  return [folded(meant), asciiWords(meant)];
};

/**
 * True for two spellings of one description. They are equal except for accents, letter case, blanks and errors of encodings, which change
 * or lose characters beyond ASCII.
 */
export function isSameDescription(one: string, other: string): boolean {
  const [words, letters] = descriptionKeys(one);
  const [otherWords, otherLetters] = descriptionKeys(other);
  return words === otherWords || letters === otherLetters;
}
