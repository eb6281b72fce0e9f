import type { SanctionsAlias } from './entry.ts';

/**
 * Matches the words before another name: `a.k.a.`, `aka`, `f/k/a`, `d/b/a`, `formerly (known as)`, with a parenthesis or comma before them.
 * The text has single blanks, and each part is bounded, so that the time is linear.
 */
const MARK =
  / ?[(,;]? ?(?<![\p{L}\p{N}])(a[./]?k[./]?a\.?|f[./]?k[./]?a\.?|n[./]?k[./]?a\.?|d[./]?b[./]?a\.?|also known as|formerly known as|previously known as|now known as|doing business as|formerly|previously)(?![\p{L}\p{N}])[:,]? ?/iu;

/** First letter of a mark → its type. */
const TYPES: Readonly<Record<string, string>> = { a: 'a.k.a.', f: 'f.k.a.', p: 'f.k.a.', n: 'n.k.a.', d: 'd.b.a.' };

/**
 * Splits a text that has several names of a party: `FICTION SA (formerly FICTION OBRAS)*12`. Footnotes are dropped. Without a mark there are
 * no aliases.
 * @returns the text without footnotes as name, and each name in it as alias, the first one as `name`
 */
export function namesIn(text: string): { readonly name: string; readonly aliases: readonly SanctionsAlias[] } {
  const name = text
    .replace(/\*\d{0,9}(?:,(?= ?\*))?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const [first = '', ...rest] = name.split(MARK);
  if (rest.length === 0) return { name, aliases: [] };
  const parts = [{ mark: '', text: first }];
  for (let i = 0; i < rest.length; i += 2) parts.push({ mark: rest[i] ?? '', text: rest[i + 1] ?? '' });
  const aliases = parts.flatMap(({ mark, text: part }) => {
    const alias = withoutOpenParenthesis(part);
    return alias === '' || alias === name ? [] : [{ name: alias, type: TYPES[mark.charAt(0).toLowerCase()] ?? 'name', weak: false }];
  });
  return { name, aliases };
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
