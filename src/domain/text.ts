/** Removes the given characters from the end of a text. An expression such as `/[x]+$/` would take quadratic time. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Writes the dashes and the minus sign of printed texts as `-`. */
export const withPlainDashes = (text: string): string => text.replace(/[\u2010-\u2015\u2212]/g, '-');

/** Writes a number with at most ten decimals and without superfluous zeros: `33.33`. */
export const decimalText = (number: number): string => withoutTrailing(withoutTrailing(number.toFixed(10), '0'), '.');

/** Writes digits in groups of three from the right: `1234567` → `1.234.567`. */
export function groupedByThousands(digits: string): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join('.');
}

/** Normalises text for keyword comparison: removes accents, letter case and repeated blanks. */
export const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim().toLowerCase();

/** Letters that Spanish pronounces alike, and the silent h. */
const ALIKE: Readonly<Record<string, string>> = { z: 's', v: 'b', y: 'i', k: 'c', h: '' };

/**
 * Returns the words of a name in the form for searches: ASCII letters and digits, lower case, one letter for those that are pronounced
 * alike.
 */
export const searchWords = (name: string): readonly string[] =>
  name
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[zvykh]/g, (letter) => ALIKE[letter] ?? '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

/** Maximum lengths of external texts, in UTF-16 units. Valid values of registries are never longer. */
export const MAX_LENGTHS = { id: 64, label: 300, name: 500, text: 10_000 } as const;

/**
 * Control characters except tab and line breaks. Those from U+0080 on stay, because a text that was decoded with a wrong charset is
 * repaired from them.
 */
const CONTROL = /(?![\t\n\r\u0080-\u009f])\p{Cc}/gu;
/** Characters of nearly all texts, which need no change: those of Latin scripts and others without control characters and surrogates. */
const PLAIN = /^[ -~\u00a0-\ud7ff]*$/;
/** Control characters and half surrogate pairs. */
const ODD = /(?![\t\n\r\u0080-\u009f])[\p{Cc}\p{Cs}]/u;

/**
 * Converts an external text to one that Postgres, JSON and files accept: it removes control characters including U+0000, replaces half
 * surrogate pairs by U+FFFD, and cuts the text between two characters if it is longer than `maxLength` UTF-16 units.
 */
export function storable(text: string, maxLength: number = MAX_LENGTHS.text): string {
  if (text.length <= maxLength && (PLAIN.test(text) || !ODD.test(text))) return text;
  const isCutInPair = text.length > maxLength && /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
  return text
    .slice(0, isCutInPair ? maxLength - 1 : maxLength)
    .replace(CONTROL, '')
    .toWellFormed();
}
