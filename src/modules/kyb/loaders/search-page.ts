import { invalidInput } from '../../../domain/errors.ts';
import type { FoundCompany } from '../domain/company-search.ts';

/** A page of a search. */
export interface SearchPage {
  /** Number of companies, 1 to 100. */
  readonly first: number;
  /** The last company of the previous page. */
  readonly after: Pick<FoundCompany, 'taxId' | 'rank'> | null;
}

export const MAX_SEARCHED_NAME = 200;
const MAX_WORDS = 12;

/** @throws AppError INVALID_INPUT */
export function requireLength(name: string): void {
  if (name.length > MAX_SEARCHED_NAME) throw invalidInput('name', `Give at most ${MAX_SEARCHED_NAME} characters.`);
}

/** @throws AppError INVALID_INPUT */
export function requireWords(words: readonly string[], ifNone: string): readonly string[] {
  if (words.length === 0) throw invalidInput('name', ifNone);
  if (words.length > MAX_WORDS) throw invalidInput('name', `Give at most ${MAX_WORDS} words.`);
  return words;
}
