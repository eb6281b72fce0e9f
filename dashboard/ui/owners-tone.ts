import type { Country, Verdict } from '../api/operations.ts';
import type { TextKey } from '../texts/texts.ts';

/**
 * Returns the tone of the owners of a verdict: none while some could not be compared, or the verdict is not complete, for example because
 * rows of owners could not be read. That is no clearance, and neither is the legal representative alone of a Colombian company.
 */
export function toneOfOwners(
  { total, byTaxId, notCompared }: NonNullable<Verdict['ownersToReview']>,
  completeness: Verdict['completeness'],
  country: Country,
): 'high' | 'medium' | 'low' | 'none' {
  if (byTaxId > 0) return 'high';
  if (total > 0) return 'medium';
  return notCompared > 0 || completeness !== 'COMPLETE' || country === 'CO' ? 'none' : 'low';
}

/** Returns the key of the sentence about the owners to review. Colombia publishes officers only, and no id of theirs. */
export function reviewKey(country: Country, byTaxId: number): TextKey {
  if (country === 'CO') return 'officers.review';
  return byTaxId > 0 ? 'owners.reviewById' : 'owners.review';
}
