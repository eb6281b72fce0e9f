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
