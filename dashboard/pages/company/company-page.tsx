import { CompanyPage as CompanyQuery, type Country } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { companyId, nameOf, type ShownCompany } from '../../state/model.ts';
import { canAssess } from '../../state/portfolio.ts';
import { useStore } from '../../state/store.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTexts } from '../../texts/texts.ts';
import { Age } from '../../ui/age.tsx';
import { ChangedFields } from '../../ui/changed-fields.tsx';
import { Link } from '../../ui/link.tsx';
import { problemText } from '../../ui/problem.ts';
import { pathOf } from '../../ui/route.ts';
import { useTitle } from '../../ui/title.ts';
import { CheckCards } from './check-cards.tsx';
import { CompanyCandidates } from './company-candidates.tsx';
import { DossierHeader } from './dossier-header.tsx';
import { GroupPanel } from './group-panel.tsx';
import { OwnersTable } from './owners-table.tsx';
import { RegistrationCard } from './registration-card.tsx';
import { Tenders } from './tenders-chart.tsx';
import { VerdictPanel } from './verdict-panel.tsx';

interface Props {
  readonly dashboard: Dashboard;
  readonly country: Country;
  /** Tax id from the address, with or without punctuation. */
  readonly identifier: string;
}

/** The page of one company, loaded by one query. It is loaded again when the company changes. */
export function CompanyPage({ dashboard, country, identifier }: Props) {
  const texts = useTexts();
  const id = companyId({ country, identifier });
  const version = useStore(dashboard.store, (state) => state.changes.find(({ company }) => companyId(company) === id)?.id ?? '');
  const hasTenders = useStore(dashboard.store, (state) => state.account?.modules.includes('TENDERS') ?? false);
  const hasOwners = useStore(dashboard.store, (state) => state.account?.modules.includes('OWNERS') ?? false);
  const consolidated = useStore(dashboard.store, (state) => state.account === null || canAssess(state, country));
  const { answer, problem, reload } = useAnswer(dashboard.client, CompanyQuery, { country, identifier, consolidated }, { version });
  const company = answer?.data?.company;
  const sanctions = company?.compliance?.checks.sanctions ?? company?.sanctions;
  useTitle((company && nameOf(company, []).name) ?? company?.formattedIdentifier ?? identifier);
  function onWatched(): void {
    reload();
    void dashboard.portfolio.load();
  }
  const shownProblem = problem ?? answer?.errors.find(({ path }) => path.length <= 1) ?? null;
  return (
    <>
      <Link href={pathOf('')}>← {texts('back')}</Link>
      {shownProblem && (
        <p className="notice row spread" role="alert">
          {shownProblem.code === 'INVALID_INPUT'
            ? texts('company.notFound', { message: shownProblem.message })
            : texts('problem', { message: problemText(shownProblem, texts) })}
          <button type="button" onClick={reload}>
            {texts('retry')}
          </button>
        </p>
      )}
      {!company && !shownProblem && <p className="quiet">{texts('loading')}</p>}
      {company && (
        <>
          <DossierHeader dashboard={dashboard} company={company} errors={answer?.errors ?? []} onWatched={onWatched} />
          {consolidated ? (
            <VerdictPanel
              country={country}
              verdict={company.compliance ?? null}
              error={answer?.errors.find(({ path }) => path.includes('compliance')) ?? null}
            />
          ) : (
            <p className="quiet">{texts('company.noVerdict')}</p>
          )}
          {company.compliance?.registration && <RegistrationCard record={company.compliance.registration} />}
          <section className="column" aria-labelledby="checks-title">
            <h2 id="checks-title">{texts('company.checks')}</h2>
            <CheckCards company={company} errors={answer?.errors ?? []} />
          </section>
          {sanctions && <CompanyCandidates dashboard={dashboard} company={company} candidates={sanctions.possibleMatches} />}
          {company.compliance?.checks.owners && (
            <OwnersTable client={dashboard.client} company={company} owners={company.compliance.checks.owners} hasGraph={hasOwners} />
          )}
          {hasOwners && country !== 'CO' && <GroupPanel client={dashboard.client} country={country} identifier={identifier} />}
          {hasTenders && company.modules.includes('TENDERS') && (
            <Tenders client={dashboard.client} country={country} identifier={identifier} />
          )}
          <History company={company} />
        </>
      )}
    </>
  );
}

function History({ company: { changes } }: { readonly company: ShownCompany }) {
  const texts = useTexts();
  return (
    <section className="panel" aria-labelledby="history-title">
      <header>
        <h2 id="history-title">{texts('company.history')}</h2>
      </header>
      {!changes?.nodes.length && <p className="empty">{texts('company.noHistory')}</p>}
      <ol className="feed">
        {changes?.nodes.map((change) => (
          <li key={change.id}>
            <span className="quiet small">
              <Age at={change.detectedAt} />
            </span>
            <div>
              <ChangedFields change={change} />
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
