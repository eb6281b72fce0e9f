import type { SourceName } from '../../../domain/catalogue.ts';
import type { AccountLists } from '../../../domain/optional-lists.ts';
import { ALL_SANCTIONS_LISTS, type SanctionsList } from '../../sanctions/domain.ts';
import type { OwnerListLoader, OwnerListScreening } from './screening.ts';

/**
 * Returns the lists that the owners are compared with for an account.
 * @param chosen sanctions lists that a request has chosen, which replace the sanctions lists; null without a choice
 */
export function listsFor(
  { lists, optional }: OwnerListScreening,
  { answers }: AccountLists,
  chosen: readonly SanctionsList[] | null = null,
): readonly OwnerListLoader[] {
  const own = answers.length === 0 ? lists : [...lists, ...optional.filter(({ list }) => answers.some((one) => one === list))];
  if (chosen === null) return own;
  const known = [...lists, ...optional];
  return [...chosen.flatMap((name) => known.filter(({ list }) => list === name)), ...own.filter(({ list }) => !isSanctionsList(list))];
}

const isSanctionsList = (list: SourceName): boolean => ALL_SANCTIONS_LISTS.some((one) => one === list);
