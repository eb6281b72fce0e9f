import { useEffect, useMemo } from 'react';
import type { Confirmation, Dismissal } from '../../api/operations.ts';
import type { CandidateFilter } from '../../state/candidates.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { withDecisions } from '../../state/decided.ts';
import { decisionFilter, isConfirmation, isDismissal, OPERATIONS, type Outcome } from '../../state/decisions.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTexts } from '../../texts/texts.ts';
import { setParameter, useParameters } from '../../ui/parameters.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StepButton } from '../../ui/step-button.tsx';
import { AnswerNotice } from '../answer-notice.tsx';
import { CandidateList } from './candidate-list.tsx';
import { DecisionRow } from './decision-row.tsx';

interface Props {
  readonly dashboard: Dashboard;
  readonly outcome: Outcome;
  /** True for the decisions that wait for approval. */
  readonly isWaiting?: boolean;
  readonly filter: CandidateFilter;
  /** Number of decisions made on this page. The list is read again when it changes. */
  readonly version: number;
  readonly onChanged: () => void;
}

const NONE = { dismissed: 'candidates.noneDismissed', confirmed: 'candidates.noneConfirmed' } as const;

/**
 * The decisions of the account with one outcome, filtered and paged by the server, because an account can have 10,000. The address has one
 * cursor of each list, because there are up to four lists and no way to the page before.
 */
export function DecisionList({ dashboard, outcome, isWaiting = false, filter, version, onChanged }: Props) {
  const texts = useTexts();
  const parameter = `${isWaiting ? 'waiting-' : ''}${outcome}`;
  const after = useParameters().get(parameter);
  const wanted = decisionFilter(filter, isWaiting);
  const shown = useAnswer(dashboard.client, OPERATIONS[outcome].page, { filter: wanted, after }, { version: String(version) });
  const { answer, askedAt, isCurrent } = shown;
  const page = answer?.data?.decided ?? null;
  const reviews = useMemo((): readonly (Dismissal | Confirmation)[] => page?.nodes ?? [], [page]);
  useEffect(() => {
    const dismissals = reviews.filter(isDismissal);
    const confirmations = reviews.filter(isConfirmation);
    dashboard.store.set((before) => withDecisions(before, { dismissals, confirmations }, askedAt ?? 0));
  }, [dashboard, reviews, askedAt]);
  const title = texts(isWaiting ? `decisions.waiting.${outcome}` : `candidates.${outcome}`);
  const next = isCurrent && page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  const isAll = after === null && !page?.pageInfo.hasNextPage;
  const isPart = [after, wanted.text, wanted.lists, wanted.country].some((one) => one !== null);
  const hasFailed = shown.problem !== null || (answer?.errors.length ?? 0) > 0;
  if (isWaiting && !hasFailed && isAll && reviews.length === 0) return null;
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2>
          {title} <span className="quiet small">{isCurrent ? page && isAll && reviews.length : !shown.problem && <Skeleton />}</span>
        </h2>
      </header>
      <AnswerNotice shown={shown} />
      {page && reviews.length === 0 && <p className="empty">{texts(isPart ? 'decisions.noneHere' : NONE[outcome])}</p>}
      <CandidateList>
        {reviews.map((review) => (
          <DecisionRow key={review.id} dashboard={dashboard} review={review} onChanged={onChanged} />
        ))}
      </CandidateList>
      {!isAll && (
        <div className="row body">
          <StepButton isPossible={after !== null} onStep={() => setParameter(parameter, '', 'pushState')}>
            {texts('decisions.newest')}
          </StepButton>
          <StepButton isPossible={next !== null} onStep={() => next !== null && setParameter(parameter, next, 'pushState')}>
            {texts('decisions.older')}
          </StepButton>
        </div>
      )}
    </section>
  );
}
