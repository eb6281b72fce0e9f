/** Words of a legal name that tell nothing of the company: its form, and what stands between words. */
const FORMS = new Set(
  'sociedad sociedade anonima limitada ltda spa sa sas eirl eireli me epp mei cia compania companhia y e de del la las los el da do das dos en em the'.split(
    ' ',
  ),
);
/** A share of the domain or of the name that no accident explains. */
const HALF = 0.5;

/** Capitals and accents set aside, and `S.P.A.`, `S/A` in one piece. */
const bare = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\b(\p{L})[./](?=\p{L}\b)/gu, '$1');

const wordsOf = (text: string): string[] => bare(text).match(/[\p{L}\d]+/gu) ?? [];

/**
 * True when a legal name speaks for a domain: its words (three letters or more), or its initials, make up half of the chosen
 * part of the domain; or half of the name stands in a page's title. `PANADERIA LA MARRAQUETA SPA` speaks for `la-marraqueta`.
 */
export function nameSpeaksFor(name: string, { label, titles }: { readonly label: string; readonly titles: readonly string[] }): boolean {
  const words = wordsOf(name).filter((word) => !FORMS.has(word));
  return inLabel(words, wordsOf(label).join('')) || titles.some((title) => inTitle(words, new Set(wordsOf(title))));
}

function inLabel(words: readonly string[], label: string): boolean {
  const initials = words.map((word) => word[0]).join('');
  if (label.length >= 3 && label === initials) return true;
  const covered = [...label].map(() => false);
  for (const word of words.filter(({ length }) => length >= 3)) {
    const at = label.indexOf(word);
    if (at >= 0) covered.fill(true, at, at + word.length);
  }
  return label.length > 0 && covered.filter(Boolean).length / label.length >= HALF;
}

function inTitle(words: readonly string[], title: ReadonlySet<string>): boolean {
  const telling = words.filter(({ length }) => length >= 3);
  const lettersOf = (some: readonly string[]) => some.join('').length;
  return telling.length > 0 && lettersOf(telling.filter((word) => title.has(word))) / lettersOf(telling) >= HALF;
}
