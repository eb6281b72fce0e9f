import { useState } from 'react';
import type { Candidate } from '../api/operations.ts';
import type { Dashboard } from './dashboard.ts';
import { companyId, type Decision, type ShownCompany, withCompanies, withDecision } from './model.ts';

const keyOf = ({ list, entityId }: Pick<Candidate, 'list' | 'entityId'>): string => `${list} ${entityId}`;

interface Decisions {
  /** Candidates of the company with the decisions made on the page; null if no names were compared. */
  readonly candidates: readonly Candidate[] | null;
  readonly decide: (candidate: Candidate, decision: Decision) => void;
}

/**
 * The candidates of a company. Decisions made on its page are stored beside the answer, because reading the company again would count on
 * the key's plan.
 */
export function useDecisions({ store }: Dashboard, company: ShownCompany | null): Decisions {
  const [decided, setDecided] = useState<ReadonlyMap<string, Decision>>(new Map());
  const sanctions = company?.compliance?.checks.sanctions ?? company?.sanctions;
  return {
    candidates: sanctions?.possibleMatches?.map((one) => ({ ...one, ...decided.get(keyOf(one)) })) ?? null,
    decide(candidate, decision) {
      if (!company) return;
      setDecided((before) => new Map(before).set(keyOf(candidate), decision));
      store.set((state) => {
        const watched = state.companies.get(companyId(company));
        return watched ? withCompanies(state, [withDecision(watched, candidate, decision)]) : state;
      });
    },
  };
}
