import type { Candidate } from '../api/operations.ts';
import type { Dashboard } from './dashboard.ts';
import { withDecided, withLaterDecisions } from './decided.ts';
import type { Decision } from './decision-log.ts';
import type { ShownCompany } from './model.ts';
import { useStore } from './store.ts';

interface Decisions {
  /** Candidates of the company with the decisions that are newer than the answer about it; null if no names were compared. */
  readonly candidates: readonly Candidate[] | null;
  readonly decide: (candidate: Candidate, decision: Decision) => void;
}

/**
 * The candidates of a company. Decisions are stored beside the answer, because reading the company again would count on the key's plan.
 * @param askedAt epoch ms at which the answer about the company was asked for
 */
export function useDecisions({ store }: Dashboard, company: ShownCompany | null, askedAt: number): Decisions {
  const log = useStore(store, (state) => state.decisions);
  const possible = (company?.compliance?.checks.sanctions ?? company?.sanctions)?.possibleMatches;
  return {
    candidates: company && possible ? withLaterDecisions(possible, { company, log, askedAt }) : null,
    decide(candidate, decision) {
      if (company) store.set((state) => withDecided(state, company, candidate, decision));
    },
  };
}
