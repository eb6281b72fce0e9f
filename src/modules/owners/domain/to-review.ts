import type { OwnerMatchKind, OwnerScreening } from '../domain.ts';

/** Numbers of owners of a company for whom a reviewer has something to decide. */
export interface OwnersToReview {
  /** Owners with at least one candidate that is not dismissed. */
  readonly total: number;
  /** Those of them whose own tax id is listed, or that of another branch of the same legal person. */
  readonly byTaxId: number;
  /** Owners without a candidate that a list could not be read for. */
  readonly notCompared: number;
  /** All owners on record. */
  readonly owners: number;
}

const BY_TAX_ID: ReadonlySet<OwnerMatchKind> = new Set(['tax_id', 'root']);

/** Counts the owners to review. @param screenings one for each owner, without dismissed candidates */
export const ownersToReview = (screenings: readonly Pick<OwnerScreening, 'candidates'>[]): OwnersToReview => ({
  total: screenings.filter(({ candidates }) => (candidates?.length ?? 0) > 0).length,
  byTaxId: screenings.filter(({ candidates }) => candidates?.some(({ matchedOn }) => BY_TAX_ID.has(matchedOn))).length,
  notCompared: screenings.filter(({ candidates }) => candidates === null).length,
  owners: screenings.length,
});
