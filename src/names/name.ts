import { withoutAcronym } from './acronym.ts';
import { withGluedForm, withoutLegalForms, withTraderWrittenOut } from './lexicon/legal-forms.ts';
import { isAbbreviation, isConnector, isKnown, readJoined, readWord, type WordKind, withNumbers } from './lexicon/lexicon.ts';
import { rereadings } from './rereadings.ts';
import { joinedSpellingKey, looseKey, spellingKey } from './spelling-key.ts';
import { wordsOf } from './words.ts';

/** A word of a name that counts. */
export interface NameWord {
  /** Without accents, in capitals. */
  readonly text: string;
  /** The word as which it is compared, in the key of its spelling variants. */
  readonly key: string;
  /** The key of the spelling variants of its text. */
  readonly sound: string;
  /** The same but with `ll` read as `y`, `gh` as `q`, and `kh` and a spoken `h` as one. */
  readonly loose: string;
  readonly kind: WordKind;
  /** How much it says about which company is meant, 0 to 1. */
  readonly weight: number;
  /** True for an unknown word that may be the abbreviation of a word of business. */
  readonly isShort: boolean;
}

/** A name as it is compared. */
export interface Name {
  readonly words: readonly NameWord[];
  /** Legal forms, set aside. */
  readonly forms: readonly string[];
  /** All its words without blanks, in the key of spelling variants: with and without connecting words. */
  readonly solid: readonly string[];
  /** What its initials may be written as, of four letters or more; empty for fewer than three words. */
  readonly initials: readonly string[];
  /** Sentences: what of a searched name was ignored or read otherwise. Empty for a name that is read as printed. */
  readonly remarks: readonly string[];
}

/** Adjacent words of a name that another name may write as one: `count` words from the word number `from`. */
export interface Join extends Pick<NameWord, 'text' | 'key'> {
  readonly from: number;
  readonly count: number;
}

/** A name that is searched. */
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

/** Words of the tables, which are most of the words of ordinary names. */
const knownWords = new Map<string, NameWord>();

export function toWord(text: string): NameWord {
  const known = knownWords.get(text);
  if (known) return known;
  const { kind, as } = readWord(text);
  const spelt = spellingKey(text);
  const sound = kind === 'short' && spelt.length < text.length ? text : spelt; // in initials no letter is silent: HZS is not S
  const key = as === text ? sound : spellingKey(as);
  const word = {
    text,
    key: kind === 'short' ? as : key,
    sound,
    loose: looseKey(text),
    kind,
    weight: WEIGHTS[kind],
    isShort: isAbbreviation(text),
  };
  if (isKnown(text)) knownWords.set(text, word);
  return word;
}

/** The text and the key of words that another name may write as one. */
export function joined(words: readonly NameWord[]): Pick<NameWord, 'text' | 'key'> {
  const text = words.map((word) => word.text).join('');
  const { kind, as } = readJoined(text);
  if (kind === 'short') return { text, key: as };
  return { text, key: as === text ? joinedSpellingKey(words.map(({ sound }) => sound)) : spellingKey(as) };
}

/** Two and three adjacent words each. */
export const joinsOf = (words: readonly NameWord[]): readonly Join[] =>
  words.flatMap((_, from) =>
    [2, 3].flatMap((count) => (from + count <= words.length ? { ...joined(words.slice(from, from + count)), from, count } : [])),
  );

/** Reads a name without its legal forms, and without an acronym at its end. */
function readWords(all: readonly string[], word: (text: string) => NameWord): readonly Name[] {
  const { words, forms } = withoutLegalForms(withNumbers(all));
  const name = nameOf(words, forms, word);
  const others = withoutAcronym(words);
  if (!others) return [name];
  return [name, { ...nameOf(others, forms, word), remarks: [`Not taken as part of the name: ${words.at(-1)}.`] }];
}

/** A name of the words that are no legal form, without those that only connect. A name of nothing else keeps all its words. */
function nameOf(words: readonly string[], forms: readonly string[], word: (text: string) => NameWord): Name {
  const core = words.filter((one, i) => !isConnector(one, i, words));
  const telling = core.length > 0 ? core : words;
  const read = telling.map(word);
  const solid = solidOf(read);
  return {
    words: read,
    forms,
    solid: telling.length === words.length ? [solid] : [solid, solidOf(words.map(word))],
    initials: initialsOf(words, telling, forms),
    remarks: [],
  };
}

const solidOf = (words: readonly NameWord[]): string => joinedSpellingKey(words.map(({ sound }) => sound));

/**
 * The readings of a printed name: of each name that it stands for, of those whose last word may end with a legal form, and with `CI` written
 * out. Empty for a text without a word.
 * @param word creates a word; an index keeps one for each text
 */
export function readings(text: string, word: (text: string) => NameWord): readonly Name[] {
  return printedNames(text)
    .map(wordsOf)
    .flatMap((words) => [words, withGluedForm(words) ?? [], withTraderWrittenOut(words) ?? []])
    .flatMap((words) => readWords(words, word))
    .filter(({ words }) => words.length > 0);
}

let last: { readonly text: string; readonly names: readonly SearchedName[] } = { text: '', names: [] };

/**
 * The readings of a searched name, with words of no list: as it is printed, then otherwise. The last text is kept, because the indexes of
 * all lists read a name in turn.
 */
export function readAlone(text: string): readonly SearchedName[] {
  if (text !== last.text) {
    const others = rereadings(text).flatMap(({ words, remarks }) =>
      [words, withGluedForm(words) ?? []]
        .flatMap((some) => readWords(some, toWord))
        .map((name) => ({ ...name, remarks: [...remarks, ...name.remarks] }))
        .filter((name) => name.words.length > 0),
    );
    last = { text, names: [...readings(text, toWord), ...others].map((name) => ({ ...name, joins: joinsOf(name.words) })) };
  }
  return last.names;
}

/** Fewer initials are those of too many names; more are no acronym. */
const LEAST_INITIALS = 4;
const MOST_INITIALS = 10;

/** `PDV` and `PDVSA` of `PETROLEOS DE VENEZUELA SA`: with and without connecting words, with a short form (SA for none), and the C of company. */
function initialsOf(words: readonly string[], core: readonly string[], forms: readonly string[]): readonly string[] {
  if (words.length < 3 || words.length > MOST_INITIALS || words.some((word) => /\d/.test(word))) return [];
  const [form = ''] = forms;
  const ends = ['', form.length <= 3 ? form || 'SA' : '', /\bCO/.test(form) ? 'C' : ''];
  const found = new Set<string>();
  for (const some of core.length === words.length ? [core] : [words, core]) {
    const initials = some.map((word) => word.charAt(0)).join('');
    for (const end of ends) if (initials.length + end.length >= LEAST_INITIALS) found.add(initials + end);
  }
  return [...found];
}

/**
 * The names that one printed name stands for: itself, its parts around a semicolon, and without a parenthesis that holds an acronym or
 * a note about a branch. Other parentheses are part of the name: without them two companies may have one name.
 */
function printedNames(text: string): readonly string[] {
  const parts = text.includes(' ; ') ? [text, ...text.split(' ; ')] : [text];
  if (!text.includes('(')) return parts;
  const plain = parts.map((part) => part.replace(/\((?:[A-Za-z.]{2,7}|BRANCH[^()]*|branch[^()]*)\)/g, ' ').trim());
  return [...new Set([...parts, ...plain])];
}
