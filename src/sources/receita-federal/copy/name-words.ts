/*
 * The words by which names of the registry are found. Postgres computes them for the stored names and the service for a searched one, so
 * both forms are here, one beside the other. A test compares them.
 */

/** Letters of Latin-1 that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = { Ø: 'O', ø: 'O', Æ: 'A', æ: 'A', Ð: 'D', ð: 'D', Þ: 'T', þ: 'T', ß: 'S' };
/** Characters that are removed, so that D'AGUA and DAGUA are one word. */
const REMOVED = "'`´’‘";
/** Legal forms and connecting words, which people write in many ways or omit. */
const OPTIONAL = 'LTDA LIMITADA SA ME MEI EPP EIRELI CIA COMPANHIA SS DE DA DO DAS DOS E';

/** Returns the capital letter or digit of a character; a blank for another one. The asterisk stays, because masked CPFs have it. */
function plain(character: string): string {
  const first = (LETTERS[character] ?? character.normalize('NFKD')).charAt(0).toUpperCase();
  return /[A-Z0-9*]/.test(first) ? first : ' ';
}

/** The printable characters of Latin-1, in which the registry's files are written, except those that are removed. */
const LATIN_1 = Array.from({ length: 0x100 - 0x20 }, (_, i) => String.fromCharCode(0x20 + i)).filter((one) => !REMOVED.includes(one));

const S_A = ' S A ';
const INITIALS = '([A-Z]) (?=[A-Z]';
/** A word that does not count: an optional one, and a masked CPF. */
const IGNORED = ` (?:${OPTIONAL.replaceAll(' ', '|')}|[A-Z0-9]*[*][A-Z0-9*]*)(?= )`;

const INITIALS_IN_JS = new RegExp(`\\b${INITIALS}\\b)`, 'g');
const IGNORED_IN_JS = new RegExp(IGNORED, 'g');

/** Returns a text in capitals without accents and punctuation. */
export function plainName(text: string): string {
  const characters = [...text.normalize('NFC')].filter((one) => !REMOVED.includes(one)).map(plain);
  return characters.join('').replace(/ +/g, ' ').trim();
}

/**
 * Returns the words of a name: capitals without accents, adjacent single letters as one word, without legal forms, connecting words and
 * masked CPFs. Empty for a text without such a word.
 */
export function nameWords(name: string): readonly string[] {
  const joined = ` ${plainName(name)} `.replaceAll(S_A, ' SA ').replace(INITIALS_IN_JS, '$1');
  const words = joined.replace(IGNORED_IN_JS, '').trim();
  return words === '' ? [] : words.split(' ');
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns the SQL expression of `nameWords` for an expression of type text: the words, separated by blanks. Characters beyond Latin-1 count as blanks. */
export function nameWordsSql(expression: string): string {
  const from = LATIN_1.join('') + REMOVED;
  const latin = `translate(${expression}, ${literal(from)}, ${literal(LATIN_1.map(plain).join(''))})`;
  const spaced = `regexp_replace(' ' || ${latin} || ' ', '[^A-Z0-9*]+', ' ', 'g')`;
  const joined = `regexp_replace(replace(${spaced}, '${S_A}', ' SA '), '\\y${INITIALS}\\y)', '\\1', 'g')`;
  return `btrim(regexp_replace(${joined}, '${IGNORED}', '', 'g'))`;
}
