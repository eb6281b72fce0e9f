import type { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Dashboard } from '../state/dashboard.ts';
import { failureOf } from '../state/model.ts';
import { useStore } from '../state/store.ts';
import type { Shown } from '../state/use-answer.ts';
import { useTexts } from '../texts/texts.ts';
import { Age } from '../ui/age.tsx';
import { problemText } from '../ui/problem.ts';
import { RetryNotice } from '../ui/retry-notice.tsx';
import { SkeletonLines } from '../ui/skeleton.tsx';

/**
 * Tells that the data of a page is being read, or could not be read. The earlier data stays, with its age. It shows nothing for current
 * data.
 */
export function AnswerNotice({ shown: { answer, readAt, problem, reload } }: { readonly shown: Shown<unknown> }) {
  const texts = useTexts();
  const first = problem ?? answer?.errors[0];
  if (!first) return answer ? null : <SkeletonLines />;
  const isOld = problem !== null && readAt !== null;
  return (
    <RetryNotice onRetry={reload}>
      {texts(isOld ? 'problem' : 'notRead', { message: problemText(first, texts) })}
      {isOld && (
        <>
          {' '}
          ({texts('dataAge')} <Age at={readAt} />)
        </>
      )}
    </RetryNotice>
  );
}

/** The place of a part of the portfolio, or of the account, that was not read yet. It tells that it is being read, or why it could not be. */
export function NotReadYet({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const failure = useStore(dashboard.store, failureOf);
  if (!failure) return <SkeletonLines />;
  return <RetryNotice onRetry={dashboard.retry}>{texts('notRead', { message: problemText(failure, texts) })}</RetryNotice>;
}

/** Tells that a subscription was refused, so that the page reads by query every few seconds. It shows nothing otherwise. */
export function NotFollowed({ error }: { readonly error: QuipuError | null }) {
  const texts = useTexts();
  return (
    error && (
      <p className="notice small" role="alert">
        {texts('connection.notFollowed', { message: problemText(error, texts) })}
      </p>
    )
  );
}
