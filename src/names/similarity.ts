import { hashesWithout, hashOf } from './buckets.ts';
import { editDistance } from './edit-distance.ts';
import type { NameWord } from './name.ts';
import { spellingKey } from './spelling-key.ts';

/** Maximum number of letters by which two words may differ, by the length of the longer one. */
const editBudget = (length: number): number => (length <= 4 ? 0 : length < 8 ? 1 : 2);

/**
 * Maximum number of letters by which the keys of spelling variants may differ: `CASTIYO` and `CASTILLO` differ in two letters, their keys
 * in one. It counts as two letters.
 */
const KEY_BUDGET = 1;

/** Minimum length of words that are compared by their keys. */
const LEAST_BY_KEY = 6;

/** Minimum length at which the first letter may differ. */
const FREE_FIRST_LETTER = 7;

/** Minimum length of a loose key by which words are equal. */
const LEAST_LOOSE = 4;

export const SAME_KEY = 0.96;
const SAME_READING = 0.98;
const PLURAL = 0.95;
const ABBREVIATION = 0.85;
/** Factor for a searched word that is in a table, because it is less likely to be another word with a typing error. */
const BOTH_EXIST = 0.9;

/**
 * Returns the similarity of a searched and a listed word, 0 to 1. 1: the same text. 0.96 and above: the same word in another spelling,
 * inflection or language. Below that: a few letters differ. 0: two words.
 */
export function similarity(a: NameWord, b: NameWord): number {
  if (a.text === b.text) return 1;
  if (a.key === b.key) return isBusiness(a) || a.kind === 'number' ? SAME_READING : SAME_KEY;
  if (a.kind === 'number' || b.kind === 'number') return 0;
  if (a.loose === b.loose && a.loose.length >= LEAST_LOOSE) return SAME_KEY;
  if (isPlural(a.text, b.text) || isPlural(b.text, a.text)) return PLURAL;
  if (isBusiness(a) && isBusiness(b) && isBeginning(a.text, b.text)) return ABBREVIATION;
  if (isBusiness(a) || (a.kind !== 'rare' && b.kind !== 'rare')) return 0;
  const shorter = Math.min(a.text.length, b.text.length);
  const longer = Math.max(a.text.length, b.text.length);
  const budget = editBudget(longer);
  if (budget === 0 || (a.text[0] !== b.text[0] && a.key[0] !== b.key[0] && shorter < FREE_FIRST_LETTER)) return 0;
  const edits = editDistance(a.text, b.text, budget);
  if (edits > budget && (shorter < LEAST_BY_KEY || editDistance(a.sound, b.sound, KEY_BUDGET) > KEY_BUDGET)) return 0;
  const alike = 1 - Math.min(edits, 2) / longer;
  return a.kind === 'rare' ? alike : alike * BOTH_EXIST;
}

/** True for a business word, which is in thousands of names and identifies poorly. */
export const isBusiness = ({ kind }: NameWord): boolean => kind === 'general' || kind === 'trade';

const FILLERS = new Set(['COMPANY', 'GROUP', 'CORPORATION', 'ENTERPRISE', 'SOCIEDAD'].map(spellingKey));

/** True for a word that people put before or after any name: `GRUPO NORVAL`, `NORVAL COMPANY`. Names that differ only in such words are the same. */
export const isFiller = ({ key, kind }: NameWord): boolean => kind === 'general' && FILLERS.has(key);

const isBeginning = (a: string, b: string): boolean => Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a));

const isPlural = (one: string, many: string): boolean => one.length >= 4 && (many === `${one}S` || many === `${one}ES`);

/**
 * Calls `found` with hashes of a word. Words with similar letters share at least one. A word with a digit has none, because it must be
 * equal.
 */
export function spellingHashes({ text, sound, loose, kind }: NameWord, found: (hash: number) => void): void {
  if (kind === 'number') return;
  const budget = editBudget(text.length);
  hashesWithout(text, budget, found);
  if (text.endsWith('ES')) found(hashOf(text.slice(0, -2)));
  if (loose !== sound) found(hashOf(loose));
  if (sound !== text) hashesWithout(sound, Math.min(budget, KEY_BUDGET), found);
}
