import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type Candidate, DismissedMatches, DismissMatch, ReopenMatch } from '../api/operations.ts';
import type { Dashboard } from '../state/dashboard.ts';
import { companyId, type WatchedCompany, withCompanies, withDecision, withDismissals } from '../state/model.ts';
import { READ_AT_ONCE, uncompared, unread } from '../state/portfolio.ts';
import { useStore } from '../state/store.ts';
import { useAction } from '../state/use-action.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useTexts } from '../texts/texts.ts';
import { Age } from '../ui/age.tsx';
import { Badge } from '../ui/badge.tsx';
import { Link } from '../ui/link.tsx';
import { problemText } from '../ui/problem.ts';
import { companyPath } from '../ui/route.ts';

/** A candidate of a watched company. */
interface Row {
  readonly company: WatchedCompany;
  readonly candidate: Candidate;
}

const keyOf = ({ company, candidate: { list, entityId } }: Row): string => `${companyId(company)} ${list} ${entityId}`;

/** Best first; a name that is the same comes before one that resembles it. */
const rowsOf = (companies: Iterable<WatchedCompany>): readonly Row[] =>
  [...companies]
    .flatMap((company) => (company.candidates ?? []).map((candidate) => ({ company, candidate })))
    .sort((a, b) => a.candidate.decision.localeCompare(b.candidate.decision) || b.candidate.score - a.candidate.score);

/** Parties of sanctions lists whose names resemble those of watched companies: a person dismisses each with a reason, or reopens it. */
export function CandidatesPage({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const state = useStore(dashboard.store, (one) => one);
  const dismissed = useAnswer(dashboard.client, DismissedMatches, {});
  const dismissals = dismissed.answer?.data?.dismissedMatches?.nodes;
  useEffect(() => {
    if (dismissals) dashboard.store.set((before) => withDismissals(before, dismissals));
  }, [dashboard, dismissals]);
  const rows = rowsOf(state.companies.values());
  const open = rows.filter(({ candidate }) => !candidate.dismissal);
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
        rows={open}
        empty={texts(state.watched === 0 ? 'companies.none' : 'candidates.none')}
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

/** Up and down, or k and j, move through the list. */
function Group({ dashboard, title, rows, empty }: GroupProps) {
  const list = useRef<HTMLUListElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step === undefined || event.target instanceof HTMLInputElement) return;
    const all = [...(list.current?.querySelectorAll<HTMLElement>('[data-candidate]') ?? [])];
    const at = all.findIndex((one) => one.contains(event.target as Node));
    all[Math.min(Math.max(at + step, 0), all.length - 1)]?.focus();
    event.preventDefault();
  };
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2>
          {title} <span className="quiet small">{rows.length}</span>
        </h2>
      </header>
      {rows.length === 0 && <p className="empty">{empty}</p>}
      <ul className="deliveries" ref={list} onKeyDown={onKeyDown}>
        {rows.map((row) => (
          <CandidateRow key={keyOf(row)} dashboard={dashboard} row={row} />
        ))}
      </ul>
    </section>
  );
}

function CandidateRow({ dashboard: { client, store }, row }: { readonly dashboard: Dashboard; readonly row: Row }) {
  const texts = useTexts();
  const { company, candidate } = row;
  const { list, entryName, matchedName, screenedName, decision, score, explanation, programs, countries, dismissal } = candidate;
  const place = useRef<HTMLLIElement>(null);
  const [isAsking, ask] = useState(false);
  const decide = (decided: typeof dismissal): void => {
    const next = (place.current?.nextElementSibling ?? place.current?.previousElementSibling) as HTMLElement | null;
    store.set((state) => withCompanies(state, [withDecision(company, candidate, decided)]));
    next?.focus();
  };
  const dismiss = useAction(client, DismissMatch, ({ dismissMatch }) => decide(dismissMatch?.dismissedMatch ?? null));
  const reopen = useAction(client, ReopenMatch, () => decide(null));
  const problem = dismiss.problem ?? reopen.problem;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'd' && !dismissal) ask(true);
    else if (event.key === 'r' && dismissal) void reopen.run({ id: dismissal.id });
    else return;
    event.preventDefault();
  };
  const cancel = (): void => {
    ask(false);
    place.current?.focus();
  };
  const submit = (reason: string): void => {
    const { country, identifier } = company;
    void dismiss.run({ country, identifier, list, entityId: candidate.entityId, reason });
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys of the list act on the row that has the focus
    <li ref={place} tabIndex={0} data-candidate={candidate.entityId} aria-label={`${screenedName}: ${entryName}`} onKeyDown={onKeyDown}>
      <Badge tone={decision === 'MATCH' ? 'high' : 'medium'}>{texts(`candidates.${decision}`)}</Badge>
      <div>
        <p>
          <Link href={companyPath(company)}>{company.name ?? company.formattedIdentifier}</Link> <span aria-hidden="true">≈</span>{' '}
          <strong>{entryName}</strong> <span className="quiet small">{score.toLocaleString(texts.language, { style: 'percent' })}</span>
        </p>
        <p className="quiet small">
          {[list, matchedName, ...programs, ...countries].join(' · ')}
          {company.readAt !== null && (
            <>
              {' · '}
              {texts('candidates.compared')} <Age at={company.readAt} />
            </>
          )}
        </p>
        <p className="small">{explanation}</p>
        {dismissal && (
          <p className="small">
            {texts('candidates.because', { reason: dismissal.reason })} <Age at={dismissal.dismissedAt} />
          </p>
        )}
        {isAsking && !dismissal && <ReasonForm isBusy={dismiss.isBusy} onSubmit={submit} onCancel={cancel} />}
        {problem && (
          <p className="notice small" role="alert">
            {problemText(problem, texts)}
          </p>
        )}
      </div>
      {dismissal ? (
        <button type="button" disabled={reopen.isBusy} onClick={() => void reopen.run({ id: dismissal.id })}>
          {texts('candidates.reopen')}
        </button>
      ) : (
        <button type="button" aria-expanded={isAsking} onClick={() => ask(!isAsking)}>
          {texts('candidates.dismiss')}
        </button>
      )}
    </li>
  );
}

interface ReasonProps {
  readonly isBusy: boolean;
  readonly onSubmit: (reason: string) => void;
  readonly onCancel: () => void;
}

/** Asks why the party is another one. */
function ReasonForm({ isBusy, onSubmit, onCancel }: ReasonProps) {
  const texts = useTexts();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const reason = field.current?.value.trim() ?? '';
    if (reason !== '') onSubmit(reason);
  };
  return (
    <form className="row" onSubmit={submit} onKeyDown={({ key }) => key === 'Escape' && onCancel()}>
      <input ref={field} required maxLength={1_000} aria-label={texts('candidates.reason')} placeholder={texts('candidates.reason')} />
      <button type="submit" className="primary" disabled={isBusy}>
        {texts('candidates.dismiss')}
      </button>
      <button type="button" className="plain" onClick={onCancel}>
        {texts('candidates.cancel')}
      </button>
    </form>
  );
}
