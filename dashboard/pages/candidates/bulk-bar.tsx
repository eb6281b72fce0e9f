import { useState } from 'react';
import type { Client } from '../../api/client.ts';
import { ConfirmMatches, DismissMatches } from '../../api/operations.ts';
import { type CandidateOfCompany, chosenTogether } from '../../state/candidates.ts';
import { asConfirmed, asDismissed, type Decision } from '../../state/decision-log.ts';
import { useAction } from '../../state/use-action.ts';
import { useTexts } from '../../texts/texts.ts';
import { problemText } from '../../ui/problem.ts';
import { type Asked, ReasonForm } from './reason-form.tsx';

interface Props {
  readonly client: Client;
  /** The candidates that are shown and may be chosen. */
  readonly shown: readonly CandidateOfCompany[];
  readonly chosen: readonly CandidateOfCompany[];
  readonly onChoose: (chosen: readonly CandidateOfCompany[]) => void;
  /** It is called with the candidates that were decided about, which are no longer chosen. */
  readonly onDecided: (decided: readonly (readonly [CandidateOfCompany, Decision])[]) => void;
}

interface Result {
  readonly decision: Decision | null;
  readonly error: { readonly message: string } | null;
}

/** Decides about the chosen candidates for one reason. Those that the server does not accept stay chosen, and the first failure is shown. */
export function BulkBar({ client, shown, chosen, onChoose, onDecided }: Props) {
  const texts = useTexts();
  const [asked, ask] = useState<Asked | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const finish = (results: readonly Result[]): void => {
    const decided = chosen.flatMap((one, at) => {
      const decision = results[at]?.decision;
      return decision ? [[one, decision] as const] : [];
    });
    const failed = results.filter(({ error }) => error !== null);
    const message = failed[0]?.error?.message;
    setFailure(message === undefined ? null : texts('decisions.failed', { n: failed.length, message }));
    if (failed.length === 0) ask(null); // otherwise the reason stays for another attempt
    onDecided(decided);
  };
  const dismiss = useAction(client, DismissMatches, ({ dismissMatches }) =>
    finish(dismissMatches?.results.map(({ dismissedMatch: one, error }) => ({ decision: one && asDismissed(one), error })) ?? []),
  );
  const confirm = useAction(client, ConfirmMatches, ({ confirmMatches }) =>
    finish(confirmMatches?.results.map(({ confirmedMatch: one, error }) => ({ decision: one && asConfirmed(one), error })) ?? []),
  );
  const action = asked === 'confirm' ? confirm : dismiss;
  const problem = action.problem ? problemText(action.problem, texts) : failure;
  const submit = (reason: string): void => {
    const matches = chosen.map(({ company: { identifier, country }, candidate: { list, entityId } }) => ({
      identifier,
      country,
      list,
      entityId,
    }));
    void action.run({ matches, reason });
  };
  const all = chosenTogether(shown);
  return (
    <div className="body column">
      <div className="row">
        {all.length > chosen.length && (
          <button type="button" onClick={() => onChoose(all)}>
            {texts('decisions.chooseAll', { n: all.length })}
          </button>
        )}
        {chosen.length > 0 && (
          <>
            <span role="status">{texts('decisions.chosen', { n: chosen.length })}</span>
            {(['confirm', 'dismiss'] as const).map((one) => (
              <button key={one} type="button" aria-expanded={asked === one} onClick={() => ask(asked === one ? null : one)}>
                {texts(`decisions.${one}All`)}
              </button>
            ))}
            <button type="button" className="plain" onClick={() => onChoose([])}>
              {texts('decisions.chooseNone')}
            </button>
          </>
        )}
      </div>
      {asked && chosen.length > 0 && (
        <ReasonForm key={asked} asked={asked} isBusy={action.isBusy} onSubmit={submit} onCancel={() => ask(null)} />
      )}
      {problem && (
        <p className="notice small" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
