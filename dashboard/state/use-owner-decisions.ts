import type { OwnerCandidate, Owners, Verdict } from '../api/operations.ts';
import type { Dashboard } from './dashboard.ts';
import { type Decision, type DecisionLog, isInForce } from './decision-log.ts';
import type { ShownCompany } from './model.ts';
import { reviewAfter, withLaterOwnerDecisions, withOwnerDecided, withReview } from './owner-decisions.ts';
import { useStore } from './store.ts';

export type OwnerDecided = readonly (readonly [OwnerCandidate, Decision])[];

interface OwnerDecisions {
  /** Owners with the decisions that are newer than the answer about the company; null if they were not read. */
  readonly owners: Owners | null;
  /** The verdict, whose numbers of owners to review follow the decisions; null without one. */
  readonly verdict: Verdict | null;
  readonly decide: (ownerId: string, decided: OwnerDecided) => void;
}

/**
 * The owners of a company. Decisions are stored beside the answer, because reading the company again would count on the key's plan. The list
 * of companies gets the numbers that follow.
 * @param askedAt epoch ms at which the answer about the company was asked for
 */
export function useOwnerDecisions({ store, portfolio }: Dashboard, company: ShownCompany | null, askedAt: number): OwnerDecisions {
  const log = useStore(store, (state) => state.decisions);
  const verdict = company?.compliance ?? null;
  const [read, review] = [verdict?.checks.owners ?? null, verdict?.ownersToReview ?? null];
  if (!company || !verdict || !read) return { owners: null, verdict, decide: () => {} };
  const ownersWith = (decisions: DecisionLog): Owners => withLaterOwnerDecisions(read, { company, log: decisions, askedAt });
  const owners = ownersWith(log);
  return {
    owners,
    verdict: { ...verdict, ownersToReview: review && reviewAfter(review, read, owners) },
    decide: (ownerId, decided) => {
      store.set((before) => {
        const after = withOwnerDecided(before, { company, ownerId }, decided);
        if (!review || !decided.some(([, decision]) => isInForce(decision))) return after;
        const ownersToReview = reviewAfter(review, read, ownersWith(after.decisions));
        return withReview(after, company, { generatedAt: verdict.generatedAt, ownersToReview });
      });
      portfolio.refresh();
    },
  };
}
