import { type AccountLists, knownLists } from '../domain/optional-lists.ts';

/** The columns of `accounts` with the optional lists that an account has chosen. */
export interface AccountListColumns {
  readonly lists: readonly string[];
  readonly verdict_lists: readonly string[];
}

export const toAccountLists = ({ lists, verdict_lists }: AccountListColumns): AccountLists => ({
  answers: knownLists(lists),
  verdicts: knownLists(verdict_lists),
});
