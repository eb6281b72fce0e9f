import type { Client } from '../../api/client.ts';
import type { Candidate, PublicRecord } from '../../api/operations.ts';
import type { Decision } from '../../state/decision-log.ts';
import { nameOf, type ShownCompany } from '../../state/model.ts';
import { useMay } from '../../state/role.ts';
import { useTexts } from '../../texts/texts.ts';
import { CandidateList } from '../candidates/candidate-list.tsx';
import { CandidateRow } from '../candidates/candidate-row.tsx';

interface Props {
  readonly client: Client;
  readonly company: ShownCompany;
  /** Registration; null if the registry has no such company, undefined if it was not read. */
  readonly registration: PublicRecord | null | undefined;
  /** Candidates; null if no names were compared. */
  readonly candidates: readonly Candidate[] | null;
  readonly onDecided: (candidate: Candidate, decision: Decision) => void;
}

/** The candidates of a company, each with the decision of the account. */
export function CompanyCandidates({ client, company, registration, candidates, onDecided }: Props) {
  const texts = useTexts();
  const mayDecide = useMay('DECIDE');
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
            key={`${candidate.list} ${candidate.entityId}`}
            client={client}
            company={{ ...company, name: nameOf(company, []).name, record: registration }}
            mayDecide={mayDecide}
            candidate={candidate}
            comparedAt={null}
            onDecided={(decision) => onDecided(candidate, decision)}
          />
        ))}
      </CandidateList>
    </section>
  );
}
