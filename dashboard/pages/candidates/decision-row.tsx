import { type KeyboardEvent, useRef } from 'react';
import type { Confirmation, Dismissal } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { isDismissal, OPERATIONS } from '../../state/decisions.ts';
import { companyId, UNDECIDED, withCompanies, withDecision } from '../../state/model.ts';
import { useMay } from '../../state/role.ts';
import { useStore } from '../../state/store.ts';
import { useAction } from '../../state/use-action.ts';
import { useTexts } from '../../texts/texts.ts';
import { Age } from '../../ui/age.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { problemText } from '../../ui/problem.ts';
import { companyPath } from '../../ui/route.ts';

interface Props {
  readonly dashboard: Dashboard;
  readonly review: Dismissal | Confirmation;
  readonly onWithdrawn: () => void;
}

/** A decision, with who made it, when and why. A person withdraws it by the button or by the key r. */
export function DecisionRow({ dashboard, review, onWithdrawn }: Props) {
  const texts = useTexts();
  const row = useRef<HTMLLIElement>(null);
  const mayDecide = useMay('DECIDE');
  const { id, company, list, entityId, entryName, reason, decidedBy } = review;
  const name = useStore(dashboard.store, ({ companies }) => companies.get(companyId(company))?.name ?? null);
  const outcome = isDismissal(review) ? 'dismissed' : 'confirmed';
  const withdraw = useAction(dashboard.client, OPERATIONS[outcome].withdraw, () => {
    const next = (row.current?.nextElementSibling ?? row.current?.previousElementSibling) as HTMLElement | null;
    dashboard.store.set((state) => {
      const watched = state.companies.get(companyId(company));
      const isOfCompany = !isDismissal(review) || review.ownerId === null;
      return watched && isOfCompany ? withCompanies(state, [withDecision(watched, { list, entityId }, UNDECIDED)]) : state;
    });
    onWithdrawn();
    next?.focus();
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'r' || event.target !== event.currentTarget || !mayDecide) return;
    event.preventDefault();
    void withdraw.run({ id });
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
          <strong>{entryName}</strong> <span className="quiet small">{list}</span>
        </p>
        {isDismissal(review) && review.ownerId !== null && <p className="quiet small">{texts('decisions.ofOwner')}</p>}
        <p className="small">{reason}</p>
        <p className="quiet small">
          {texts('decisions.by', { name: decidedBy.name })} · <Age at={isDismissal(review) ? review.dismissedAt : review.confirmedAt} />
        </p>
        {withdraw.problem && (
          <p className="notice small" role="alert">
            {problemText(withdraw.problem, texts)}
          </p>
        )}
      </div>
      <div className="row">
        {mayDecide && (
          <button type="button" disabled={withdraw.isBusy} onClick={() => void withdraw.run({ id })}>
            {texts('candidates.reopen')}
          </button>
        )}
      </div>
    </li>
  );
}
