import { useState } from 'react';
import { hasOfficers } from '../../../src/domain/company.ts';
import { CompanyPage as CompanyQuery, type Country, type PublicRecord } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { companyId, nameOf, registrationOf } from '../../state/model.ts';
import { canAssess } from '../../state/portfolio.ts';
import { useStore } from '../../state/store.ts';
import type { Order } from '../../state/timeline.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useDecisions } from '../../state/use-decisions.ts';
import { useOwnerDecisions } from '../../state/use-owner-decisions.ts';
import { useTexts } from '../../texts/texts.ts';
import { Link } from '../../ui/link.tsx';
import { problemText } from '../../ui/problem.ts';
import { RetryNotice } from '../../ui/retry-notice.tsx';
import { pathOf } from '../../ui/route.ts';
import { useTitle } from '../../ui/title.ts';
import { CheckCards } from './check-cards.tsx';
import { CompanyCandidates } from './company-candidates.tsx';
import { CompanyWaiting } from './company-waiting.tsx';
import { DossierHeader } from './dossier-header.tsx';
import { FindingsTable } from './findings-table.tsx';
import { GroupPanel } from './group-panel.tsx';
import { OwnersTable } from './owners-table.tsx';
import { RegistrationPanel } from './registration-panel.tsx';
import { Tenders } from './tenders-chart.tsx';
import { TimelinePanel } from './timeline-panel.tsx';
import { VerdictPanel } from './verdict-panel.tsx';

interface Props {
  readonly dashboard: Dashboard;
  readonly country: Country;
  /** Tax id from the address, with or without punctuation. */
  readonly identifier: string;
}

/**
 * The page of one company, loaded by one query. It is loaded again when the company changes, and in another language, because the service
 * writes its reasons and explanations.
 */
export function CompanyPage({ dashboard, country, identifier }: Props) {
  const texts = useTexts();
  const id = companyId({ country, identifier });
  const version = useStore(dashboard.store, (state) => state.changes.find(({ company }) => companyId(company) === id)?.id ?? '');
  const hasTenders = useStore(dashboard.store, (state) => state.account?.modules.includes('TENDERS') ?? false);
  const hasKyb = useStore(dashboard.store, (state) => state.account?.modules.includes('KYB') ?? false);
  const hasOwners = useStore(dashboard.store, (state) => state.account?.modules.includes('OWNERS') ?? false);
  const consolidated = useStore(dashboard.store, (state) => state.account === null || canAssess(state, country));
  const { answer, askedAt, problem, reload } = useAnswer(
    dashboard.client,
    CompanyQuery,
    { country, identifier, consolidated },
    {
      version: `${version} ${texts.language}`,
    },
  );
  const known = useStore(dashboard.store, (state) => state.companies.get(id)?.name);
  const company = answer?.data?.company ?? null;
  const [orders, setOrders] = useState<readonly Order[]>([]);
  const { candidates, decide } = useDecisions(dashboard, company, askedAt ?? 0);
  const ofOwners = useOwnerDecisions(dashboard, company, askedAt ?? 0);
  const [readRecord, setReadRecord] = useState<PublicRecord>();
  const ofCheck = company ? registrationOf(company) : undefined;
  const registration = ofCheck === undefined ? readRecord : ofCheck;
  const isCompared = company?.compliance?.checks.sanctions ?? company?.sanctions;
  useTitle((company && nameOf(company, []).name) ?? company?.formattedIdentifier ?? identifier);
  const [issued, setIssued] = useState(0);
  const shownProblem = problem ?? answer?.errors.find(({ path }) => path.length <= 1) ?? null;
  return (
    <>
      <Link href={pathOf('')}>← {texts('back')}</Link>
      {shownProblem && (
        <RetryNotice onRetry={reload}>
          {shownProblem.code === 'INVALID_INPUT'
            ? texts('company.notFound', { message: shownProblem.message })
            : texts(company ? 'problem' : 'notRead', { message: problemText(shownProblem, texts) })}
        </RetryNotice>
      )}
      {!company && !shownProblem && <CompanyWaiting name={known ?? identifier} />}
      {company && (
        <>
          <DossierHeader
            dashboard={dashboard}
            company={company}
            errors={answer?.errors ?? []}
            onWatched={() => void dashboard.portfolio.load()}
            onIssued={() => setIssued((before) => before + 1)}
          />
          {consolidated ? (
            <VerdictPanel
              country={country}
              verdict={ofOwners.verdict}
              error={answer?.errors.find(({ path }) => path.includes('compliance')) ?? null}
            />
          ) : (
            <p className="quiet">{texts('company.noVerdict')}</p>
          )}
          <RegistrationPanel client={dashboard.client} {...{ company, registration, hasKyb }} onRead={setReadRecord} />
          <section className="column" aria-labelledby="checks-title">
            <h2 id="checks-title">{texts('company.checks')}</h2>
            <CheckCards company={company} errors={answer?.errors ?? []} />
          </section>
          <FindingsTable company={company} />
          {isCompared && <CompanyCandidates client={dashboard.client} {...{ company, registration, candidates }} onDecided={decide} />}
          {ofOwners.owners && (
            <OwnersTable client={dashboard.client} company={company} owners={ofOwners.owners} onDecided={ofOwners.decide} />
          )}
          {hasOwners && !hasOfficers({ country }) && (
            <GroupPanel client={dashboard.client} {...{ country, identifier }} owners={ofOwners.owners?.owners ?? null} />
          )}
          {hasTenders && company.modules.includes('TENDERS') && (
            <Tenders client={dashboard.client} country={country} identifier={identifier} onRead={setOrders} />
          )}
          <TimelinePanel
            dashboard={dashboard}
            company={company}
            changesError={answer?.errors.find(({ path }) => path[1] === 'changes') ?? null}
            issued={issued}
            onReload={reload}
            candidates={candidates ?? []}
            owners={ofOwners.owners?.owners ?? []}
            orders={orders}
          />
        </>
      )}
    </>
  );
}
