import type { NameWord } from './name.ts';

/** A listed name: weights of all its words, and of its words of business. */
export interface Weighed {
  readonly weight: number;
  readonly business: number;
}

/** What one search asks of a name that it compares in full. */
export interface Reach {
  /** Weight of the words by which names are found, and of the words of business beside them. */
  readonly telling: number;
  readonly business: number;
  /** The least share of the words that must agree. */
  readonly least: number;
}

/** True if a name can reach the share: its words of business and those not looked up are taken to agree. */
export function isWithinReach({ telling, business, least }: Reach, entry: Weighed, found: number, explained: number): boolean {
  const agreed = found + Math.min(business, entry.business);
  const left = Math.max(0, entry.weight - agreed) + Math.max(0, telling - explained);
  return (2 * agreed) / (2 * agreed + left) >= least;
}

export const totalWeight = (words: readonly NameWord[]): number => words.reduce((sum, { weight }) => sum + weight, 0);
