import type { NameWord } from './name.ts';

/** What one search asks of a name that it compares in full. */
export interface Reach {
  /** Weight of the words by which names are found, and of the words of business beside them. */
  readonly telling: number;
  readonly business: number;
  readonly initials: number;
  /** True if all words are of business: abbreviations in a listed name may stand for any of them. */
  readonly isAllBusiness: boolean;
  /** The least share of the words that must agree. */
  readonly least: number;
}

/** More than an initial or an abbreviation and a word that it stands for weigh. */
const SHORT_AND_WORD = 2;

/** Measures of a listed name: weight of its words, weight of its words of business, number of initials, number of abbreviations. */
const MEASURES = 4;

/**
 * Adds up what one search finds of each listed name, to tell which names are compared in full. One search touches thousands of names, so
 * the measures of a name lie side by side in flat arrays.
 */
export class Findings {
  readonly #measures: Float64Array;
  /** Per name: the weight of its words that were found, and of the searched words that they stand for. Zero between searches. */
  readonly #sums: Float32Array;
  /** The names that were found, in their order. */
  readonly #names: Uint32Array;
  #count = 0;

  /** @param names the words of each listed name */
  constructor(names: readonly (readonly NameWord[])[], isBusiness: (word: NameWord) => boolean) {
    this.#measures = new Float64Array(names.length * MEASURES);
    this.#sums = new Float32Array(names.length * 2);
    this.#names = new Uint32Array(names.length);
    for (const [i, words] of names.entries()) {
      const counts = [words.filter(isInitial).length, words.filter(({ isShort }) => isShort).length];
      this.#measures.set([weightInFull(words), totalWeight(words.filter(isBusiness)), ...counts], i * MEASURES);
    }
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

  /** The names that can reach the share: words of business, those not looked up and those that initials or abbreviations may stand for are taken to agree. Forgets all. */
  take({ telling, business, initials, isAllBusiness, least }: Reach): number[] {
    const within: number[] = [];
    for (let i = 0; i < this.#count; i += 1) {
      const name = this.#names[i] as number;
      const at = name * MEASURES;
      const agreed = (this.#sums[name * 2] as number) + Math.min(business, this.#measures[at + 1] as number);
      const differ = Math.max(0, (this.#measures[at] as number) - agreed) + Math.max(0, telling - (this.#sums[name * 2 + 1] as number));
      const short = initials + (this.#measures[at + 2] as number) + (isAllBusiness ? (this.#measures[at + 3] as number) : 0);
      const left = Math.max(0, differ - short * SHORT_AND_WORD);
      if ((2 * agreed) / (2 * agreed + left) >= least) within.push(name);
      this.#sums[name * 2] = 0;
      this.#sums[name * 2 + 1] = 0;
    }
    this.#count = 0;
    return within;
  }
}

/** A word of one letter, which may stand for a word that begins with it. */
export const isInitial = ({ text }: NameWord): boolean => text.length === 1;

/** Weight of words, without those that an abbreviation may stand for or that may be one. */
export const weightInFull = (words: readonly NameWord[]): number => totalWeight(words.filter(({ isShort }) => !isShort));

export const totalWeight = (words: readonly NameWord[]): number => words.reduce((sum, { weight }) => sum + weight, 0);
