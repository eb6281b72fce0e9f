import type { Client } from '../../api/client.ts';
import { ApproveConfirmation, ApproveDismissal, ReopenMatch, UnconfirmMatch, type WaitingDecision } from '../../api/operations.ts';
import { asConfirmed, asDismissed, type Decision } from '../../state/decision-log.ts';
import { useMay, useMayApprove } from '../../state/role.ts';
import { useAction } from '../../state/use-action.ts';
import { useTexts } from '../../texts/texts.ts';
import { Ago } from '../../ui/age.tsx';
import { problemText } from '../../ui/problem.ts';

interface Props {
  readonly client: Client;
  readonly waiting: WaitingDecision;
  readonly onDecided: (decision: Decision) => void;
}

/** The decision about a candidate that waits for a second person, who approves or rejects it here. */
export function WaitingNote({ client, waiting: { id, outcome, reason, decidedBy, decidedAt }, onDecided }: Props) {
  const texts = useTexts();
  const mayReject = useMay('DECIDE');
  const mayApprove = useMayApprove()(decidedBy);
  const dismiss = useAction(client, ApproveDismissal, ({ approved }) => approved && onDecided(asDismissed(approved.match)));
  const confirm = useAction(client, ApproveConfirmation, ({ approved }) => approved && onDecided(asConfirmed(approved.match)));
  const reopen = useAction(client, ReopenMatch, () => onDecided({ waitingDecision: null }));
  const unconfirm = useAction(client, UnconfirmMatch, () => onDecided({ waitingDecision: null }));
  const [approve, reject] = outcome === 'DISMISSED' ? [dismiss, reopen] : [confirm, unconfirm];
  const problem = approve.problem ?? reject.problem;
  return (
    <div className="column">
      <p className="small">
        {texts(`decisions.waits.${outcome}`, { reason })} · <Ago at={decidedAt} />{' '}
        <span className="quiet">{texts('decisions.by', { name: decidedBy.name })}</span>
      </p>
      <div className="row">
        {mayApprove && (
          <button type="button" className="primary" disabled={approve.isBusy} onClick={() => void approve.run({ id })}>
            {texts('decisions.approve')}
          </button>
        )}
        {mayReject && (
          <button type="button" disabled={reject.isBusy} onClick={() => void reject.run({ id })}>
            {texts('decisions.reject')}
          </button>
        )}
      </div>
      {problem && (
        <p className="notice small" role="alert">
          {problemText(problem, texts)}
        </p>
      )}
    </div>
  );
}
