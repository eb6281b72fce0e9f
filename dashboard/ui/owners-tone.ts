import { hasOfficers } from '../../src/domain/company.ts';
import type { Country, Owners, Verdict } from '../api/operations.ts';
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
  return notCompared > 0 || completeness !== 'COMPLETE' || hasOfficers({ country }) ? 'none' : 'low';
}

/** Returns the key of the sentence about the owners to review. No register publishes an id of officers. */
export function reviewKey(country: Country, byTaxId: number): TextKey {
  if (hasOfficers({ country })) return 'officers.review';
  return byTaxId > 0 ? 'owners.reviewById' : 'owners.review';
}

/** Returns the key of the sentence on what the registry publishes about owners; null where it publishes them by name. */
export function publishedKey({ composition, partnersPublished }: Pick<Owners, 'composition' | 'partnersPublished'>): TextKey | null {
  if (composition) return `owners.file.${composition.status}`;
  return partnersPublished ? null : 'owners.officers';
}
