import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Client } from '../api/client.ts';
import { type Candidate, ConfirmMatch, DismissMatch, ReopenMatch, UnconfirmMatch } from '../api/operations.ts';
import { asConfirmed, asDismissed, type Decision, UNDECIDED, type WatchedCompany } from '../state/model.ts';
import { useAction } from '../state/use-action.ts';
import { useTexts } from '../texts/texts.ts';
import { Age } from '../ui/age.tsx';
import { Badge } from '../ui/badge.tsx';
import { problemText } from '../ui/problem.ts';

/** A candidate of a company. */
export interface CandidateOf {
  readonly company: Pick<WatchedCompany, 'country' | 'identifier' | 'formattedIdentifier' | 'name'>;
  readonly candidate: Candidate;
}

/** True for an undecided candidate whose tax id is that of the company, which needs no decision. */
export const isMatchedById = ({ matchedById, dismissal, confirmation }: Candidate): boolean => matchedById && !dismissal && !confirmation;

/** True for a candidate that a person must decide about. */
export const isOpen = (candidate: Candidate): boolean => !isMatchedById(candidate) && !candidate.dismissal && !candidate.confirmation;

interface ListProps {
  readonly children: ReactNode;
}

/** A list of candidates. The keys up and down, or k and j, move through it. */
export function CandidateList({ children }: ListProps) {
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
    <ul className="deliveries" ref={list} onKeyDown={onKeyDown}>
      {children}
    </ul>
  );
}

/** The decision for which the person is asked for a reason. */
type Asked = 'dismiss' | 'confirm';

interface RowProps extends CandidateOf {
  readonly client: Client;
  /** Company of the candidate, in lists with several companies. */
  readonly title?: ReactNode;
  /** Epoch ms of the comparison; null if it is shown elsewhere. */
  readonly comparedAt: number | null;
  readonly onDecided: (decision: Decision) => void;
}

/** A candidate. A person confirms or dismisses it with a reason, or withdraws the decision, by buttons or by the keys c, d and r. */
export function CandidateRow({ client, company, candidate, title, comparedAt, onDecided }: RowProps) {
  const texts = useTexts();
  const { list, entityId, entryName, screenedName, decision, score, dismissal, confirmation } = candidate;
  const row = useRef<HTMLLIElement>(null);
  const [asked, ask] = useState<Asked | null>(null);
  const decide = (decided: Decision): void => {
    const next = (row.current?.nextElementSibling ?? row.current?.previousElementSibling) as HTMLElement | null;
    ask(null);
    onDecided(decided);
    next?.focus();
  };
  const dismiss = useAction(client, DismissMatch, (data) => data.dismissMatch && decide(asDismissed(data.dismissMatch.dismissedMatch)));
  const confirm = useAction(client, ConfirmMatch, (data) => data.confirmMatch && decide(asConfirmed(data.confirmMatch.confirmedMatch)));
  const reopen = useAction(client, ReopenMatch, () => decide(UNDECIDED));
  const unconfirm = useAction(client, UnconfirmMatch, () => decide(UNDECIDED));
  const actions = [dismiss, confirm, reopen, unconfirm];
  const isBusy = actions.some((one) => one.isBusy);
  const problem = actions.find((one) => one.problem)?.problem;
  const mayDecide = isOpen(candidate);
  const isDecided = Boolean(dismissal || confirmation);
  const takeBack = (): void => {
    if (dismissal) void reopen.run({ id: dismissal.id });
    else if (confirmation) void unconfirm.run({ id: confirmation.id });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'd' && mayDecide) ask('dismiss');
    else if (event.key === 'c' && mayDecide) ask('confirm');
    else if (event.key === 'r' && isDecided) takeBack();
    else return;
    event.preventDefault();
  };
  const cancel = (): void => {
    ask(null);
    row.current?.focus();
  };
  const submit = (reason: string): void => {
    const { country, identifier } = company;
    void (asked === 'confirm' ? confirm : dismiss).run({ country, identifier, list, entityId, reason });
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys of the list act on the row that has the focus
    <li ref={row} tabIndex={0} data-candidate={entityId} aria-label={`${screenedName}: ${entryName}`} onKeyDown={onKeyDown}>
      <Badge tone={decision === 'MATCH' ? 'high' : 'medium'}>{texts(`candidates.${decision}`)}</Badge>
      <div>
        <p>
          {title} <strong>{entryName}</strong>{' '}
          <span className="quiet small">{score.toLocaleString(texts.language, { style: 'percent' })}</span>
        </p>
        <Details candidate={candidate} comparedAt={comparedAt} />
        {mayDecide && asked && <ReasonForm key={asked} asked={asked} isBusy={isBusy} onSubmit={submit} onCancel={cancel} />}
        {problem && (
          <p className="notice small" role="alert">
            {problemText(problem, texts)}
          </p>
        )}
      </div>
      <div className="row">
        {mayDecide &&
          (['confirm', 'dismiss'] as const).map((one) => (
            <button key={one} type="button" aria-expanded={asked === one} onClick={() => ask(asked === one ? null : one)}>
              {texts(`candidates.${one}`)}
            </button>
          ))}
        {isDecided && (
          <button type="button" disabled={isBusy} onClick={takeBack}>
            {texts('candidates.reopen')}
          </button>
        )}
      </div>
    </li>
  );
}

/** The record of the party, the explanation of the score, and the decision with its key. */
function Details({ candidate, comparedAt }: Pick<RowProps, 'candidate' | 'comparedAt'>) {
  const texts = useTexts();
  const { list, matchedName, explanation, programs, countries, dismissal, confirmation } = candidate;
  return (
    <>
      <p className="quiet small">
        {[list, matchedName, ...programs, ...countries].join(' · ')}
        {comparedAt !== null && (
          <>
            {' · '}
            {texts('candidates.compared')} <Age at={comparedAt} />
          </>
        )}
      </p>
      <p className="small">{explanation}</p>
      {isMatchedById(candidate) && <p className="small">{texts('candidates.matchedById')}</p>}
      {dismissal && (
        <p className="small">
          {texts('candidates.because', { reason: dismissal.reason })} <Age at={dismissal.dismissedAt} />{' '}
          <span className="quiet">{texts('candidates.by', { key: dismissal.dismissedBy.slice(0, 8) })}</span>
        </p>
      )}
      {confirmation && (
        <p className="small">
          <Badge tone="high">{texts('candidates.isConfirmed')}</Badge> {confirmation.reason} <Age at={confirmation.confirmedAt} />{' '}
          <span className="quiet">{texts('candidates.by', { key: confirmation.confirmedBy.slice(0, 8) })}</span>
        </p>
      )}
    </>
  );
}

interface ReasonProps {
  readonly asked: Asked;
  readonly isBusy: boolean;
  readonly onSubmit: (reason: string) => void;
  readonly onCancel: () => void;
}

/** Asks for the reason for which the party is another one, or the company. */
function ReasonForm({ asked, isBusy, onSubmit, onCancel }: ReasonProps) {
  const texts = useTexts();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const reason = field.current?.value.trim() ?? '';
    if (reason !== '') onSubmit(reason);
  };
  const label = texts(`candidates.why.${asked}`);
  return (
    <form className="row" onSubmit={submit} onKeyDown={({ key }) => key === 'Escape' && onCancel()}>
      <input ref={field} required maxLength={1_000} aria-label={label} placeholder={label} />
      <button type="submit" className="primary" disabled={isBusy}>
        {texts(`candidates.${asked}`)}
      </button>
      <button type="button" className="plain" onClick={onCancel}>
        {texts('candidates.cancel')}
      </button>
    </form>
  );
}
