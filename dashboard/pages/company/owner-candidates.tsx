import { type ReactNode, type Ref, useRef, useState } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Client } from '../../api/client.ts';
import { type Country, DismissMatch, DismissMatches, type OwnerCandidate, ReopenMatch } from '../../api/operations.ts';
import { asDismissed, UNDECIDED } from '../../state/decision-log.ts';
import { isByTaxId, isForAll } from '../../state/owner-decisions.ts';
import { useMay } from '../../state/role.ts';
import { useAction } from '../../state/use-action.ts';
import type { OwnerDecided } from '../../state/use-owner-decisions.ts';
import { useTexts } from '../../texts/texts.ts';
import { Ago } from '../../ui/age.tsx';
import { Badge } from '../../ui/badge.tsx';
import { dateText } from '../../ui/date.ts';
import { peopleOf } from '../../ui/people.ts';
import { problemText } from '../../ui/problem.ts';
import { ReasonForm } from '../candidates/reason-form.tsx';
import { WaitingNote } from '../candidates/waiting-note.tsx';

/** An owner of a company, whose candidates are shown. */
export interface OwnerOfCompany {
  readonly client: Client;
  readonly company: { readonly country: Country; readonly identifier: string };
  readonly ownerId: string;
  readonly onDecided: (decided: OwnerDecided) => void;
}

interface Props extends OwnerOfCompany {
  readonly candidates: readonly OwnerCandidate[];
}

/**
 * The candidates of an owner. A person dismisses those that rest on a name with a reason, one by one or all, or reopens them. One with the tax
 * id of the owner needs no decision.
 */
export function OwnerCandidates({ candidates, ...owner }: Props) {
  const mayDecide = useMay('DECIDE');
  const list = useRef<HTMLUListElement>(null);
  const named = candidates.filter(isForAll);
  return (
    <>
      <ul ref={list} tabIndex={-1} className="records small">
        {candidates.map((one) => (
          <Row key={`${one.list} ${one.entityId}`} {...owner} candidate={one} mayDecide={mayDecide} />
        ))}
      </ul>
      {mayDecide && named.length > 1 && <DismissAll {...owner} candidates={named} onAll={() => list.current?.focus()} />}
    </>
  );
}

function Row({ candidate, mayDecide, ...owner }: OwnerOfCompany & { readonly candidate: OwnerCandidate; readonly mayDecide: boolean }) {
  const texts = useTexts();
  const { client, company, ownerId, onDecided } = owner;
  const { list, entityId, entryName, dismissal, waitingDecision } = candidate;
  const row = useRef<HTMLLIElement>(null);
  const [isAsked, ask] = useState(false);
  const decide = (decided: OwnerDecided[number][1]): void => {
    ask(false);
    onDecided([[candidate, decided]]);
    row.current?.focus();
  };
  const dismiss = useAction(client, DismissMatch, (data) => data.dismissMatch && decide(asDismissed(data.dismissMatch.dismissedMatch)));
  const reopen = useAction(client, ReopenMatch, () => decide(UNDECIDED));
  const submit = (reason: string): void => void dismiss.run({ ...keyOf(company), ownerId, list, entityId, reason });
  const cancel = (): void => {
    ask(false);
    row.current?.focus();
  };
  return (
    <li ref={row} tabIndex={-1} data-owner-candidate={entityId}>
      <Listed candidate={candidate} />
      {isByTaxId(candidate) && !dismissal && <div>{texts('candidates.matchedById')}</div>}
      {dismissal && (
        <div>
          {texts('candidates.because', { reason: dismissal.reason })} · <Ago at={dismissal.dismissedAt} />{' '}
          <span className="quiet">{peopleOf(dismissal, texts)}</span>
        </div>
      )}
      {waitingDecision && <WaitingNote client={client} waiting={waitingDecision} onDecided={decide} />}
      {mayDecide && (dismissal || !isByTaxId(candidate)) && (
        <Action
          text={texts(dismissal ? 'candidates.reopen' : 'candidates.dismiss')}
          about={entryName}
          isBusy={reopen.isBusy}
          isOpen={dismissal ? undefined : isAsked}
          onPress={() => (dismissal ? void reopen.run({ id: dismissal.id }) : ask(!isAsked))}
        />
      )}
      {isAsked && !dismissal && <ReasonForm asked="dismiss" isBusy={dismiss.isBusy} onSubmit={submit} onCancel={cancel} />}
      <Problem problem={dismiss.problem ?? reopen.problem} />
    </li>
  );
}

/** The record of the party, and the data that agree with those of the owner. */
function Listed({ candidate: one }: { readonly candidate: OwnerCandidate }) {
  const texts = useTexts();
  const day = (date: string | null, none: string): string => (date ? dateText(date, texts.language) : none);
  const facts = [
    sourceNameIn(one.list, texts.language),
    ...one.programs,
    ...one.nationalities,
    ...one.countries,
    ...one.datesOfBirth.map((date) => dateText(date, texts.language)),
    ...(one.startsOn || one.endsOn ? [`${day(one.startsOn, '?')} – ${day(one.endsOn, '…')}`] : []),
  ];
  const tone = one.dismissal ? 'none' : one.decision === 'MATCH' ? 'high' : 'medium';
  return (
    <>
      <Badge tone={tone}>{texts(`owners.on.${one.matchedOn}`)}</Badge> <strong>{one.entryName}</strong>{' '}
      {one.score.toLocaleString(texts.language, { style: 'percent' })}
      <div className="quiet">{facts.join(' · ')}</div>
      <div>{one.explanation}</div>
    </>
  );
}

/** Dismisses several candidates of an owner for one reason. Those that the service does not accept stay, and the first failure is shown. */
function DismissAll({ client, company, ownerId, onDecided, candidates, onAll }: Props & { readonly onAll: () => void }) {
  const texts = useTexts();
  const button = useRef<HTMLButtonElement>(null);
  const [isAsked, ask] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const dismiss = useAction(client, DismissMatches, ({ dismissMatches }) => {
    const results = dismissMatches?.results ?? [];
    const failed = results.flatMap(({ error }) => error ?? []);
    setFailure(failed[0] ? texts('decisions.failed', { n: failed.length, message: failed[0].message }) : null);
    if (failed.length === 0) ask(false); // otherwise the reason stays for another attempt
    onDecided(
      candidates.flatMap((one, at) => {
        const dismissed = results[at]?.dismissedMatch;
        return dismissed ? [[one, asDismissed(dismissed)] as const] : [];
      }),
    );
    if (failed.length === 0) onAll();
  });
  const cancel = (): void => {
    ask(false);
    button.current?.focus();
  };
  const submit = (reason: string): void => {
    const matches = candidates.map(({ list, entityId }) => ({ ...keyOf(company), ownerId, list, entityId }));
    void dismiss.run({ matches, reason });
  };
  return (
    <div className="small">
      <Action
        button={button}
        text={texts('owners.dismissAll', { n: candidates.length })}
        isBusy={false}
        isOpen={isAsked}
        onPress={() => ask(!isAsked)}
      />
      {isAsked && <ReasonForm asked="dismiss" isBusy={dismiss.isBusy} onSubmit={submit} onCancel={cancel} />}
      <Problem problem={dismiss.problem} />
      {failure && <Alert>{failure}</Alert>}
    </div>
  );
}

const keyOf = ({ country, identifier }: OwnerOfCompany['company']): OwnerOfCompany['company'] => ({ country, identifier });

interface ActionProps {
  readonly button?: Ref<HTMLButtonElement>;
  readonly text: string;
  /** Name of the party that the button is about, for a screen reader; absent if the text says it. */
  readonly about?: string;
  readonly isBusy: boolean;
  /** True while the form of the button is shown; undefined for a button without one. */
  readonly isOpen: boolean | undefined;
  readonly onPress: () => void;
}

const Action = ({ button, text, about, isBusy, isOpen, onPress }: ActionProps) => (
  <button ref={button} type="button" aria-label={about && `${text}: ${about}`} aria-expanded={isOpen} disabled={isBusy} onClick={onPress}>
    {text}
  </button>
);

function Problem({ problem }: { readonly problem: ReturnType<typeof useAction>['problem'] }) {
  const texts = useTexts();
  return problem && <Alert>{problemText(problem, texts)}</Alert>;
}

const Alert = ({ children }: { readonly children: ReactNode }) => (
  <p className="notice small" role="alert">
    {children}
  </p>
);
