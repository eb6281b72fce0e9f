import { type KeyboardEvent, useRef } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Confirmation, Dismissal } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { withDecided } from '../../state/decided.ts';
import { UNDECIDED } from '../../state/decision-log.ts';
import { isDismissal, OPERATIONS } from '../../state/decisions.ts';
import { companyId } from '../../state/model.ts';
import { withOutdated } from '../../state/owner-decisions.ts';
import { useMay, useMayApprove } from '../../state/role.ts';
import { useStore } from '../../state/store.ts';
import { useAction } from '../../state/use-action.ts';
import { useTexts } from '../../texts/texts.ts';
import { Ago } from '../../ui/age.tsx';
import { Badge } from '../../ui/badge.tsx';
import { plainKey } from '../../ui/keys.ts';
import { Link } from '../../ui/link.tsx';
import { peopleOf } from '../../ui/people.ts';
import { problemText } from '../../ui/problem.ts';
import { companyPath } from '../../ui/route.ts';

interface Props {
  readonly dashboard: Dashboard;
  readonly review: Dismissal | Confirmation;
  readonly onChanged: () => void;
}

/**
 * A decision, with who made it, when and why. A person withdraws it by the button or by the key r. Another person than the one who decided
 * approves it by the button or by the key a while it waits.
 */
export function DecisionRow({ dashboard, review, onChanged }: Props) {
  const texts = useTexts();
  const row = useRef<HTMLLIElement>(null);
  const mayDecide = useMay('DECIDE');
  const { id, company, list, entityId, entryName, reason, decidedBy, isWaiting } = review;
  const name = useStore(dashboard.store, ({ companies }) => companies.get(companyId(company))?.name ?? null);
  const outcome = isDismissal(review) ? 'dismissed' : 'confirmed';
  const isOfOwner = isDismissal(review) && review.ownerId !== null;
  /** The number of owners to review follows from candidates that this page does not have, so it is read again. */
  const readAgain = (): void => {
    dashboard.store.set((state) => withOutdated(state, company));
    dashboard.portfolio.refresh();
  };
  const withdraw = useAction(dashboard.client, OPERATIONS[outcome].withdraw, () => {
    const next = (row.current?.nextElementSibling ?? row.current?.previousElementSibling) as HTMLElement | null;
    const undone = isWaiting ? { waitingDecision: null } : UNDECIDED;
    if (isOfOwner && !isWaiting) readAgain();
    if (!isOfOwner) dashboard.store.set((state) => withDecided(state, company, { list, entityId }, undone));
    onChanged();
    next?.focus();
  });
  const approve = useAction(dashboard.client, OPERATIONS[outcome].approve, () => {
    if (isOfOwner) readAgain();
    onChanged();
  });
  const mayApprove = useMayApprove()(decidedBy) && isWaiting;
  const problem = withdraw.problem ?? approve.problem;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || !mayDecide) return;
    const key = plainKey(event);
    if (key === 'r') void withdraw.run({ id });
    else if (key === 'a' && mayApprove) void approve.run({ id });
    else return;
    event.preventDefault();
  };
  const label = `${name ?? company.formattedIdentifier}: ${entryName}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys of the list act on the row that has the focus
    <li ref={row} tabIndex={0} data-candidate={entityId} aria-label={label} onKeyDown={onKeyDown}>
      <Badge tone={outcome === 'confirmed' ? 'high' : 'none'}>
        {texts(outcome === 'confirmed' ? 'candidates.isConfirmed' : 'candidates.dismissed')}
      </Badge>
      <div>
        <p>
          <Link href={companyPath(company)}>{name ?? company.formattedIdentifier}</Link> <span aria-hidden="true">≈</span>{' '}
          <strong>{entryName}</strong> <span className="quiet small">{sourceNameIn(list, texts.language)}</span>
        </p>
        {isOfOwner && <p className="quiet small">{texts('decisions.ofOwner')}</p>}
        <p className="small">{reason}</p>
        <p className="quiet small">
          {peopleOf(review, texts)} · <Ago at={isDismissal(review) ? review.dismissedAt : review.confirmedAt} />
        </p>
        {problem && (
          <p className="notice small" role="alert">
            {problemText(problem, texts)}
          </p>
        )}
      </div>
      <div className="row">
        {mayApprove && (
          <button type="button" className="primary" disabled={approve.isBusy} onClick={() => void approve.run({ id })}>
            {texts('decisions.approve')}
          </button>
        )}
        {mayDecide && (
          <button type="button" disabled={withdraw.isBusy} onClick={() => void withdraw.run({ id })}>
            {texts(isWaiting ? 'decisions.reject' : 'candidates.reopen')}
          </button>
        )}
      </div>
    </li>
  );
}
