/** Removes the given characters from the end of a text. An expression such as `/[x]+$/` would take quadratic time. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Writes digits in groups of three from the right: `1234567` → `1.234.567`. */
export function groupedByThousands(digits: string): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join('.');
}

/** Normalises text for keyword comparison: removes accents, letter case and repeated blanks. */
export const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim().toLowerCase();

/** Letters that Spanish spells alike, and h, which is silent. */
const ALIKE: Readonly<Record<string, string>> = { z: 's', v: 'b', y: 'i', k: 'c', h: '' };

/** Words of a name in the form in which they are searched: ASCII letters and digits, lower case, letters that sound alike made equal. */
export const searchWords = (name: string): readonly string[] =>
  name
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[zvykh]/g, (letter) => ALIKE[letter] ?? '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

/** Maximum lengths of texts of others, in UTF-16 units: what a registry means by a name is never longer. */
export const MAX_LENGTHS = { id: 64, label: 300, name: 500, text: 10_000 } as const;

/** Control characters but tab and line breaks. Those from U+0080 on stay: text that was decoded with a wrong charset is repaired from them. */
const CONTROL = /(?![\t\n\r\u0080-\u009f])\p{Cc}/gu;
/** Such characters and half surrogate pairs. */
const ODD = /(?![\t\n\r\u0080-\u009f])[\p{Cc}\p{Cs}]/u;

/**
 * Returns a text of others as Postgres, JSON and files take it: control characters, U+0000 among them, are removed, half surrogate
 * pairs become U+FFFD, and what is longer than `maxLength` UTF-16 units is cut between two characters.
 */
export function storable(text: string, maxLength: number = MAX_LENGTHS.text): string {
  if (text.length <= maxLength && !ODD.test(text)) return text; // as nearly all are
  const isCutInPair = text.length > maxLength && /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
  return text
    .slice(0, isCutInPair ? maxLength - 1 : maxLength)
    .replace(CONTROL, '')
    .toWellFormed();
}
