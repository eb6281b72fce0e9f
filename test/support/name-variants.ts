/** Variation of a listed name by a registry or a clerk. A person would say that it is the same name. */
export type Variation = (name: string, random: () => number) => string | null;

const FORMS =
  /(?:[\s,]+(?:LTDA|S\.?A\.?S|S\.?A|LIMITED LIABILITY COMPANY|PRIVATE LIMITED|LIMITED|LTD|LLC|INC|C\.A|A\.C|S\. DE R\.L|E\.U|EMPRESA UNIPERSONAL|CORP|CO|COMPANY|S\.A\. DE C\.V)\.?)+$/i;
/** Returns a name without the legal form at its end. */
export const without = (name: string): string => name.replace(FORMS, '');

const wordsFrom = (name: string, least: number): readonly number[] =>
  name.split(' ').flatMap((word, i) => (/^[A-Z]+$/.test(word) && word.length >= least ? [i] : []));

/** Changes one word of at least `least` letters; null if there is none. */
function inOneWord(name: string, least: number, random: () => number, change: (word: string) => string): string | null {
  const places = wordsFrom(without(name), least);
  const place = places[Math.floor(random() * places.length)];
  if (place === undefined) return null;
  const words = name.split(' ');
  const changed = change(words[place] as string);
  if (changed === words[place]) return null;
  words[place] = changed;
  return words.join(' ');
}

const inner = (word: string, random: () => number): number => 1 + Math.floor(random() * (word.length - 2));

/** Deletes, doubles, replaces or swaps a letter between the first and the last. */
function edited(word: string, random: () => number): string {
  const i = inner(word, random);
  const letter = 'AEIORSNTLC'.charAt(Math.floor(random() * 10));
  const kind = Math.floor(random() * 4);
  if (kind === 0) return word.slice(0, i) + word.slice(i + 1);
  if (kind === 1) return word.slice(0, i) + letter + word.slice(i);
  if (kind === 2) return word.slice(0, i) + letter + word.slice(i + 1);
  return word.slice(0, i) + word.charAt(i + 1) + word.charAt(i) + word.slice(i + 2);
}

const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/B/, 'V'],
  [/V/, 'B'],
  [/Z/, 'S'],
  [/S(?=[EI])/, 'C'],
  [/C(?=[EI])/, 'S'],
  [/Y/, 'I'],
  [/I(?=[AEO])/, 'Y'],
  [/LL/, 'L'],
  [/SS/, 'S'],
  [/RR/, 'R'],
  [/G(?=[EI])/, 'J'],
  [/J(?=[EI])/, 'G'],
  [/K/, 'C'],
  [/PH/, 'F'],
  [/H/, ''],
];

const SHORT_FORMS: Readonly<Record<string, string>> = {
  INTERNACIONAL: 'INTL',
  INTERNATIONAL: 'INTL',
  COMPANY: 'CO',
  COMPANIA: 'CIA',
  INVERSIONES: 'INV.',
  COMERCIALIZADORA: 'COMERC.',
  INDUSTRIAL: 'IND.',
  INDUSTRIAS: 'IND',
  DISTRIBUIDORA: 'DIST.',
  CONSTRUCTORA: 'CONST.',
  TRANSPORTES: 'TRANSP.',
  GROUP: 'GRP',
  HERMANOS: 'HNOS',
  SERVICIOS: 'SERV.',
  CORPORATION: 'CORP',
  TECHNOLOGY: 'TECH',
  GENERAL: 'GRAL',
  ASOCIADOS: 'ASOC.',
};

const NUMBERS: readonly (readonly [string, string])[] = [
  ['UNO', '1'],
  ['TWO', '2'],
  ['TRES', '3'],
  ['THREE', '3'],
  ['FOUR', '4'],
  ['CUATRO', '4'],
  ['CINCO', '5'],
  ['FIVE', '5'],
  ['SIX', '6'],
  ['SIETE', '7'],
  ['SEVEN', '7'],
  ['EIGHT', '8'],
  ['OCHO', '8'],
  ['NINE', '9'],
  ['DIEZ', '10'],
  ['TWELVE', '12'],
  ['TWENTY', '20'],
  ['MIL', '1000'],
];

/** Other spellings of the legal form at the end of a name. */
const LONG_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\bLTDA\.?$/, 'LIMITADA'],
  [/\bS\.?A\.?S\.?$/, 'SOCIEDAD POR ACCIONES SIMPLIFICADA'],
  [/\bC\.?A\.?$/, 'COMPANIA ANONIMA'],
  [/\bE\.?U\.?$/, 'EMPRESA UNIPERSONAL'],
  [/\bS\.A\. DE C\.V\.?$/, 'SOCIEDAD ANONIMA DE CAPITAL VARIABLE'],
  [/\bS\.?A\.?$/, 'SOCIEDAD ANONIMA'],
  [/\bLLC$/, 'LIMITED LIABILITY COMPANY'],
  [/\bLIMITED LIABILITY COMPANY$/, 'LLC'],
  [/\bJOINT STOCK COMPANY$/, 'JSC'],
  [/\bLTD\.?$/, 'LIMITED'],
  [/\bLIMITED$/, 'LTD'],
  [/\bCO\.?$/, 'COMPANY'],
  [/\bCOMPANY$/, 'CO.'],
];

/** Joins this many adjacent words; null if there are not that many of letters only. */
function joinedWords(name: string, count: number): string | null {
  const words = without(name).split(' ');
  const i = words.findIndex((_, at) => words.slice(at, at + count).filter((word) => /^[A-Z]{3,}$/.test(word)).length === count);
  return i === -1 ? null : [...words.slice(0, i), words.slice(i, i + count).join(''), ...words.slice(i + count)].join(' ');
}

/** Returns the initials of the words, four or more. */
function acronymOf(name: string): string | null {
  const words = without(name)
    .replace(/\(.*\)/, '')
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '' && !/^(?:DE|DEL|LA|EL|LOS|LAS|Y|OF|THE|AND|FOR)$/.test(word));
  return words.length >= 4 && words.every((word) => /^[A-Z]{2,}$/.test(word)) ? words.map((word) => word.charAt(0)).join('') : null;
}

/** Replaces all matches of a pattern; null if there are none. */
function replaced(name: string, pattern: RegExp, by: string): string | null {
  return pattern.test(name) ? name.replace(new RegExp(pattern, 'g'), by) : null;
}

export const VARIATIONS: Readonly<Record<string, Variation>> = {
  'letter case': (name) => name.toLowerCase(),
  accents: (name) =>
    name
      .replace(/A(?=[A-Z]{2})/, 'Á')
      .replace(/O(?=N)/, 'Ó')
      .replace('NI', 'ÑI'),
  punctuation: (name) => name.replace(/[.,()"'-]/g, ' '),
  ampersand: (name) => (/ (?:Y|AND|E) /.test(name) ? name.replace(/ (?:Y|AND|E) /, ' & ') : null),
  'no legal form': (name) => (FORMS.test(name) ? without(name) : null),
  'another legal form': (name) => (FORMS.test(name) ? `${without(name)} E.I.R.L.` : null),
  'a form and a note': (name) => (FORMS.test(name) ? `${without(name)} S.A. E.S.P. EN LIQUIDACION` : null),
  'initials with points': (name) =>
    /\b(?:LTDA|SAS|SA|LLC)$/.test(name) ? name.replace(/\b(SAS|SA|LLC)$/, (form) => `${[...form].join('.')}.`) : null,
  'another order': (name) => {
    const words = without(name).split(' ');
    return words.length > 2 && !/[(;]/.test(name) ? [...words.slice(1), words[0]].join(' ') : null;
  },
  'joined words': (name) => {
    const words = without(name).split(' ');
    const i = words.findIndex((word, at) => /^[A-Z]{4,}$/.test(word) && /^[A-Z]{4,}$/.test(words[at + 1] ?? ''));
    return i === -1 ? null : [...words.slice(0, i), `${words[i]}${words[i + 1]}`, ...words.slice(i + 2)].join(' ');
  },
  'a split word': (name, random) => inOneWord(name, 9, random, (word) => `${word.slice(0, 4)} ${word.slice(4)}`),
  abbreviation: (name) => {
    const words = name.split(' ');
    const i = words.findIndex((word) => SHORT_FORMS[word] !== undefined);
    return i === -1 ? null : words.with(i, SHORT_FORMS[words[i] as string] as string).join(' ');
  },
  'another spelling': (name, random) =>
    inOneWord(name, 5, random, (word) => {
      const rules = SPELLINGS.filter(([from]) => from.test(word.slice(1)));
      const rule = rules[Math.floor(random() * rules.length)];
      return rule ? word.charAt(0) + word.slice(1).replace(...(rule as [RegExp, string])) : word;
    }),
  'a mistake in a word of 8 letters or more': (name, random) => inOneWord(name, 8, random, (word) => edited(word, random)),
  'a mistake in a word of 5 letters or more': (name, random) => inOneWord(name, 5, random, (word) => edited(word, random)),
  'a form written out or abbreviated': (name) => {
    const form = LONG_FORMS.find(([from]) => from.test(name));
    return form ? name.replace(...(form as [RegExp, string])) : null;
  },
  'a glued form': (name, random) =>
    /[A-Z]{5}$/.test(without(name)) ? `${without(name)}${['LTDA', 'SAS', 'SA', 'SPA', 'S.A.', 'S.A.S.'][Math.floor(random() * 6)]}` : null,
  'a number written as a word or as digits': (name) => {
    const pair = NUMBERS.find((one) => one.some((text) => new RegExp(`\\b${text}\\b`).test(name)));
    if (!pair) return null;
    const [word, digits] = pair;
    return new RegExp(`\\b${word}\\b`).test(name)
      ? name.replace(new RegExp(`\\b${word}\\b`), digits)
      : name.replace(new RegExp(`\\b${digits}\\b`), word);
  },
  'three joined words': (name) => joinedWords(name, 3),
  'no double letter': (name, random) =>
    inOneWord(name, 5, random, (word) => word.charAt(0) + word.slice(1).replace(/([B-DF-HJ-NP-TV-Z])\1/, '$1')),
  'no last letter': (name, random) => inOneWord(name, 7, random, (word) => word.slice(0, -1)),
  'll written as y': (name) => replaced(name, /LL(?=[AEIOU])/, 'Y'),
  'y written as ll': (name) => replaced(name, /(?<=[AEIOU])Y(?=[AEIOU])/, 'LL'),
  'kh written as h': (name) => replaced(name, /KH(?=[AEIOU])/, 'H'),
  'no parentheses': (name) => (/[()]/.test(name) ? name.replace(/[()]/g, '') : null),
  'a conjunction': (name) => {
    const words = without(name).split(' ');
    return words.length > 2 && words.every((word) => /^[A-Z]{4,}$/.test(word)) ? words.toSpliced(1, 0, '&').join(' ') : null;
  },
  acronym: (name) => acronymOf(name),
};
