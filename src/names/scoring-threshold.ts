import type { NameWord } from './name.ts';
import { isBusiness, isFiller } from './similarity.ts';

/** Thresholds that a candidate must reach before it is scored in full. */
export interface ScoringThreshold {
  /** Weight of the words by which names are looked up, and of the business words beside them. */
  readonly lookedUp: number;
  readonly business: number;
  readonly initials: number;
  /** True if all words are business words. Abbreviations in a listed name may stand for any of them. */
  readonly isAllBusiness: boolean;
  /** Minimum share of the words that must agree. */
  readonly minShare: number;
}

/** Weight above that of an initial or abbreviation and the word that it stands for. */
const SHORT_AND_WORD = 2;

/** Number of measures of a listed name: weight of its words that another name must have, weight of its business words, numbers of its initials, abbreviations and words. */
const MEASURES = 5;

/**
 * Accumulates the hits of one search per listed name, and selects the names that are scored in full. One search touches thousands of
 * names, so the measures of a name are adjacent in flat arrays.
 */
export class Findings {
  readonly #measures: Float64Array;
  /**
   * Two sums per name: the weight of its words that were found, and of the searched words that they stand for. They are zero between
   * searches.
   */
  readonly #sums: Float32Array;
  /** The names that were found, in the order of their first hit. */
  readonly #names: Uint32Array;
  #count = 0;

  /** @param names number of listed names */
  constructor(names: number) {
    this.#measures = new Float64Array(names * MEASURES);
    this.#sums = new Float32Array(names * 2);
    this.#names = new Uint32Array(names);
  }

  /** Measures the words of a listed name. It must be called once for each name before the first search. */
  measure(name: number, words: readonly NameWord[]): void {
    const at = name * MEASURES;
    for (const word of words) {
      if (!word.isShort && !isFiller(word)) this.#increase(at, word.weight);
      if (isBusiness(word)) this.#increase(at + 1, word.weight);
      if (isInitial(word)) this.#increase(at + 2, 1);
      if (word.isShort) this.#increase(at + 3, 1);
      this.#increase(at + 4, 1);
    }
  }

  #increase(at: number, by: number): void {
    this.#measures[at] = (this.#measures[at] as number) + by;
  }

  /** @param weight of the listed words that were found in a name @param explained weight of the searched words that they stand for */
  add(name: number, weight: number, explained: number): void {
    const at = name * 2;
    const found = this.#sums[at] as number;
    if (found === 0) {
      this.#names[this.#count] = name;
      this.#count += 1;
    }
    this.#sums[at] = found + weight;
    this.#sums[at + 1] = (this.#sums[at + 1] as number) + explained;
  }

  /**
   * Returns the names that can reach the threshold, and clears the sums. Fillers do not count. Business words, words that were not looked up, and words that
   * initials or abbreviations may stand for count as agreeing. Searched initials stand for at most as many words as the listed name has;
   * otherwise a text of many initials would be similar to every name with which it shares a word.
   */
  take({ lookedUp, business, initials, isAllBusiness, minShare }: ScoringThreshold): number[] {
    const within: number[] = [];
    for (let i = 0; i < this.#count; i += 1) {
      const name = this.#names[i] as number;
      const at = name * MEASURES;
      const agreed = (this.#sums[name * 2] as number) + Math.min(business, this.#measures[at + 1] as number);
      const differ = Math.max(0, (this.#measures[at] as number) - agreed) + Math.max(0, lookedUp - (this.#sums[name * 2 + 1] as number));
      const abbreviated = (this.#measures[at + 2] as number) + (isAllBusiness ? (this.#measures[at + 3] as number) : 0);
      const short = Math.min(initials, this.#measures[at + 4] as number) + abbreviated;
      const left = Math.max(0, differ - short * SHORT_AND_WORD);
      if ((2 * agreed) / (2 * agreed + left) >= minShare) within.push(name);
      this.#sums[name * 2] = 0;
      this.#sums[name * 2 + 1] = 0;
    }
    this.#count = 0;
    return within;
  }
}

/** True for a word of one letter, which may stand for a word that begins with it. */
export const isInitial = ({ text }: NameWord): boolean => text.length === 1;

/** Returns the weight of the words that another name must have: without possible abbreviations, and without fillers. */
export const weightInFull = (words: readonly NameWord[]): number => totalWeight(words.filter((word) => !word.isShort && !isFiller(word)));

export const totalWeight = (words: readonly NameWord[]): number => words.reduce((sum, { weight }) => sum + weight, 0);
