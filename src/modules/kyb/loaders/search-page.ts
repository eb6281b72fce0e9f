import { invalidInput } from '../../../domain/errors.ts';
import { companyMessages } from '../../../messages/companies.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import type { Message } from '../../../messages/message.ts';
import type { FoundCompany } from '../domain/company-search.ts';

/** A page of a search. */
export interface SearchPage {
  /** Number of companies, 1 to 100. */
  readonly first: number;
  /** The last company of the previous page. */
  readonly after: Pick<FoundCompany, 'taxId' | 'rank'> | null;
}

const MAX_SEARCHED_NAME = 200;
const MAX_WORDS = 12;

/** @throws AppError INVALID_INPUT */
export function requireLength(name: string): void {
  if (name.length > MAX_SEARCHED_NAME) throw invalidInput('name', fieldMessages.characters({ max: MAX_SEARCHED_NAME }));
}

/** @throws AppError INVALID_INPUT */
export function requireWords(words: readonly string[], ifNone: Message): readonly string[] {
  if (words.length === 0) throw invalidInput('name', ifNone);
  if (words.length > MAX_WORDS) throw invalidInput('name', companyMessages.manyWords({ max: MAX_WORDS }));
  return words;
}
