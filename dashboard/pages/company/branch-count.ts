import type { Branches } from '../../api/operations.ts';

type Page = NonNullable<NonNullable<Branches['company']>['branches']>;

/**
 * Returns the number of branches, and whether there may be more than those that were read; null while it is not known.
 * @param read number of branches that were read
 * @param last the last page that was read
 */
export function branchCount(
  read: number,
  { companyKnown, reason, pageInfo }: Pick<Page, 'companyKnown' | 'reason' | 'pageInfo'>,
): { readonly n: number; readonly isLeast: boolean } | null {
  const isLeast = pageInfo.hasNextPage || reason !== null;
  return companyKnown && (read > 0 || !isLeast) ? { n: read, isLeast } : null;
}
