import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { QuipuError } from '../../clients/typescript/src/error.ts';
import { sourceNameIn } from '../../src/messages/source-names.ts';
import { problemOf } from '../api/client.ts';
import { Sources } from '../api/operations.ts';
import { control, type Faults, type MadeUpCompanies } from '../api/sandbox.ts';
import type { Dashboard } from '../state/dashboard.ts';
import { companyId, knownWatched, type WatchedCompany } from '../state/model.ts';
import { useStore } from '../state/store.ts';
import { useWork } from '../state/use-action.ts';
import { useAnswer } from '../state/use-answer.ts';
import { isTextKey, type Texts, useTexts } from '../texts/texts.ts';
import { Lasting } from '../ui/age.tsx';
import { Badge, Flag } from '../ui/badge.tsx';
import { ChangedFields } from '../ui/changed-fields.tsx';
import { lastingText } from '../ui/duration.ts';
import { Link } from '../ui/link.tsx';
import { problemText } from '../ui/problem.ts';
import { companyPath, pathOf } from '../ui/route.ts';
import { NotReadYet } from './answer-notice.tsx';

/** Scenarios of the sandbox. A person can break a source, change a company, and see the change arrive. */
export function SandboxPage({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  return (
    <>
      <header>
        <h1>{texts('nav.sandbox')}</h1>
        <p className="quiet">{texts('sandbox.hint')}</p>
      </header>
      <ChangeCompany dashboard={dashboard} />
      <BreakSource apiKey={dashboard.client.key} />
    </>
  );
}

const STATUSES = ['BAIXADA', 'SUSPENSA', 'INAPTA', 'ATIVA'] as const;

/** A change of the made-up world, and the last known change of its company before it. */
interface Sent {
  readonly company: WatchedCompany;
  /** Epoch ms. */
  readonly at: number;
  /** Id of its newest change before; null for none. */
  readonly before: string | null;
}

function ChangeCompany({ dashboard }: { readonly dashboard: Dashboard }) {
  const { client, store } = dashboard;
  const texts = useTexts();
  const { problem, isBusy, act } = useWork();
  const all = useStore(store, knownWatched);
  const watched = useStore(store, (state) => state.watched);
  /** A change that was detected before the click and arrives after it would pass for the one that was sent. */
  const isLive = useStore(store, ({ connection }) => connection.phase === 'live');
  const [sent, setSent] = useState<Sent | null>(null);
  const fromMonths = useCompaniesOfMonths(client);
  const companies = [...all.values()].filter(({ country, identifier }) => country === 'BR' && !fromMonths?.has(identifier));

  const newestOf = (company: WatchedCompany) => store.get().changes.find((change) => companyId(change.company) === companyId(company));
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const company = all.get(String(form.get('company')));
    if (!company) return;
    void act(async () => {
      const before = newestOf(company)?.observationId ?? null;
      await control(client.key, 'PATCH', `companies/${company.identifier}`, { status: form.get('status') });
      setSent({ company, at: Date.now(), before });
    });
  };
  return (
    <section className="panel" aria-labelledby="change-title">
      <header>
        <h2 id="change-title">{texts('sandbox.change')}</h2>
      </header>
      {watched === null && <NotReadYet dashboard={dashboard} />}
      {fromMonths && <p className="body quiet">{texts('sandbox.fromMonths')}</p>}
      {watched !== null && companies.length === 0 && (
        <p className="empty">{texts(all.size === 0 ? 'companies.none' : 'sandbox.noneChanges')}</p>
      )}
      <form className="body row" onSubmit={submit}>
        <select name="company" aria-label={texts('companies.company')}>
          {companies.map((company) => (
            <option key={companyId(company)} value={companyId(company)}>
              {company.name ?? company.formattedIdentifier}
            </option>
          ))}
        </select>
        <select name="status" aria-label={texts('field.STATUS')}>
          {STATUSES.map((status) => (
            <option key={status} lang="pt">
              {status}
            </option>
          ))}
        </select>
        <button type="submit" className="primary" disabled={isBusy || !isLive || companies.length === 0}>
          {texts('sandbox.apply')}
        </button>
      </form>
      <Problem problem={problem} />
      <div className="body" role="status">
        {sent && <Arrival key={sent.at} store={store} sent={sent} />}
      </div>
    </section>
  );
}

/**
 * Returns the CNPJs that the service answers from its own copy of the registry, whose months have no change of this page; null if it asks the
 * mirrors for every company, and before that is known.
 */
function useCompaniesOfMonths(client: Dashboard['client']): ReadonlySet<string> | null {
  const [cnpjs, setCnpjs] = useState<ReadonlySet<string> | null>(null);
  const { answer } = useAnswer(client, Sources, {});
  const hasCopy = answer?.data?.sources.some(({ name, list }) => name === 'RECEITA_FEDERAL' && list !== null) ?? false;
  useEffect(() => {
    if (!hasCopy) return;
    control<MadeUpCompanies>(client.key, 'GET', 'companies').then(
      ({ companies }) => setCnpjs(new Set(companies.flatMap(({ cnpj, in_months }) => (cnpj !== null && in_months ? [cnpj] : [])))),
      () => setCnpjs(null), // all companies can then be chosen
    );
  }, [client, hasCopy]);
  return cnpjs;
}

/** Tells when the change of a company has arrived. The time stays when later changes arrive. */
function Arrival({ store, sent: { company, at, before } }: { readonly store: Dashboard['store']; readonly sent: Sent }) {
  const texts = useTexts();
  const newest = useStore(store, (state) => state.changes.find((change) => companyId(change.company) === companyId(company)));
  const [arrived, setArrived] = useState<{ readonly change: NonNullable<typeof newest>; readonly ms: number } | null>(null);
  useEffect(() => {
    if (newest && newest.observationId !== before) setArrived((first) => first ?? { change: newest, ms: Date.now() - at });
  }, [newest, before, at]);
  // The name may be read after the change was sent.
  const current = useStore(store, (state) => state.companies.get(companyId(company))) ?? company;
  const name = current.name ?? current.formattedIdentifier;
  if (!arrived)
    return (
      <p>
        {texts('sandbox.waiting', { name })} <Lasting at={at} />
      </p>
    );
  return (
    <div data-arrived={arrived.change.observationId}>
      <p>
        <Badge tone="low">{texts('sandbox.arrived', { time: lastingText(arrived.ms, texts) })}</Badge>{' '}
        <Link href={companyPath(company)}>{name}</Link>
      </p>
      <ChangedFields change={arrived.change} />
    </div>
  );
}

const MODES = ['down', 'status_500', 'slow', 'malformed'] as const;
const REFRESH_MS = 5_000;

/** Returns the words for a fault. One that another client has set may be of a kind without words. */
const modeText = (mode: string, texts: Texts): string => {
  const key = `sandbox.mode.${mode}`;
  return isTextKey(key) ? texts(key) : mode;
};

function BreakSource({ apiKey }: { readonly apiKey: string }) {
  const texts = useTexts();
  const { problem, isBusy, act } = useWork();
  const [known, setKnown] = useState<Faults | null>(null);
  const [unread, setUnread] = useState<QuipuError | null>(null);
  /** Number of readings that were started. The answer to an earlier one is dropped, because a fault may have changed since. */
  const reads = useRef(0);
  const read = async (): Promise<void> => {
    reads.current += 1;
    const own = reads.current;
    const [faults, error] = await control<Faults>(apiKey, 'GET', 'faults').then(
      (one) => [one, null] as const,
      (failure: unknown) => [null, problemOf(failure)] as const,
    );
    if (own !== reads.current) return;
    if (faults) setKnown(faults);
    setUnread(error);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads with the key that the page was opened with
  useEffect(() => {
    void read();
    const timer = setInterval(() => void read(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void act(() => control(apiKey, 'PUT', `faults/${form.get('source')}`, { mode: form.get('mode') }).then(read));
  };
  const faults = Object.entries(known?.faults ?? {});
  return (
    <section className="panel" aria-labelledby="break-title">
      <header className="row spread">
        <h2 id="break-title">{texts('sandbox.break')}</h2>
        <Link href={pathOf('/sources')}>{texts('nav.sources')}</Link>
      </header>
      <form className="body row" onSubmit={submit}>
        <select name="source" aria-label={texts('sandbox.source')} disabled={!known}>
          {known?.sources.map((source) => (
            <option key={source} value={source}>
              {sourceNameIn(source, texts.language)}
            </option>
          ))}
        </select>
        <select name="mode" aria-label={texts('sandbox.fault')}>
          {MODES.map((mode) => (
            <option key={mode} value={mode}>
              {texts(`sandbox.mode.${mode}`)}
            </option>
          ))}
        </select>
        <button type="submit" className="primary" disabled={isBusy || !known}>
          {texts('sandbox.apply')}
        </button>
      </form>
      <Problem problem={problem ?? unread} />
      {known && faults.length === 0 && <p className="empty">{texts('sandbox.noFault')}</p>}
      <ul className="records body">
        {faults.map(([source, { mode }]) => (
          <li key={source} className="row" data-fault={source}>
            <Flag tone="high">{sourceNameIn(source, texts.language)}</Flag>
            <span>{modeText(mode, texts)}</span>
            <button
              type="button"
              disabled={isBusy}
              onClick={() => void act(() => control(apiKey, 'DELETE', `faults/${source}`).then(read))}
            >
              {texts('sandbox.repair')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Problem({ problem }: { readonly problem: QuipuError | null }) {
  const texts = useTexts();
  if (!problem) return null;
  return (
    <p className="notice" role="alert">
      {texts('problem', { message: problemText(problem, texts) })}
    </p>
  );
}
