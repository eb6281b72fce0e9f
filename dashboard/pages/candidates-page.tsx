import { useEffect } from 'react';
import { Reviews } from '../api/operations.ts';
import type { Dashboard } from '../state/dashboard.ts';
import { companyId, isPortfolioKnown, type WatchedCompany, withCompanies, withDecision, withDecisions } from '../state/model.ts';
import { READ_AT_ONCE, uncompared, unread } from '../state/portfolio.ts';
import { useStore } from '../state/store.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useTexts } from '../texts/texts.ts';
import { Link } from '../ui/link.tsx';
import { companyPath } from '../ui/route.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { CandidateList, type CandidateOf, CandidateRow, isMatchedById, isOpen } from './candidate-row.tsx';

/** A candidate of a watched company. */
interface Row extends CandidateOf {
  readonly company: WatchedCompany;
}

const keyOf = ({ company, candidate: { list, entityId } }: Row): string => `${companyId(company)} ${list} ${entityId}`;

/** Rows sorted by score, best first. An equal name precedes a similar one. */
const rowsOf = (companies: Iterable<WatchedCompany>): readonly Row[] =>
  [...companies]
    .flatMap((company) => (company.candidates ?? []).map((candidate) => ({ company, candidate })))
    .sort((a, b) => a.candidate.decision.localeCompare(b.candidate.decision) || b.candidate.score - a.candidate.score);

/**
 * Parties of sanctions lists with names similar to those of watched companies. A person confirms or dismisses each with a reason, or
 * reopens it.
 */
export function CandidatesPage({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const state = useStore(dashboard.store, (one) => one);
  const reviews = useAnswer(dashboard.client, Reviews, {}).answer?.data;
  useEffect(() => {
    const { dismissedMatches, confirmedMatches } = reviews ?? {};
    const decided = { dismissals: dismissedMatches?.nodes ?? [], confirmations: confirmedMatches?.nodes ?? [] };
    dashboard.store.set((before) => withDecisions(before, decided));
  }, [dashboard, reviews]);
  const rows = rowsOf(state.companies.values());
  const matchedById = rows.filter(({ candidate }) => isMatchedById(candidate));
  const unassessed = unread(state).length;
  const others = uncompared(state).length;
  return (
    <>
      <header>
        <h1>{texts('nav.candidates')}</h1>
        <p className="quiet">{texts('candidates.hint')}</p>
      </header>
      <div className="row">
        {unassessed > 0 && (
          <button type="button" onClick={() => void dashboard.portfolio.assessMore()}>
            {texts('companies.assess', { n: Math.min(unassessed, READ_AT_ONCE) })}
          </button>
        )}
        {others > 0 && (
          <button type="button" onClick={() => void dashboard.portfolio.compareMore()}>
            {texts('candidates.compare', { n: Math.min(others, READ_AT_ONCE) })}
          </button>
        )}
      </div>
      <Group
        dashboard={dashboard}
        title={texts('candidates.open')}
        rows={rows.filter(({ candidate }) => isOpen(candidate))}
        empty={texts(state.watched === 0 ? 'companies.none' : 'candidates.none')}
      />
      {matchedById.length > 0 && <Group dashboard={dashboard} title={texts('candidates.matchedById')} rows={matchedById} empty="" />}
      <Group
        dashboard={dashboard}
        title={texts('candidates.confirmed')}
        rows={rows.filter(({ candidate }) => candidate.confirmation)}
        empty={texts('candidates.noneConfirmed')}
      />
      <Group
        dashboard={dashboard}
        title={texts('candidates.dismissed')}
        rows={rows.filter(({ candidate }) => candidate.dismissal)}
        empty={texts('candidates.noneDismissed')}
      />
    </>
  );
}

interface GroupProps {
  readonly dashboard: Dashboard;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly empty: string;
}

function Group({ dashboard: { client, store }, title, rows, empty }: GroupProps) {
  const texts = useTexts();
  const isKnown = useStore(store, isPortfolioKnown);
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2>
          {title} <span className="quiet small">{isKnown ? rows.length : <Skeleton />}</span>
        </h2>
      </header>
      {rows.length === 0 && <p className="empty">{isKnown ? empty : texts('loading')}</p>}
      <CandidateList>
        {rows.map(({ company, candidate }) => (
          <CandidateRow
            key={keyOf({ company, candidate })}
            client={client}
            company={company}
            candidate={candidate}
            comparedAt={company.readAt}
            title={
              <>
                <Link href={companyPath(company)}>{company.name ?? company.formattedIdentifier}</Link> <span aria-hidden="true">≈</span>
              </>
            }
            onDecided={(decision) => store.set((state) => withCompanies(state, [withDecision(company, candidate, decision)]))}
          />
        ))}
      </CandidateList>
    </section>
  );
}
