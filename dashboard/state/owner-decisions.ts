import type { OwnerCandidate, Owners, Verdict } from '../api/operations.ts';
import { candidateKey, type Decision, type DecisionLog, type KnownParts, partsSince, withLearned } from './decision-log.ts';
import { companyId, type DashboardState, type WatchedCompany, withCompanies } from './model.ts';

type CompanyKey = Pick<WatchedCompany, 'country' | 'identifier'>;
export type ShownOwner = Owners['owners'][number];
type Party = Pick<OwnerCandidate, 'list' | 'entityId'>;

const ownerCandidateKey = (company: CompanyKey, ownerId: string, party: Party): string => `${candidateKey(company, party)} ${ownerId}`;

/** True for a candidate that a person must decide about. */
export const isOpenOfOwner = ({ dismissal }: Pick<OwnerCandidate, 'dismissal'>): boolean => !dismissal;

/** Returns the owners of an answer with the decisions that are newer than it. @param askedAt epoch ms at which it was asked for */
export const withLaterOwnerDecisions = (
  owners: Owners,
  { company, log, askedAt }: { readonly company: CompanyKey; readonly log: DecisionLog; readonly askedAt: number },
): Owners => ({
  ...owners,
  owners: owners.owners.map((owner) => ({
    ...owner,
    screening: owner.screening && {
      ...owner.screening,
      candidates:
        owner.screening.candidates?.map((one) => ({ ...one, ...partsSince(log, ownerCandidateKey(company, owner.id, one), askedAt) })) ??
        null,
    },
  })),
});

type Review = NonNullable<Verdict['ownersToReview']>;

/** Maximum number of candidates of an owner in an answer, open ones first. Behind that many open ones there may be more. */
const MOST_CANDIDATES = 20;

/** True for a candidate whose tax id is that of the owner, or of another establishment of the same legal person. */
export const isByTaxId = ({ matchedOn }: Pick<OwnerCandidate, 'matchedOn'>): boolean => matchedOn === 'TAX_ID' || matchedOn === 'ROOT';

/**
 * True for a candidate that is decided about together with all others that rest on a name. One with a decision that waits for a second person is
 * not, because another decision replaces it and its reason.
 */
export const isForAll = (one: OwnerCandidate): boolean => isOpenOfOwner(one) && !isByTaxId(one) && !one.waitingDecision;

/**
 * Returns the numbers of owners to review after decisions on this page. An owner whose candidates are all dismissed was not compared if a
 * list could not be read, and stays to be reviewed if the answer may lack candidates of it.
 * @param before owners as the answer has them, whose numbers are given
 */
export function reviewAfter(review: Review, before: Owners, after: Owners): Review {
  const full = new Set(before.owners.filter(({ screening }) => openOf(screening).length >= MOST_CANDIDATES).map(({ id }) => id));
  const [was, is] = [countsOf(before, full), countsOf(after, full)];
  return {
    ...review,
    total: review.total + is.total - was.total,
    byTaxId: review.byTaxId + is.byTaxId - was.byTaxId,
    notCompared: review.notCompared + is.notCompared - was.notCompared,
  };
}

/** Returns the numbers of an answer. @param full ids of owners of which the answer may lack open candidates, who stay to be reviewed */
function countsOf({ owners }: Owners, full: ReadonlySet<string>): Omit<Review, 'owners'> {
  const found = owners.flatMap(({ id, screening }) => (screening?.candidates?.length ? [{ id, screening, open: openOf(screening) }] : []));
  const toReview = found.filter(({ id, open }) => open.length > 0 || full.has(id));
  return {
    total: toReview.length,
    byTaxId: found.filter(({ open }) => open.some(isByTaxId)).length,
    notCompared: found.filter((one) => !toReview.includes(one) && hasUnreadList(one.screening)).length,
  };
}

const openOf = (screening: ShownOwner['screening']): readonly OwnerCandidate[] => screening?.candidates?.filter(isOpenOfOwner) ?? [];

/** True if a list could not be read that the owner should have been compared with, so that no candidate is no clearance. */
const hasUnreadList = ({ listsNotChecked }: Pick<NonNullable<ShownOwner['screening']>, 'listsNotChecked'>): boolean =>
  listsNotChecked.some(({ reason }) => reason === 'SOURCE_UNAVAILABLE');

/** True for an owner that no comparison clears: none was made, or it has no open candidate and a list could not be read. */
export const isNotCompared = (screening: ShownOwner['screening']): boolean =>
  !screening?.candidates || (hasUnreadList(screening) && !screening.candidates.some(isOpenOfOwner));

/** Returns the state after decisions of a person about candidates of an owner. @param at epoch ms of the decisions */
export function withOwnerDecided(
  state: DashboardState,
  { company, ownerId }: { readonly company: CompanyKey; readonly ownerId: string },
  decided: readonly (readonly [Party, Decision])[],
  at: number = Date.now(),
): DashboardState {
  const decisions = decided.reduce((log, [party, decision]) => {
    const parts: KnownParts = decision;
    return withLearned(log, ownerCandidateKey(company, ownerId, party), parts, at);
  }, state.decisions);
  return { ...state, decisions };
}

/**
 * Returns the state after decisions about owners of a watched company. A verdict of the list that is newer than the one with the numbers may be
 * about other owners and candidates, so it is to be read again.
 * @param at epoch ms of the decisions
 */
export function withReview(
  state: DashboardState,
  company: CompanyKey,
  { generatedAt, ownersToReview }: Pick<Verdict, 'generatedAt' | 'ownersToReview'>,
  at: number = Date.now(),
): DashboardState {
  const watched = state.companies.get(companyId(company));
  if (!watched?.verdict || Date.parse(watched.verdict.generatedAt) > Date.parse(generatedAt)) return withOutdated(state, company, at);
  return withCompanies(state, [{ ...watched, verdict: { ...watched.verdict, ownersToReview }, ownersDecidedAt: at }]);
}

/** Returns the state in which the verdict of a watched company is to be read again. @param at epoch ms of the decision about its owners */
export function withOutdated(state: DashboardState, company: CompanyKey, at: number = Date.now()): DashboardState {
  const watched = state.companies.get(companyId(company));
  if (!watched) return state;
  return withCompanies(state, [{ ...watched, isOutdated: watched.isOutdated || watched.verdict !== null, ownersDecidedAt: at }]);
}
