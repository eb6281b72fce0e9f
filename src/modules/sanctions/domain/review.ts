import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey, Country } from '../../../domain/company.ts';
import { type Candidate, MAX_CANDIDATES } from './candidate.ts';

/** Decision of a person of an account about a candidate: it is another party, or it is the company. */
export type Outcome = 'dismissed' | 'confirmed';

/** A decision about a candidate of a company, or of an owner of it. */
export interface Review extends Pick<Candidate, 'entityId' | 'entryName' | 'recordDigest'> {
  /** UUID. */
  readonly id: string;
  readonly company: CompanyKey;
  /** Public id of the owner that the candidate belongs to; null for a candidate of the company itself. */
  readonly ownerId: string | null;
  readonly list: SourceName;
  /** The reason, in the words of the person. */
  readonly reason: string;
  /** Id of the API key that decided. */
  readonly keyId: string;
  /** Name at that time of the person who signed in, else of the key. */
  readonly keyName: string;
  /** Id of the person who signed in; null for a request with the key itself. */
  readonly personId: string | null;
  /** The approval of the decision; null if none was needed, or while it waits. */
  readonly approval: Approval | null;
  /** True while the decision waits for another key. It has no effect until then. */
  readonly isWaiting: boolean;
  /** Epoch ms. */
  readonly decidedAt: number;
}

/** The fields that name a candidate of a company or of its owner. An account has one decision of each outcome about it. */
export type CandidateKey = Pick<Review, 'company' | 'ownerId' | 'list' | 'entityId'>;

/** Returns a text that is equal for decisions about the same candidate only. */
export const candidateKeyText = ({ company: { country, taxId }, ownerId, list, entityId }: CandidateKey): string =>
  JSON.stringify([country, taxId, ownerId, list, entityId]);

/** The second person who approved a decision. */
export interface Approval {
  readonly keyId: string;
  /** Name of the key at that time. */
  readonly keyName: string;
  /** Epoch ms. */
  readonly approvedAt: number;
}

/** Who decides or approves. */
type Author = Pick<Review, 'keyId' | 'keyName' | 'personId'>;

/**
 * True if both may be one person: the same name in any letter case, the same person who signed in, or the same key. Two people who signed in
 * may act through one key.
 */
export function isSamePerson(a: Author, b: Author): boolean {
  if (personOf(a) === personOf(b)) return true;
  return a.personId !== null && b.personId !== null ? a.personId === b.personId : a.keyId === b.keyId;
}

const personOf = ({ keyName }: Pick<Review, 'keyName'>): string => keyName.normalize('NFKC').trim().toLowerCase();

/** A decision that waits for approval. */
export interface WaitingReview extends Review {
  readonly outcome: Outcome;
}

/** The decisions of a page; a condition that is null applies to all. */
export interface ReviewFilter {
  readonly lists: readonly SourceName[] | null;
  readonly country: Country | null;
  /** True for decisions that wait for approval, false for those in force. */
  readonly isWaiting: boolean;
  /** Part of the tax id, of the name of the party, of the reason or of the name of the key. Letter case and accents do not matter. */
  readonly text: string | null;
}

/** Maximum length of the text of a filter, in characters. */
export const MAX_FILTER_TEXT = 100;
/** Maximum number of candidates that one request decides about. */
export const MAX_DECIDED_AT_ONCE = 100;
/** Maximum length of a reason, in characters. */
export const MAX_REASON = 1_000;
/** Maximum number of decisions of each outcome per account. */
export const MAX_REVIEWS = 10_000;

/** The decisions of an account about the candidates of a company, or of an owner of it. */
export interface Decisions extends Readonly<Record<'dismissals' | 'confirmations', readonly Review[]>> {
  readonly waiting: readonly WaitingReview[];
}

/** A candidate, with the dismissal that hides it or the confirmation that marks it, and the decision that waits and has no effect yet. */
export type Reviewed<C> = C & { readonly dismissal?: Review; readonly confirmation?: Review; readonly waiting?: WaitingReview };

/**
 * Adds to each candidate the decision about the same record of the list. A decision about an earlier record does not apply, because the
 * digest differs.
 */
export const withReviews = <C extends Pick<Review, 'list' | 'recordDigest'>>(
  candidates: readonly C[],
  { dismissals, confirmations, waiting }: Decisions,
): readonly Reviewed<C>[] =>
  candidates.map((candidate) => {
    const isAbout = ({ list, recordDigest }: Review): boolean => list === candidate.list && recordDigest === candidate.recordDigest;
    const dismissal = dismissals.find(isAbout);
    const confirmation = confirmations.find(isAbout);
    const pending = waiting.find(isAbout);
    if (!dismissal && !confirmation && !pending) return candidate;
    return { ...candidate, ...(dismissal && { dismissal }), ...(confirmation && { confirmation }), ...(pending && { waiting: pending }) };
  });

/**
 * Returns the candidates of an answer in their order, at most MAX_CANDIDATES. Dismissed ones are left out unless they are requested. Then
 * they have the places that the others leave, because a candidate that nobody has decided about must not be hidden by them.
 */
export function shownCandidates<C extends Pick<Reviewed<unknown>, 'dismissal'>>(
  reviewed: readonly C[],
  includeDismissed: boolean,
): readonly C[] {
  const open = reviewed.filter(({ dismissal }) => !dismissal).slice(0, MAX_CANDIDATES);
  if (!includeDismissed) return open;
  const dismissed = reviewed.filter(({ dismissal }) => dismissal).slice(0, MAX_CANDIDATES - open.length);
  const shown = new Set([...open, ...dismissed]);
  return reviewed.filter((one) => shown.has(one));
}
