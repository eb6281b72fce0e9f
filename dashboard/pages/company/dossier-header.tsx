import { useState } from 'react';
import type { QuipuError } from '../../../clients/typescript/src/error.ts';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import { sourcesOf } from '../../state/check-sources.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { nameOf, type ShownCompany } from '../../state/model.ts';
import { canWatch, watchCompanies } from '../../state/paste.ts';
import { useMay } from '../../state/role.ts';
import { useStore } from '../../state/store.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge, RiskBadge, Shape } from '../../ui/badge.tsx';
import { dateText } from '../../ui/date.ts';
import { nameText } from '../../ui/name.ts';
import { WorkButton } from '../work-button.tsx';
import { Receipt } from './receipt.tsx';

interface Props {
  readonly dashboard: Dashboard;
  readonly company: ShownCompany;
  readonly errors: readonly QuipuError[];
  /** Called when the company was added to the watched ones. */
  readonly onWatched: () => void;
  /** Called when a receipt was issued. */
  readonly onIssued: () => void;
}

/** Who the company is, its status and level, the sources of the answer, and what can be done with it. */
export function DossierHeader({ dashboard, company, errors, onWatched, onIssued }: Props) {
  const texts = useTexts();
  const { read, cached, missing } = sourcesOf(company, errors);
  const [answered, all] = [read.length + cached.length, read.length + cached.length + missing.length];
  const record = company.compliance?.registration ?? null;
  return (
    <header className="column dossier">
      <div className="row">
        <h1>{nameText(nameOf(company, errors), texts)}</h1>
        {company.compliance && <RiskBadge verdict={company.compliance} />}
      </div>
      {record?.tradeName && (
        <p>
          {texts('dossier.tradeName')}: <strong>{record.tradeName}</strong>
        </p>
      )}
      <p className="row">
        <span className="number">
          {texts(`country.${company.country}`)} {company.formattedIdentifier}
        </span>
        <Status company={company} />
      </p>
      <p className="quiet row">
        {all > 0 && (
          <span className="small">{texts('company.query', { n: answered, of: all, read: read.length, cached: cached.length })}</span>
        )}
        {missing.length > 0 && (
          <span className="small missing">
            <Shape tone="medium" />{' '}
            {texts('company.missing', { names: missing.map((source) => sourceNameIn(source, texts.language)).join(', ') })}
          </span>
        )}
      </p>
      <Actions dashboard={dashboard} company={company} onWatched={onWatched} onIssued={onIssued} />
    </header>
  );
}

/** Status of the registration, with the date since which it is valid if that is known. */
function Status({ company: { compliance, kyb } }: { readonly company: ShownCompany }) {
  const texts = useTexts();
  const check = compliance?.checks.kyb ?? kyb;
  if (!check) return null;
  const since = compliance?.registration?.statusSince ?? check.endDate;
  return (
    <Badge tone={check.verified ? 'low' : 'medium'}>
      {texts(`kyb.${check.status}`)}
      {since && `, ${texts('dossier.since', { date: dateText(since, texts.language) })}`}
    </Badge>
  );
}

function Actions({ dashboard, company, onWatched, onIssued }: Omit<Props, 'errors'>) {
  const texts = useTexts();
  const hasMonitor = useStore(dashboard.store, (state) => state.account?.modules.includes('MONITOR') ?? false);
  const mayWatch = useMay('DECIDE');
  // To read the company again would count on the key's plan.
  const [isNewlyWatched, setNewlyWatched] = useState(false);
  const isWatched = isNewlyWatched || (company.monitors ? company.monitors.nodes.length > 0 : null);
  async function watch(): Promise<void> {
    await watchCompanies(dashboard.client, [company]);
    setNewlyWatched(true);
    onWatched();
  }
  return (
    <div className="row actions">
      {(isWatched !== null || !hasMonitor) && (
        <Badge tone={isWatched ? 'low' : 'none'}>{texts(isWatched ? 'company.watched' : 'company.unwatched')}</Badge>
      )}
      {isWatched === false && hasMonitor && mayWatch && canWatch(company) && (
        <WorkButton text={texts('dossier.watch')} isPrimary work={watch} />
      )}
      {company.compliance && (
        <Receipt client={dashboard.client} country={company.country} identifier={company.identifier} onIssued={onIssued} />
      )}
      <button type="button" onClick={() => print()}>
        {texts('dossier.print')}
      </button>
      <ShareLink />
    </div>
  );
}

/** Copies the address of the page, which has no key: its reader signs in with their own. */
function ShareLink() {
  const texts = useTexts();
  const [state, setState] = useState<'copied' | 'refused' | null>(null);
  const address = location.origin + location.pathname;
  const copy = (): void =>
    void navigator.clipboard.writeText(address).then(
      () => setState('copied'),
      () => setState('refused'),
    );
  return (
    <>
      {/* Browsers offer the clipboard to pages over TLS and on localhost only. */}
      <button type="button" onClick={() => (navigator.clipboard ? copy() : setState('refused'))}>
        {texts('dossier.share')}
      </button>
      <span role="status" className="small">
        {state === 'copied' && texts('dossier.copied')}
        {state === 'refused' && texts('dossier.address', { address })}
      </span>
    </>
  );
}
