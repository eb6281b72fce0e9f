import { withoutLegalForms } from './lexicon/legal-forms.ts';
import { isConnector, readJoined, readWord, type WordKind } from './lexicon/lexicon.ts';
import { spellingKey } from './spelling-key.ts';
import { wordsOf } from './words.ts';

/** A word of a name that counts. */
export interface NameWord {
  /** Without accents, in capitals. */
  readonly text: string;
  /** The word as which it is compared, in the key of its spelling variants. */
  readonly key: string;
  readonly kind: WordKind;
  /** How much it says about which company is meant, 0 to 1. */
  readonly weight: number;
}

/** A name as it is compared. */
export interface Name {
  readonly words: readonly NameWord[];
  /** Legal forms, set aside. */
  readonly forms: readonly string[];
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

export function toWord(text: string): NameWord {
  const { kind, as } = readWord(text);
  return { text, key: kind === 'short' ? as : spellingKey(as), kind, weight: WEIGHTS[kind] };
}

/** The key of two words that another name may write as one. */
export function joinedKey(one: NameWord, two: NameWord): string {
  const { kind, as } = readJoined(one.text + two.text);
  return kind === 'short' ? as : spellingKey(as);
}

/**
 * Reads a name: its words without legal forms and connecting words. A name of nothing else keeps all its words.
 * @param word creates a word; an index passes its own, which knows the words of its list
 */
export function readName(text: string, word: (text: string) => NameWord = toWord): Name {
  const { words, forms } = withoutLegalForms(wordsOf(text));
  const joined = words.filter((one) => !isConnector(one));
  return { words: (joined.length > 0 ? joined : words).map(word), forms };
}

/**
 * The names that one printed name stands for: itself, its parts around a semicolon, and without a parenthesis that holds an acronym or
 * a note about a branch. Other parentheses are part of the name: without them two companies may have one name.
 */
export function printedNames(text: string): readonly string[] {
  const parts = text.includes(' ; ') ? [text, ...text.split(' ; ')] : [text];
  const plain = parts.map((part) => part.replace(/\((?:[A-Za-z.]{2,7}|BRANCH[^()]*|branch[^()]*)\)/g, ' ').trim());
  return [...new Set([...parts, ...plain])].filter((part) => part !== '');
}
