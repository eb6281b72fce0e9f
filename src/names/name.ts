import type { Message } from '../messages/message.ts';
import { nameMessages } from '../messages/names.ts';
import { withoutAcronym } from './acronym.ts';
import { withGluedForm, withoutLegalForms, withTraderWrittenOut } from './lexicon/legal-forms.ts';
import {
  isAbbreviation,
  isConnector,
  isInitials,
  isKnown,
  readJoined,
  readWord,
  type WordKind,
  withNumbers,
  withPhraseAsWord,
} from './lexicon/lexicon.ts';
import { lostAsBlanks } from './lost-letters.ts';
import { rereadings } from './rereadings.ts';
import { looseKey, spellingKey, withKey } from './spelling-key.ts';
import { boundedName, wordsOf } from './words.ts';

/** A word of a name that is compared. */
export interface NameWord {
  /** Text of the word in capitals, without accents. */
  readonly text: string;
  /** Key of the spelling variants of the word by which it is compared, after abbreviations and translations are resolved. */
  readonly key: string;
  /** Key of the spelling variants of `text`. */
  readonly sound: string;
  /** Key like `sound`, except that `ll` is read as `y`, `gh` as `q`, and `kh` like a pronounced `h`. */
  readonly loose: string;
  readonly kind: WordKind;
  /** Weight of the word for identifying a company, 0 to 1. */
  readonly weight: number;
  /** True for a word that is in no table and may be the abbreviation of a business word. */
  readonly isShort: boolean;
}

/** A name in the form in which it is compared. */
export interface Name {
  readonly words: readonly NameWord[];
  /** Legal forms, which were removed. */
  readonly forms: readonly string[];
  /** Keys of the spelling variants of the full name without blanks: with and without connecting words and legal forms at its end. */
  readonly solid: readonly string[];
  /** Possible spellings of its initials, of four letters or more; empty for fewer than three words. */
  readonly initials: readonly string[];
  /** Sentences that name the words of a searched name that were ignored or read differently. Empty for a name that is read as printed. */
  readonly remarks: readonly Message[];
}

/** Adjacent words of a name that another name may write as one: `count` words from index `from` on. */
export interface Join extends Pick<NameWord, 'text' | 'key'> {
  readonly from: number;
  readonly count: number;
}

/** A name to search for. */
export interface SearchedName extends Name {
  readonly joins: readonly Join[];
}

const WEIGHTS: Readonly<Record<WordKind, number>> = {
  general: 0.12,
  trade: 0.22,
  place: 0.4,
  common: 0.55,
  short: 0.6,
  number: 0.7,
  rare: 1,
};

/** Words of the tables, which are most words of ordinary names. */
const knownWords = new Map<string, NameWord>();

export function toWord(text: string): NameWord {
  const known = knownWords.get(text);
  if (known) return known;
  const { kind, as } = readWord(text);
  const spelt = spellingKey(text);
  const sound = kind === 'short' && spelt.length < text.length ? text : spelt; // initials have no silent letter: HZS is not S
  const key = as === text ? sound : spellingKey(as);
  const word = {
    text,
    key: kind === 'short' ? as : key,
    sound,
    loose: looseKey(text, spelt),
    kind,
    weight: WEIGHTS[kind],
    isShort: isAbbreviation(text),
  };
  if (isKnown(text)) knownWords.set(text, word);
  return word;
}

/** Returns the text and the key of words that another name may write as one. */
export function joined(words: readonly NameWord[]): Pick<NameWord, 'text' | 'key'> {
  let text = '';
  let sound = '';
  for (const word of words) {
    text += word.text;
    sound = withKey(sound, word.sound);
  }
  return { text, key: keyOfJoined(text, sound) };
}

/** @param sound the joined key of the words that `text` consists of */
function keyOfJoined(text: string, sound: string): string {
  const known = readJoined(text);
  if (!known) return isInitials(text) ? text : sound;
  return known.as === text ? sound : spellingKey(known.as);
}

/** Returns all sequences of two and three adjacent words. */
export function joinsOf(words: readonly NameWord[]): readonly Join[] {
  const joins: Join[] = [];
  for (let from = 0; from < words.length; from += 1) {
    let text = '';
    let sound = '';
    for (let count = 1; count <= MAX_JOINED && from + count <= words.length; count += 1) {
      const word = words[from + count - 1] as NameWord;
      text += word.text;
      sound = withKey(sound, word.sound);
      if (count > 1) joins.push({ text, key: keyOfJoined(text, sound), from, count });
    }
  }
  return joins;
}

/** Maximum number of words that another name may write as one. */
const MAX_JOINED = 3;

/** Reads a name without its legal forms, and once more without a final acronym. */
function readWords(all: readonly string[], word: (text: string) => NameWord): readonly Name[] {
  const printed = withNumbers(all);
  const { words, forms } = withoutLegalForms(printed);
  const name = nameOf(words, { forms, printed, word });
  const others = withoutAcronym(words);
  if (!others) return [name];
  return [name, { ...nameOf(others, { forms, printed: others, word }), remarks: [nameMessages.notTaken({ words: words.at(-1) ?? '' })] }];
}

interface Reading {
  readonly forms: readonly string[];
  /** All words, with the legal forms. */
  readonly printed: readonly string[];
  readonly word: (text: string) => NameWord;
}

/** Creates a name from words without legal forms. Connecting words are removed, unless there are no others. */
function nameOf(words: readonly string[], { forms, printed, word }: Reading): Name {
  const core = words.filter((one, i) => !isConnector(one, i, words));
  const telling = core.length > 0 ? core : words;
  const read = telling.map(word);
  const solid: string[] = [];
  if (telling.length < words.length) addSolids(solid, read, read.length);
  const whole = telling.length < words.length ? words.map(word) : read;
  const ends = formsAtEnd(words, printed);
  addSolids(solid, ends.length > 0 ? [...whole, ...ends.map(word)] : whole, whole.length);
  return { words: read, forms: kept(forms), solid: kept(solid), initials: initialsOf(words, telling, forms), remarks: NONE };
}

/** The members of a name that has none of them are one array, because an index keeps hundreds of thousands of names. */
const NONE: readonly never[] = [];

function addNew(all: string[], text: string): void {
  if (!all.includes(text)) all.push(text);
}

/** Copies an array to one without spare room. */
const kept = <T>(all: readonly T[]): readonly T[] => (all.length === 0 ? NONE : [...all]);

/** Returns the words of legal forms that follow the other words, at most `MAX_FORM_WORDS`. */
function formsAtEnd(words: readonly string[], printed: readonly string[]): readonly string[] {
  if (printed.length === words.length || words.some((word, i) => word !== printed[i])) return NONE;
  return printed.slice(words.length, words.length + MAX_FORM_WORDS);
}

/** Maximum number of words of legal forms that are read as a part of a name without blanks. */
const MAX_FORM_WORDS = 6;

/**
 * Adds the keys without blanks of the first `least` words, and of one or more words after them: as joined keys, by which differences at the
 * boundaries of the words do not count, and as one word, which is how a searched name without blanks is read. Initials have no silent
 * letters, so they are not read as part of a word.
 */
function addSolids(found: string[], words: readonly NameWord[], least: number): void {
  let key = '';
  let text = '';
  let isSpelt = true;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] as NameWord;
    key = withKey(key, word.sound);
    text += word.text;
    isSpelt &&= word.kind !== 'short' || word.sound === spellingKey(word.text) || isConnector(word.text, i, words);
    if (i + 1 < least) continue;
    addNew(found, key);
    if (isSpelt) addNew(found, spellingKey(text));
  }
}

/**
 * Returns the readings of a printed name: each name that it contains, also with a legal form split from the last word, and with `CI`
 * written out. Empty for a text without a word.
 * @param word creates a word; an index keeps one for each text
 */
export function readings(text: string, word: (text: string) => NameWord): readonly Name[] {
  const names: Name[] = [];
  for (const printed of printedNames(text)) {
    const words = wordsOf(printed);
    if (words.length === 0) continue;
    names.push(...readWords(words, word));
    for (const others of [withGluedForm(words), withTraderWrittenOut(words)]) if (others) names.push(...readWords(others, word));
  }
  return names;
}

let last: { readonly text: string; readonly names: readonly SearchedName[] } = { text: '', names: [] };

/**
 * Returns the readings of a searched name, independent of any list: first as it is printed, then the others. The result for the last text
 * is cached, because the indexes of all lists read the same name one after the other. What follows the first 500 characters is ignored.
 */
export function readAlone(searched: string): readonly SearchedName[] {
  const text = boundedName(searched);
  if (text !== last.text) {
    const phrase = withPhraseAsWord(wordsOf(text));
    const others = [...(phrase ? [{ words: phrase, remarks: [] }] : []), ...rereadings(text)].flatMap(({ words, remarks }) =>
      [words, withGluedForm(words) ?? []]
        .flatMap((some) => readWords(some, toWord))
        .map((name) => ({ ...name, remarks: [...remarks, ...name.remarks] }))
        .filter((name) => name.words.length > 0),
    );
    last = { text, names: [...readings(text, toWord), ...others].map((name) => ({ ...name, joins: joinsOf(name.words) })) };
  }
  return last.names;
}

/** Minimum and maximum number of initials. Too many names share fewer initials, and acronyms are not longer. */
const MIN_INITIALS = 4;
const MAX_INITIALS = 10;

/**
 * Returns the initials of a name, such as `PDV` and `PDVSA` for `PETROLEOS DE VENEZUELA SA`: with and without connecting words, with a
 * short form (SA for none), and with the C of company.
 */
function initialsOf(words: readonly string[], core: readonly string[], forms: readonly string[]): readonly string[] {
  if (words.length < 3 || words.length > MAX_INITIALS || words.some((word) => /\d/.test(word))) return NONE;
  const [form = ''] = forms;
  const ends = ['', form.length <= 3 ? form || 'SA' : '', /\bCO/.test(form) ? 'C' : ''];
  const found: string[] = [];
  for (const some of core.length === words.length ? [core] : [words, core]) {
    let initials = '';
    for (const word of some) initials += word.charAt(0);
    for (const end of ends) if (initials.length + end.length >= MIN_INITIALS) addNew(found, initials + end);
  }
  return kept(found);
}

/**
 * Returns the names that one printed name contains: itself, with blanks in place of lost characters, its parts around a semicolon, the name
 * without a parenthesis that contains an acronym or a note about a branch, and with `GR.` written out. Other parentheses are part of the
 * name, because two companies may have the same name without them. `GR` without a point is initials.
 */
function printedNames(text: string): readonly string[] {
  const apart = lostAsBlanks(text);
  const whole = apart === null ? [text] : [text, apart];
  const parts = text.includes(' ; ') ? [...whole, ...text.split(' ; ')] : whole;
  if (!/\(|GR\./i.test(text)) return parts;
  const plain = parts.map((part) => part.replace(NOTE, ' ').trim());
  const written = plain.map((part) => part.replace(SHORT_GROUP, 'GROUP'));
  return [...new Set([...parts, ...plain, ...written])];
}

const NOTE = /\((?:[A-Za-z.]{2,7}(?: (?:CO|LTD|LLC|INC)\.?)?|BRANCH[^()]*|branch[^()]*)\)/g;
const SHORT_GROUP = /(?<![\p{L}\d.])GR\.(?![\p{L}\d])/giu;
