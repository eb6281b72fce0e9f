import type { CompanyKey } from '../../../domain/company.ts';
import type { Candidate } from './candidate.ts';

/** A candidate that a person of an account has judged to be another party than the company. */
export interface Dismissal extends Pick<Candidate, 'list' | 'entityId' | 'entryName' | 'recordDigest'> {
  /** UUID. */
  readonly id: string;
  readonly company: CompanyKey;
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
export interface ReviewedCandidate extends Candidate {
  readonly dismissal?: Dismissal;
}

/** Adds to each candidate its dismissal. One of another record of the list does not count: what was judged has changed. */
export const withDismissals = (candidates: readonly Candidate[], dismissals: readonly Dismissal[]): readonly ReviewedCandidate[] =>
  candidates.map((candidate) => {
    const dismissal = dismissals.find(
      ({ list, entityId, recordDigest }) =>
        list === candidate.list && entityId === candidate.entityId && recordDigest === candidate.recordDigest,
    );
    return dismissal ? { ...candidate, dismissal } : candidate;
  });
