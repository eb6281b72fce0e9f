import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Client } from '../../api/client.ts';
import { type Candidate, ConfirmMatch, DismissMatch, ReopenMatch, UnconfirmMatch } from '../../api/operations.ts';
import { isMatchedById, isOpen } from '../../state/candidates.ts';
import { asConfirmed, asDismissed, type Decision, UNDECIDED } from '../../state/decision-log.ts';
import { useAction } from '../../state/use-action.ts';
import { useTexts } from '../../texts/texts.ts';
import { Ago } from '../../ui/age.tsx';
import { Badge } from '../../ui/badge.tsx';
import { plainKey } from '../../ui/keys.ts';
import { peopleOf } from '../../ui/people.ts';
import { problemText } from '../../ui/problem.ts';
import { type ComparedCompany, Comparison } from './comparison.tsx';
import { type Asked, ReasonForm } from './reason-form.tsx';
import { WaitingNote } from './waiting-note.tsx';

interface RowProps {
  readonly client: Client;
  readonly company: ComparedCompany;
  readonly candidate: Candidate;
  /** True if the key may decide. */
  readonly mayDecide: boolean;
  /** Choice of the candidate for a decision about several; undefined where none is made. */
  readonly choice?: { readonly isChosen: boolean; readonly toggle: () => void } | undefined;
  /** Company of the candidate, in lists with several companies. */
  readonly title?: ReactNode;
  /** Epoch ms of the comparison; null if it is shown elsewhere. */
  readonly comparedAt: number | null;
  readonly onDecided: (decision: Decision) => void;
}

/**
 * A candidate. A person confirms or dismisses it with a reason, or withdraws the decision, by buttons or by the keys c, d and r. The key x
 * chooses it for a decision about several.
 */
export function CandidateRow({ client, company, candidate, mayDecide, choice, title, comparedAt, onDecided }: RowProps) {
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
  const isUndecided = mayDecide && isOpen(candidate);
  const isDecided = mayDecide && Boolean(dismissal || confirmation);
  const takeBack = (): void => {
    if (dismissal) void reopen.run({ id: dismissal.id });
    else if (confirmation) void unconfirm.run({ id: confirmation.id });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    const key = plainKey(event);
    if (key === 'd' && isUndecided) ask('dismiss');
    else if (key === 'c' && isUndecided) ask('confirm');
    else if (key === 'x' && isUndecided && choice) choice.toggle();
    else if (key === 'r' && isDecided) takeBack();
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
        <Details candidate={candidate} comparedAt={comparedAt} language={company.language} />
        <Comparison client={client} company={company} candidate={candidate} />
        {candidate.waitingDecision && <WaitingNote client={client} waiting={candidate.waitingDecision} onDecided={decide} />}
        {isUndecided && asked && <ReasonForm key={asked} asked={asked} isBusy={isBusy} onSubmit={submit} onCancel={cancel} />}
        {problem && (
          <p className="notice small" role="alert">
            {problemText(problem, texts)}
          </p>
        )}
      </div>
      <div className="row">
        {isUndecided && choice && (
          <label className="choice">
            <input type="checkbox" checked={choice.isChosen} onChange={choice.toggle} /> {texts('decisions.choose')}
          </label>
        )}
        {isUndecided &&
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

interface DetailsProps extends Pick<RowProps, 'candidate' | 'comparedAt'> {
  /** Language of the explanation; undefined if it is that of the page. */
  readonly language: string | undefined;
}

/**
 * The record of the party, the explanation of the score, and the decision with its key. An explanation that was read before in another
 * language is marked: to read it again would count on the key's plan.
 */
function Details({ candidate, comparedAt, language }: DetailsProps) {
  const texts = useTexts();
  const { list, matchedName, explanation, programs, countries, dismissal, confirmation } = candidate;
  return (
    <>
      <p className="quiet small">
        {[sourceNameIn(list, texts.language), matchedName, ...programs, ...countries].join(' · ')}
        {comparedAt !== null && (
          <>
            {' · '}
            {texts('candidates.compared')} <Ago at={comparedAt} />
          </>
        )}
      </p>
      <p className="small" lang={language === texts.language ? undefined : language}>
        {explanation}
      </p>
      {isMatchedById(candidate) && <p className="small">{texts('candidates.matchedById')}</p>}
      {dismissal && (
        <p className="small">
          {texts('candidates.because', { reason: dismissal.reason })} · <Ago at={dismissal.dismissedAt} />{' '}
          <span className="quiet">{peopleOf(dismissal, texts)}</span>
        </p>
      )}
      {confirmation && (
        <p className="small">
          <Badge tone="high">{texts('candidates.isConfirmed')}</Badge> {confirmation.reason} · <Ago at={confirmation.confirmedAt} />{' '}
          <span className="quiet">{peopleOf(confirmation, texts)}</span>
        </p>
      )}
    </>
  );
}
