import { GENERAL_WORDS, TRADE_WORDS } from './business-words.ts';
import { closeWords } from './close-words.ts';
import { COMMON, CONNECTORS, NUMBERS, PLACES } from './common-words.ts';

/** What a word says about which company is meant, least first. `number`: has a digit, or is the word for a number; `rare`: none of the known words. */
export type WordKind = 'general' | 'trade' | 'place' | 'short' | 'common' | 'number' | 'rare';

interface Known {
  readonly kind: WordKind;
  /** The word that it is read as. */
  readonly as: string;
}

const groupsOf = (text: string): readonly (readonly string[])[] => text.split(';').map((group) => group.trim().split(/\s+/));

/** A word in two tables is of the first. */
const KNOWN: ReadonlyMap<string, Known> = new Map(
  [
    ...groupsOf(COMMON).flatMap((words) => words.map((word) => [word, { kind: 'common', as: word }] as const)),
    ...grouped('place', PLACES),
    ...grouped('trade', TRADE_WORDS),
    ...grouped('general', GENERAL_WORDS),
    ...grouped('number', NUMBERS),
  ].filter(([word]) => word !== ''),
);

function grouped(kind: WordKind, text: string): (readonly [string, Known])[] {
  return groupsOf(text).flatMap((words) => words.map((word) => [word, { kind, as: words[0] as string }] as const));
}

/** True for a word of the tables. */
export const isKnown = (word: string): boolean => KNOWN.has(word);

const JOINING = new Set(CONNECTORS.split(' '));

/** True for a word of a name that only joins others. At either end of a name, `DOS` is a number. */
export const isConnector = (word: string, at: number, { length }: readonly string[]): boolean =>
  JOINING.has(word) && !(word === 'DOS' && (at === 0 || at === length - 1));

const LEAST_PREFIX = 6;

/** Beginning of business words that only one word has: `DISTRIBU`. Null where several have it. */
const PREFIXES = prefixesOf([...KNOWN].filter(([, { kind }]) => kind === 'general' || kind === 'trade'));

function prefixesOf(words: readonly (readonly [string, Known])[]): ReadonlyMap<string, Known | null> {
  const prefixes = new Map<string, Known | null>();
  for (const [word, known] of words) {
    for (let length = LEAST_PREFIX; length < word.length; length += 1) {
      const prefix = word.slice(0, length);
      const other = prefixes.get(prefix);
      prefixes.set(prefix, other === undefined || other?.as === known.as ? known : null);
    }
  }
  return prefixes;
}

/** Classifies a word and resolves its abbreviation, inflection or translation: `INTL` is read as `INTERNATIONAL`. */
export function readWord(word: string): Known {
  return KNOWN.get(word) ?? singular(word) ?? misspelt(word) ?? PREFIXES.get(word) ?? unknown(word);
}

/** Classifies two words that are read as one: only as the tables have it. */
export const readJoined = (word: string): Known => KNOWN.get(word) ?? singular(word) ?? unknown(word);

function unknown(word: string): Known {
  if (/\d/.test(word)) return { kind: 'number', as: word };
  return { kind: word.length <= SHORT ? 'short' : 'rare', as: word };
}

/** Initials and syllables: many companies have the same. */
const SHORT = 3;

/** The least length of a business word that is recognised with one mistake. */
const LEAST_MISSPELT = 7;

const CLOSE = closeWords(
  [...KNOWN].flatMap(([word, { kind }]) => ((kind === 'general' || kind === 'trade') && word.length >= LEAST_MISSPELT ? [word] : [])),
);

/** The business word that a word is with one mistake. */
function misspelt(word: string): Known | undefined {
  if (word.length < LEAST_MISSPELT || /\d/.test(word)) return undefined;
  const right = CLOSE(word);
  return right === undefined ? undefined : KNOWN.get(right);
}

function singular(word: string): Known | undefined {
  if (word.length <= SHORT + 1 || !word.endsWith('S')) return undefined;
  return KNOWN.get(word.slice(0, -1)) ?? (word.endsWith('ES') ? KNOWN.get(word.slice(0, -2)) : undefined);
}
