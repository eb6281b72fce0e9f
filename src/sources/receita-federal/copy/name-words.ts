/*
 * The words by which names of the registry are found. Postgres computes them for the stored names and the service for a searched one, so
 * both forms are here, one beside the other, with the same steps. A test compares them.
 */

/** Letters of Latin-1 that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = { Ø: 'O', ø: 'O', Æ: 'A', æ: 'A', Ð: 'D', ð: 'D', Þ: 'T', þ: 'T', ß: 'S' };
/** Characters that are removed, so that D'AGUA and DAGUA are one word. */
const REMOVED = ["'", '`', '´', '’', '‘'];

/** Returns the capital letter or digit of a character; a blank for another one. The asterisk stays, because masked CPFs have it. */
function plain(character: string): string {
  const first = (LETTERS[character] ?? character.normalize('NFKD')).charAt(0).toUpperCase();
  return /[A-Z0-9*]/.test(first) ? first : ' ';
}

/** The characters of Latin-1 beyond ASCII, the charset of the registry's files, that are a letter or a digit. */
const LETTERS_OF_LATIN_1 = Array.from({ length: 0x60 }, (_, i) => String.fromCharCode(0xa0 + i)).filter((one) => plain(one) !== ' ');

/** Replacements of texts between words, in order: S A is a legal form and not initials. */
const FORM = [' S A ', ' SA '] as const;
/** Legal forms and connecting words, which people write in many ways or omit. */
const OPTIONAL = 'LTDA LIMITADA SA ME MEI EPP EIRELI CIA COMPANHIA SS DE DA DO DAS DOS E'
  .split(' ')
  .map((word) => [` ${word} `, ' '] as const);
const INITIALS = '([A-Z]) (?=[A-Z]';
const MASKED = ' [A-Z0-9]*[*][A-Z0-9*]*(?= )';

const INITIALS_IN_JS = new RegExp(`\\b${INITIALS}\\b)`, 'g');
const MASKED_IN_JS = new RegExp(MASKED, 'g');

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
  const joined = ` ${plainName(name)} `
    .replaceAll(...FORM)
    .replace(INITIALS_IN_JS, '$1')
    .replace(MASKED_IN_JS, '');
  const words = OPTIONAL.reduce((text, [word, blank]) => text.replaceAll(word, blank), joined).trim();
  return words === '' ? [] : words.split(' ');
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const replaced = (expression: string, [from, to]: readonly [string, string]): string =>
  `replace(${expression}, ${literal(from)}, ${literal(to)})`;

/**
 * Returns the SQL expression of `nameWords` for an expression of type text: the words, separated by blanks. Characters beyond Latin-1 count
 * as blanks. Few names have others than those of ASCII, and steps that take long are left out for names that do not need them.
 */
export function nameWordsSql(expression: string): string {
  const latin = `translate(${expression}, ${literal(LETTERS_OF_LATIN_1.join(''))}, ${literal(LETTERS_OF_LATIN_1.map(plain).join(''))})`;
  const ascii = `CASE WHEN octet_length(${expression}) = length(${expression}) THEN ${expression} ELSE ${latin} END`;
  const capitals = REMOVED.reduce((text, one) => replaced(text, [one, '']), `upper((${ascii}) COLLATE "C")`);
  const spaced = `regexp_replace(' ' || ${capitals} || ' ', '[^A-Z0-9*]+', ' ', 'g')`;
  const joined = `regexp_replace(${replaced(spaced, FORM)}, '\\y${INITIALS}\\y)', '\\1', 'g')`;
  const unmasked = `CASE WHEN strpos(${expression}, '*') = 0 THEN ${joined} ELSE regexp_replace(${joined}, '${MASKED}', '', 'g') END`;
  return `btrim(${OPTIONAL.reduce(replaced, unmasked)})`;
}
