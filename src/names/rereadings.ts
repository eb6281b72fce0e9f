import type { Message } from '../messages/message.ts';
import { nameMessages } from '../messages/names.ts';
import { statedNames } from './other-names.ts';
import { wordsOf } from './words.ts';

/** Another way to read the words of a searched name. */
export interface Rereading {
  readonly words: readonly string[];
  /** Sentences that name the words that were ignored or read differently. */
  readonly remarks: readonly Message[];
}

interface Part {
  readonly text: string;
  readonly remarks: readonly Message[];
}

/**
 * Returns other ways to read a searched name: without notes that are not part of the name, each other name that it states, with letters
 * instead of digits that resemble them, with spaced letters as a word, without a repeated word. Empty for most names. Listed names are read
 * as printed, because publishers make fewer mistakes.
 * @param text at most 500 characters, because not all expressions take linear time
 */
export function rereadings(text: string): readonly Rereading[] {
  if (!MAY_HAVE_REREADING.test(text)) return [];
  return [...withoutNotes(text), ...otherNames(text)]
    .flatMap((part) => [part, ...withLetters(part), ...withWordJoined(part)])
    .flatMap(({ text: read, remarks }) => {
      const words = wordsOf(read);
      const repeated = words.filter((word, i) => word === words[i - 1]);
      const others = remarks.length > 0 ? [{ words, remarks }] : [];
      if (repeated.length === 0) return others;
      const once = words.filter((word, i) => word !== words[i - 1]);
      return [...others, { words: once, remarks: [...remarks, nameMessages.repeated({ words: repeated.join(', ') })] }];
    });
}

/**
 * Matches texts that may have another reading: with a digit, a mark that begins a note, a word of a note, spaced letters, or a word twice.
 * Most texts do not match.
 */
const MAY_HAVE_REREADING =
  /[\d([/|–—]|\s-\s|\b(?:[AFN][./]?K[./]?A|D[./]?B[./]?A|KNOWN AS|DOING B|TRADING A|PREVIOUSLY|AC?TUAL|CONHECID|CONOCID|SUCE|DENOMINA|RAZ)|^\s*(?:MESSRS|SRE?S|SE[NÑ]|SENHOR|RAZ|PROV|FORN|CLIE|CUST|SUPP|A LA)|\b(?:FORMERLY|EX|ANT|SUCURSAL|FILIAL|AGENCIA|BRANCH|CASA M|HEAD O|NOMB?RE|NOME|SIGLA)|(?<![\p{L}\d.])\p{L}(?: \p{L}(?!\p{L})){3}|(?<!\p{L})(\p{L}{3,})[^\p{L}\d]+\1(?!\p{L})/iu;

/** Labels before a name: `M/S`, `Señores`, `Razón social:`. */
const LABEL =
  /^\s*(?:M\/S|MESSRS|SRES|SRS|SE[NÑ]OR(?:ES)?|SENHORES|RAZ[OÓ]N SOCIAL|RAZ[AÃ]O SOCIAL|PROVEEDOR|FORNECEDOR|CLIENTE|CUSTOMER|SUPPLIER|A LA ORDEN DE)(?=[\s.:])[\s.:]*/i;
/** A tax id, with or without its label, any other number of that length, and the masked CPF in the name of a sole trader. */
const TAX_ID =
  /(?:\b(?:N\.?I\.?T|R\.?U\.?T|R\.?U\.?C|R\.?F\.?C|C\.?N\.?P\.?J|C\.?U\.?I\.?T|C\.?P\.?F|TAX ID|VAT)\b[.:\s]*(?=[A-Z]{0,4}[\d.]{6})[A-Z\d][A-Z\d./-]*|\b\d(?:[./-]?\d){7,}(?:-[\dK])?|\*{3}\d{5}(?:\d\*{2}|\*{3}))/gi;
const PARENTHESES = /\([^()]*(?:\)|$)|\[[^[\]]*(?:\]|$)/g;
/** Words that end the name: the text after them is about the company. */
const ABOUT =
  /[\s,;-](?:FORMERLY|[AFN][./]?K[./]?A|D[./]?B[./]?A|T\/A|C\/O|EX|ANTES|ANTERIORMENTE|ANTIGA|ANTIGUA|SUCURSAL|FILIAL|AGENCIA(?!\s+DE\b)|BRANCH|CASA MATRIZ|HEAD OFFICE|NOMBRE COMERCIAL|NOME FANTASIA|(?:(?:Y )?(?:PUDIENDO|PODR[AÁ]) (?:USAR|UTILIZAR) LA |CUYA |CON |BAJO LA )?SIGLA)(?=[\s.:]).*/is;

/**
 * Returns a text, then the text without each kind of note that it has, removed one after the other. The remarks show no tax id, because it
 * can be that of a person.
 */
function withoutNotes(text: string): readonly Part[] {
  const parts: Part[] = [{ text, remarks: [] }];
  for (const pattern of [LABEL, TAX_ID, PARENTHESES, ABOUT, AFTER_DASH, AFTER_DASH, AFTER_DASH]) {
    const { text: before, remarks } = parts.at(-1) as Part;
    const notes: string[] = [];
    const rest = before.replace(pattern, (note) => {
      notes.push(note.replace(/^[\s,;-]+/, '').trim());
      return ' ';
    });
    const remark = notTaken(notes.join(', '));
    if (notes.length > 0 && LETTERS.test(rest)) parts.push({ text: rest, remarks: [...remarks, remark] });
  }
  return parts;
}

/**
 * Four adjacent letters, which another name must have. Many companies have the same acronym of two or three letters, and `COMO ANTES SAS` has
 * no other name, but a legal form.
 */
const NAMING = /\p{L}{4}/u;
/** Maximum number of other names that are read. Hardly a company has more. */
const MAX_OTHERS = 3;

/**
 * Returns the names before and after marks such as `ANTIGA` and `d/b/a`; none for a text without a mark, and for one that begins with a
 * mark, which may be a name. The remark names the other names.
 */
function otherNames(text: string): readonly Part[] {
  const names = statedNames(text.replace(/\s+/g, ' ').trim()).slice(0, MAX_OTHERS + 1);
  if (names.length === 1 || names[0]?.type !== '') return [];
  return names.flatMap(({ text: name }, i) => {
    const others = names.filter((_, at) => at !== i).map((other) => other.text);
    return (i === 0 ? LETTERS : NAMING).test(name) ? [{ text: name, remarks: [notTaken(others.join(', '))] }] : [];
  });
}

const notTaken = (words: string): Message => nameMessages.notTaken({ words: words.replace(TAX_ID, (id) => id.replace(/\d/g, '*')) });

/** A note after the last dash that follows a blank. The pattern is applied three times, because a name may have several such notes. */
const AFTER_DASH = /[\s,][-–—|/](?:\s[^-–—|/]*)?$/;
/** The remainder without a note must have two adjacent letters; otherwise the note was the name itself. */
const LETTERS = /\p{L}{2}/u;

/** Words and initials, with their dots and apostrophes. */
const TOKENS = /[\p{L}\d./'’]+/gu;

/** The Russian form ООО as digits. It stands at the beginning or at the end of a name. */
const ZEROS = '000';

/** True for letters with digits that all resemble letters, and for `000` at an end of the text. */
const isMixed = (token: string, at: number, text: string): boolean =>
  (/[015]/.test(token) && /\p{L}/u.test(token) && !/[2-46-9]/.test(token)) ||
  (token === ZEROS && (at === 0 || at + token.length === text.length));

/** True for one such digit: `5. DE R.L.`. It is read as a letter only in a text that has other such digits. */
const isLone = (token: string): boolean => /^[015]\.?$/.test(token);

/**
 * Replaces these digits by letters: in one way, or in two if a 1 may be an I or an L; and once more with digits that stand alone, which may be
 * numbers.
 */
function withLetters({ text, remarks }: Part): readonly Part[] {
  const tokens = [...text.matchAll(TOKENS)].map(({ 0: token, index }) => ({ token, index }));
  const mixed = tokens.flatMap(({ token, index }) => (isMixed(token, index, text) ? [token] : []));
  if (mixed.length === 0) return [];
  const lone = tokens.flatMap(({ token }) => (isLone(token) ? [token] : []));
  const spelt = (token: string, one: string): string => token.replace(/0/g, 'O').replace(/1/g, one).replace(/5/g, 'S');
  return (lone.length === 0 ? [mixed] : [mixed, [...mixed, ...lone]]).flatMap((read) =>
    (read.some((token) => token.includes('1')) ? ['I', 'L'] : ['I']).map((one) => ({
      text: text.replace(TOKENS, (token) => (read.includes(token) ? spelt(token, one) : token)),
      remarks: [...remarks, nameMessages.digitsAsLetters({ words: read.join(', ') })],
    })),
  );
}

/** A word in spaced letters. A letter with a point or with other letters is not part of it. */
const SPACED = /(?<![\p{L}\d.])\p{L}(?: \p{L}(?![\p{L}\d.'’])){3,}/gu;

/**
 * Joins spaced letters to one word, where `wordsOf` reads initials, a legal form and a conjunction: `L A S A PERU` as `LASA PERU`, and
 * `M I N E R A Y SOL` both ways, because its Y may be the conjunction.
 */
function withWordJoined({ text, remarks }: Part): readonly Part[] {
  const spaced = text.match(SPACED) ?? [];
  if (spaced.length === 0) return [];
  const joined = { text: text.replace(SPACED, unspaced), remarks: [...remarks, nameMessages.lettersAsWord({ words: spaced.join(', ') })] };
  if (!spaced.some((letters) => / [YE]$/i.test(letters))) return [joined];
  return [joined, { ...joined, text: text.replace(SPACED, (letters) => unspaced(letters.slice(0, -2)) + letters.slice(-2)) }];
}

const unspaced = (letters: string): string => letters.replaceAll(' ', '');
