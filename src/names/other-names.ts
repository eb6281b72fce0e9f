/* Texts in which a party has several names: `FICTION SA (formerly FICTION OBRAS)`, `FICTION ME (ANTIGA OBRAS LTDA)`. */

/** Words before another name in English, Portuguese and Spanish. */
const WORDS = [
  'a[./]?k[./]?a\\.?|f[./]?k[./]?a\\.?|n[./]?k[./]?a\\.?|d[./]?b[./]?a\\.?|t/a',
  '(?:also|formerly|previously|now) known as|doing business as|trading as|formerly|previously',
  'nome (?:de )?fantasia|nombre comercial|nombre de fantas[ií]a',
  'antes|antigamente|antiguamente|anteriormente(?: denominad[ao])?',
  '(?:antiga |antigua |nova |nueva )?(?:denominac?(?:[cç][aã]o|i[oó]n)(?: social)?|raz(?:[aã]o|[oó]n) social)(?: anterior)?',
  '(?:(?:y )?(?:pudiendo|podr[aá]) (?:usar|utilizar) la |cuya |con |bajo la )?sigla(?: es)?',
  'conhecid[ao] (?:como|por)|conocid[ao] (?:como|por)|sucessora? d[aeo]|sucesora? de',
].join('|');
/** Such words that names have, too. They need a parenthesis, a comma, or a blank and a dash before them: `IMP-EX` is one word. */
const SHORT_WORDS = 'ex|antig[ao](?: denominad[ao])?|antigu[ao]|atual(?:mente)?|actual(?:mente)?';

/**
 * Matches the words before another name, with a parenthesis, comma or dash before them. The text has single blanks, and each part is bounded,
 * so that the time is linear.
 */
const MARK = new RegExp(
  ` ?(?:[(,;–—-] ?)?(?<![\\p{L}\\p{N}])(${WORDS})(?![\\p{L}\\p{N}])[:,]? ?|(?: ?[(,;] ?| [–—-] ?)(${SHORT_WORDS})(?![\\p{L}\\p{N}-])[:.,]? ?`,
  'iu',
);

/** Beginnings of marks → the type of the name after them. A mark of another beginning is a further name. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(?:f|p|ex|ant|suce)|anterior$/i, 'f.k.a.'],
  [/^(?:n[./]?k|now|atual|actual|nova|nueva)/i, 'n.k.a.'],
  [/^(?:d[./]?b|doing|t|nom)/i, 'd.b.a.'],
];

/** One of several names in a text. The type is empty for a name without a mark before it. */
export interface StatedName {
  readonly text: string;
  readonly type: string;
}

/** Splits a text with single blanks at the marks of other names. A text without a mark is one name. */
export function statedNames(text: string): readonly StatedName[] {
  const [first = '', ...rest] = text.split(MARK);
  if (rest.length === 0) return [{ text, type: '' }];
  const names: StatedName[] = [{ text: withoutOpenParenthesis(first), type: '' }];
  for (let i = 0; i < rest.length; i += 3) {
    const mark = rest[i] ?? rest[i + 1] ?? '';
    const type = TYPES.find(([beginning]) => beginning.test(mark))?.[1] ?? 'a.k.a.';
    names.push({ text: withoutOpenParenthesis(rest[i + 2] ?? ''), type });
  }
  return names.filter((name) => name.text !== '');
}

/** Removes a closing parenthesis that was opened before the name, and punctuation at the ends: `FICTION OBRAS)` → `FICTION OBRAS`. */
function withoutOpenParenthesis(text: string): string {
  const opened = text.split('(').length;
  const closed = text.split(')').length;
  const own = closed > opened ? text.slice(0, text.lastIndexOf(')')) + text.slice(text.lastIndexOf(')') + 1) : text;
  return own
    .replace(/^[ ,;]/, '')
    .replace(/[ ,;]$/, '')
    .trim();
}
