import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { Candidate } from './candidate.ts';

/** A candidate that a person of an account has judged to be another party than the company, or than an owner of it. */
export interface Dismissal extends Pick<Candidate, 'entityId' | 'entryName' | 'recordDigest'> {
  /** UUID. */
  readonly id: string;
  readonly company: CompanyKey;
  /** Public id of the owner whose candidate it was; null for a candidate of the company itself. */
  readonly ownerId: string | null;
  readonly list: SourceName;
  /** Why, in the words of the person. */
  readonly reason: string;
  /** Id of the API key that dismissed it. */
  readonly keyId: string;
  /** Epoch ms. */
  readonly dismissedAt: number;
}

/** The longest reason, in characters. */
export const MAX_REASON = 1_000;
/** Most dismissals of one account. */
export const MAX_DISMISSALS = 10_000;

/** A candidate, and the dismissal that hides it. */
export type Reviewed<C> = C & { readonly dismissal?: Dismissal };

/** Adds to each candidate its dismissal: that of the same record of the list. When the record changes, its digest is another one. */
export const withDismissals = <C extends Pick<Dismissal, 'list' | 'recordDigest'>>(
  candidates: readonly C[],
  dismissals: readonly Dismissal[],
): readonly Reviewed<C>[] =>
  candidates.map((candidate) => {
    const dismissal = dismissals.find(({ list, recordDigest }) => list === candidate.list && recordDigest === candidate.recordDigest);
    return dismissal ? { ...candidate, dismissal } : candidate;
  });
