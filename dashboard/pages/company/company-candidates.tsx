import { useState } from 'react';
import type { Candidate } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { companyId, type Decision, nameOf, type ShownCompany, withCompanies, withDecision } from '../../state/model.ts';
import { useMay } from '../../state/role.ts';
import { useTexts } from '../../texts/texts.ts';
import { CandidateList } from '../candidates/candidate-list.tsx';
import { CandidateRow } from '../candidates/candidate-row.tsx';

interface Props {
  readonly dashboard: Dashboard;
  readonly company: ShownCompany;
  /** Candidates; null if no names were compared. */
  readonly candidates: readonly Candidate[] | null;
}

const keyOf = ({ list, entityId }: Candidate): string => `${list} ${entityId}`;

/**
 * The candidates of a company. Decisions made here are stored beside the answer, because reading the company again would count on the
 * key's plan.
 */
export function CompanyCandidates({ dashboard: { client, store }, company, candidates }: Props) {
  const texts = useTexts();
  const mayDecide = useMay('DECIDE');
  const [decided, setDecided] = useState<ReadonlyMap<string, Decision>>(new Map());
  const decide = (candidate: Candidate, decision: Decision): void => {
    setDecided((before) => new Map(before).set(keyOf(candidate), decision));
    store.set((state) => {
      const watched = state.companies.get(companyId(company));
      return watched ? withCompanies(state, [withDecision(watched, candidate, decision)]) : state;
    });
  };
  return (
    <section className="panel" aria-labelledby="candidates-title">
      <header>
        <h2 id="candidates-title">{texts('nav.candidates')}</h2>
        <p className="quiet small">{texts('candidates.meaning')}</p>
      </header>
      {candidates === null && <p className="empty">{texts('candidates.notCompared')}</p>}
      {candidates?.length === 0 && <p className="empty">{texts('candidates.noneOfCompany')}</p>}
      <CandidateList>
        {candidates?.map((candidate) => (
          <CandidateRow
            key={keyOf(candidate)}
            client={client}
            company={{ ...company, name: nameOf(company, []).name, record: company.compliance?.registration ?? null }}
            mayDecide={mayDecide}
            candidate={{ ...candidate, ...decided.get(keyOf(candidate)) }}
            comparedAt={null}
            onDecided={(decision) => decide(candidate, decision)}
          />
        ))}
      </CandidateList>
    </section>
  );
}
