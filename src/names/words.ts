import { withLostLetters } from './lost-letters.ts';

/** Capital letters that Unicode does not decompose. */
const LETTERS = pairs('ẞ=SS Ø=O Đ=D Ð=D Ł=L Æ=AE Œ=OE Þ=TH Ə=A');

/** Cyrillic and Greek letters, without accents, in the spelling that the lists use. Other scripts are not transliterated. */
const SCRIPTS = pairs(
  [
    'А=A Б=B В=V Г=G Д=D Е=E Ж=ZH З=Z И=I К=K Л=L М=M Н=N О=O П=P Р=R С=S Т=T У=U Ф=F Х=KH Ц=TS Ч=CH Ш=SH Щ=SHCH Ъ= Ы=Y Ь= Э=E Ю=YU Я=YA',
    'Є=YE І=I Ґ=G Ђ=DJ Ј=J Љ=LJ Њ=NJ Ћ=C Џ=DZ',
    'Α=A Β=V Γ=G Δ=D Ε=E Ζ=Z Η=I Θ=TH Ι=I Κ=K Λ=L Μ=M Ν=N Ξ=X Ο=O Π=P Ρ=R Σ=S Τ=T Υ=Y Φ=F Χ=CH Ψ=PS Ω=O',
  ].join(' '),
);

/** Parses `A=B C=D` into a table of letters and their replacements. */
function pairs(table: string): Readonly<Record<string, string>> {
  return Object.fromEntries(table.split(' ').map((pair) => pair.split('=') as [string, string]));
}

const FOREIGN = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
const SCRIPT = new RegExp(`[${Object.keys(SCRIPTS).join('')}]`, 'g');

/** A legal form that is written without a blank and recognised by its dots or by its letter case: `NORVALS.A.`, `NorvalAG`. */
const POINTED_FORM = /(\p{L}{3})(S\.\s?A\.\s?S|S\.\s?P\.\s?A|S\.\s?A|L\.\s?L\.\s?C|C\.\s?A)(?=\W|$)/giu;
const CAMEL_FORM = /(\p{Ll}{3})(AG|SA|SAS|SAU|SE|NV|BV|AB|GmbH|SpA|SPA|SRL|Ltda?|LTDA?|Inc|INC|LLC|PLC)(?=\W|$)/gu;

/** Characters that are not seen: soft hyphens, zero-width blanks, direction marks, fillers, controls other than blanks, half surrogates. */
const UNSEEN = /(?![\t-\r\u0085])[\p{Cf}\p{Cc}\p{Cs}\u115f\u1160\u3164\uffa0]/gu;

/** Cyrillic and Greek letters that resemble Latin ones. */
const LOOKALIKES = pairs(
  'А=A В=B Е=E І=I Ј=J К=K М=M Н=H О=O Р=P С=C Ѕ=S Т=T У=Y Х=X Ѵ=V Ԛ=Q Ԝ=W Α=A Β=B Ε=E Ζ=Z Η=H Ι=I Κ=K Μ=M Ν=N Ο=O Ρ=P Τ=T Υ=Y Χ=X',
);

/** Letters with dots and without blanks are one word: `S.A.` of `S.A. E.S.P.`, which is not part of the initials after it. */
const POINTED = /(?<![A-Z0-9])[A-Z](?:\.[A-Z])+(?![A-Z0-9])/g;

/** `S/A`, `S/C` and `S/S`: Brazilian legal forms, which are not part of initials before them. */
const SLASHED_FORM = /(?<![A-Z0-9])S\/([ACS])(?![A-Z0-9])/g;

const QUOTES = /['’‘`´"“”]/g;
const MARKS = /[&+/.'’‘`´"“”]/;

/** `AND` between single letters, which is `&` written out: `M AND S`. */
const LETTERS_WITH_AND = /(?<=(?:^| )[A-Z]) (?:AND|UND) (?=[A-Z](?: |$))/g;

/** Maximum length of a name, or of one of several names in a text, that is read, in UTF-16 code units. The rest is ignored. */
const MAX_NAME = 500;

/** Returns the part of a name that is read. */
export const boundedName = (name: string): string => name.slice(0, MAX_NAME);

/**
 * Splits a name into words of A–Z and 0–9, and removes accents, letter case and punctuation. `&` and `+` become `Y`, and adjacent single
 * letters become one word, so that `S.A.`, `S A` and `SA`, or `C & M`, `C AND M` and `C Y M`, are the same.
 */
export function wordsOf(name: string): readonly string[] {
  const plain = withoutMarks(latin(withFormsApart(withLostLetters(boundedName(name)))))
    .replace(/[^A-Z0-9]+/g, ' ')
    .replace(LETTERS_WITH_AND, ' Y ')
    .trim();
  return plain === '' ? [] : joinInitials(plain.split(' '));
}

/** Writes conjunctions and points as `wordsOf` says, and removes apostrophes and quotation marks. Most names have none of these marks. */
function withoutMarks(name: string): string {
  if (!MARKS.test(name)) return name;
  return name
    .replace(/&AMP;|[&+]/g, ' Y ')
    .replace(SLASHED_FORM, 'S$1')
    .replace(POINTED, (letters) => letters.replaceAll('.', ''))
    .replace(QUOTES, '');
}

/** Separates legal forms from words. Most names are in capitals and have no dots within words, so they are not searched for forms. */
function withFormsApart(name: string): string {
  const pointed = name.includes('.') ? name.replace(POINTED_FORM, '$1 $2') : name;
  return /[a-z]/.test(pointed) ? pointed.replace(CAMEL_FORM, '$1 $2') : pointed;
}

/** Converts to capitals without accents, and Cyrillic and Greek to Latin letters. */
function latin(name: string): string {
  if (!/[^\t-\r\x20-\x7e]/.test(name)) return name.toUpperCase();
  return name
    .replace(UNSEEN, '')
    .toUpperCase()
    .replace(/\p{L}+/gu, withoutLookalikes)
    .replace(FOREIGN, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(SCRIPT, (letter) => SCRIPTS[letter] ?? letter);
}

/** Replaces Cyrillic and Greek letters in a Latin word by the Latin letters that look the same. */
function withoutLookalikes(word: string): string {
  if (!/[A-Z]/.test(word)) return word;
  const plain = [...word].map((letter) => LOOKALIKES[letter] ?? letter).join('');
  return /[\u0370-\u052f]/.test(plain) ? word : plain;
}

/** Initials followed by a legal form: `C A D S A`, `S A L L C`. */
const INITIALS_AND_FORM = /^([A-Z]{2,}?)(SAS|SPA|SRL|SA|CA|LLC)$/;

/** Joins adjacent single letters to one word, or to initials and a legal form. A `Y` at either end of them is the conjunction. */
function joinInitials(words: readonly string[]): readonly string[] {
  if (!words.some(isLetter)) return words;
  const joined: string[] = [];
  for (let i = 0; i < words.length; ) {
    let end = i;
    while (isLetter(words[end])) end += 1;
    let start = i;
    if (words[start] === 'Y') start += 1;
    let stop = end;
    if (words[stop - 1] === 'Y') stop -= 1;
    if (stop - start >= 2) {
      joined.push(...words.slice(i, start), ...initialsAndForm(words.slice(start, stop).join('')), ...words.slice(stop, end));
      i = end;
    } else {
      joined.push(words[i] as string);
      i += 1;
    }
  }
  return joined;
}

const initialsAndForm = (run: string): readonly string[] => INITIALS_AND_FORM.exec(run)?.slice(1) ?? [run];

const isLetter = (word: string | undefined): boolean => word?.length === 1 && word >= 'A';
