import type { Verdict } from '../api/operations.ts';

/**
 * Returns the tone of the owners of a verdict: none while some could not be compared, or the verdict is not complete, for example because
 * rows of owners could not be read. That is no clearance.
 */
export function toneOfOwners(
  { total, byTaxId, notCompared }: NonNullable<Verdict['ownersToReview']>,
  completeness: Verdict['completeness'],
): 'high' | 'medium' | 'low' | 'none' {
  if (byTaxId > 0) return 'high';
  if (total > 0) return 'medium';
  return notCompared > 0 || completeness !== 'COMPLETE' ? 'none' : 'low';
}
