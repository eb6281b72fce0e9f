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
