import { describe, expect, it } from 'vitest';
import type { Dismissal, OwnerCandidate, Owners, Verdict } from '../../dashboard/api/operations.ts';
import { asDismissed, UNDECIDED } from '../../dashboard/state/decision-log.ts';
import { companyId, initialState } from '../../dashboard/state/model.ts';
import {
  isForAll,
  reviewAfter,
  withLaterOwnerDecisions,
  withOutdated,
  withOwnerDecided,
  withReview,
} from '../../dashboard/state/owner-decisions.ts';
import { watchedCompany } from './watched-company.ts';

const company = watchedCompany();
const [AT, LATER] = ['2026-11-30T10:00:00Z', '2026-11-30T10:00:01Z'];
const candidate = (entityId: string, over: Partial<OwnerCandidate> = {}) =>
  ({
    list: 'OFAC_SDN',
    entityId,
    entryName: entityId,
    matchedOn: 'NAME',
    dismissal: null,
    waitingDecision: null,
    ...over,
  }) as OwnerCandidate;
const owner = (id: string, candidates: readonly OwnerCandidate[] | null, unread = false) => ({
  ...{ id, name: id },
  screening: { candidates, listsChecked: [], listsNotChecked: unread ? [{ list: 'CEIS', reason: 'SOURCE_UNAVAILABLE' }] : [] },
});
const ownersOf = (...owners: readonly unknown[]) => ({ owners }) as unknown as Owners;
const dismissal = (id: string, isWaiting = false) =>
  ({ id, reason: 'Born later.', dismissedAt: '2026-11-30T10:00:00Z', decidedBy: { keyId: 'k', name: 'Ana' }, isWaiting }) as Dismissal;
const dismissed = asDismissed(dismissal('d'));

/** The numbers of owners to review after candidates were dismissed. */
function reviewOf(
  owners: Owners,
  review: NonNullable<Verdict['ownersToReview']>,
  ...decided: readonly (readonly [owner: string, entityId: string])[]
) {
  const { decisions: log } = decided.reduce(
    (state, [ownerId, entityId]) => withOwnerDecided(state, { company, ownerId }, [[candidate(entityId), dismissed]], 5),
    initialState,
  );
  return reviewAfter(review, owners, withLaterOwnerDecisions(owners, { company, log, askedAt: 1 }));
}

describe('decisions about candidates of owners', () => {
  it('are those of one owner of the company, and of answers that were asked for before', () => {
    const owners = ownersOf(owner('a', [candidate('1'), candidate('2')]), owner('b', [candidate('1')]), owner('c', null));
    const { decisions: log } = withOwnerDecided(initialState, { company, ownerId: 'a' }, [[candidate('1'), dismissed]], 5);
    const reasons = (askedAt: number) =>
      withLaterOwnerDecisions(owners, { company, log, askedAt }).owners.map(({ screening }) =>
        screening?.candidates?.map((one) => one.dismissal?.reason ?? null),
      );
    expect(reasons(1)).toEqual([['Born later.', null], [null], undefined]);
    expect(reasons(6)).toEqual([[null, null], [null], undefined]);
  });

  it('lower the number of owners to review when the last candidate of an owner is dismissed', () => {
    const review = { total: 2, byTaxId: 1, notCompared: 0, owners: 3 };
    const owners = ownersOf(
      owner('a', [candidate('1'), candidate('2')]),
      owner('b', [candidate('3', { matchedOn: 'TAX_ID' })]),
      owner('c', []),
    );
    expect(reviewOf(owners, review, ['a', '1'])).toEqual(review);
    expect(reviewOf(owners, review, ['a', '1'], ['a', '2'])).toEqual({ ...review, total: 1 });
    expect(reviewOf(owners, review, ['b', '3'])).toEqual({ ...review, total: 1, byTaxId: 0 });
  });

  it('raise it when a dismissal of the answer is withdrawn', () => {
    const owners = ownersOf(owner('a', [candidate('1', { dismissal: dismissal('d') })]));
    const { decisions: log } = withOwnerDecided(initialState, { company, ownerId: 'a' }, [[candidate('1'), UNDECIDED]], 5);
    const review = { total: 0, byTaxId: 0, notCompared: 0, owners: 1 };
    expect(reviewAfter(review, owners, withLaterOwnerDecisions(owners, { company, log, askedAt: 1 }))).toEqual({ ...review, total: 1 });
  });

  it('clear no owner that a list could not be read for, and none with more candidates than an answer has', () => {
    const review = { total: 1, byTaxId: 0, notCompared: 0, owners: 1 };
    expect(reviewOf(ownersOf(owner('a', [candidate('1')], true)), review, ['a', '1'])).toEqual({ ...review, total: 0, notCompared: 1 });
    const all = Array.from({ length: 20 }, (_, at) => candidate(String(at)));
    expect(reviewOf(ownersOf(owner('a', all)), review, ...all.map(({ entityId }) => ['a', entityId] as const))).toEqual(review);
  });

  it('clear an owner whose answer is full of dismissed candidates, because open ones come first', () => {
    const review = { total: 1, byTaxId: 0, notCompared: 0, owners: 1 };
    const rest = Array.from({ length: 19 }, (_, at) => candidate(`old ${at}`, { dismissal: dismissal('d') }));
    expect(reviewOf(ownersOf(owner('a', [candidate('1'), ...rest])), review, ['a', '1'])).toEqual({ ...review, total: 0 });
  });

  it('change nothing while they wait for a second person', () => {
    const review = { total: 1, byTaxId: 0, notCompared: 0, owners: 1 };
    const owners = ownersOf(owner('a', [candidate('1')]));
    const waiting = asDismissed(dismissal('d', true));
    const { decisions: log } = withOwnerDecided(initialState, { company, ownerId: 'a' }, [[candidate('1'), waiting]], 5);
    const shown = withLaterOwnerDecisions(owners, { company, log, askedAt: 1 });
    expect(shown.owners[0]?.screening?.candidates?.[0]).toMatchObject({ dismissal: null, waitingDecision: { reason: 'Born later.' } });
    expect(reviewAfter(review, owners, shown)).toEqual(review);
  });

  it('are made together about those that rest on a name and do not wait for a second person', () => {
    const waiting = { id: 'd', outcome: 'DISMISSED' } as OwnerCandidate['waitingDecision'];
    const all = [
      candidate('1'),
      candidate('2', { waitingDecision: waiting }),
      candidate('3', { dismissal: dismissal('d') }),
      candidate('4', { matchedOn: 'TAX_ID' }),
    ];
    expect(all.filter(isForAll).map(({ entityId }) => entityId)).toEqual(['1']);
  });

  it('change the list of companies, whose verdict is read again if it is newer than the one on the page', () => {
    const review = { total: 1, byTaxId: 0, notCompared: 0, owners: 1 };
    const verdictAt = (generatedAt: string, total: number) => ({ generatedAt, ownersToReview: { ...review, total } }) as Verdict;
    const listOf = (verdict: Verdict | null) => {
      const watched = watchedCompany({ verdict });
      return { ...initialState, companies: new Map([[companyId(watched), watched]]) };
    };
    const listAfter = (verdict: Verdict | null) =>
      withReview(listOf(verdict), company, verdictAt(AT, 1), 5).companies.get(companyId(company));
    expect(listAfter(verdictAt(AT, 2))).toMatchObject({ verdict: { ownersToReview: review }, isOutdated: false, ownersDecidedAt: 5 });
    expect(listAfter(verdictAt(LATER, 5))).toMatchObject({
      verdict: { ownersToReview: { total: 5 } },
      isOutdated: true,
      ownersDecidedAt: 5,
    });
    expect(listAfter(null)).toMatchObject({ verdict: null, isOutdated: false, ownersDecidedAt: 5 });
    expect(withOutdated(listOf(verdictAt(AT, 2)), company).companies.get(companyId(company))?.isOutdated).toBe(true);
    expect(withReview(initialState, company, verdictAt(AT, 1))).toBe(initialState);
  });
});
