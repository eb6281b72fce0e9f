import type { NameWord } from './name.ts';

/** A listed name: weights of all its words, and of its words of business; how many words are an initial. */
export interface Weighed {
  readonly weight: number;
  readonly business: number;
  readonly initials: number;
}

/** What one search asks of a name that it compares in full. */
export interface Reach {
  /** Weight of the words by which names are found, and of the words of business beside them. */
  readonly telling: number;
  readonly business: number;
  readonly initials: number;
  /** The least share of the words that must agree. */
  readonly least: number;
}

/** More than an initial and a word that it stands for weigh. */
const INITIAL_AND_WORD = 2;

/** True if a name can reach the share: its words of business, those not looked up and those that initials may stand for are taken to agree. */
export function isWithinReach(search: Reach, entry: Weighed, found: number, explained: number): boolean {
  const { telling, business, initials, least } = search;
  const agreed = found + Math.min(business, entry.business);
  const differ = Math.max(0, entry.weight - agreed) + Math.max(0, telling - explained);
  const left = Math.max(0, differ - (initials + entry.initials) * INITIAL_AND_WORD);
  return (2 * agreed) / (2 * agreed + left) >= least;
}

/** A word of one letter, which may stand for a word that begins with it. */
export const isInitial = ({ text }: NameWord): boolean => text.length === 1;

/** Weight of words, without those that an abbreviation may stand for or that may be one. */
export const weightInFull = (words: readonly NameWord[]): number => totalWeight(words.filter(({ isShort }) => !isShort));

export const totalWeight = (words: readonly NameWord[]): number => words.reduce((sum, { weight }) => sum + weight, 0);
