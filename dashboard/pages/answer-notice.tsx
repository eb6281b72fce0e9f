import type { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Shown } from '../state/use-answer.ts';
import { useTexts } from '../texts/texts.ts';
import { Age } from '../ui/age.tsx';
import { problemText } from '../ui/problem.ts';
import { SkeletonLines } from '../ui/skeleton.tsx';

/**
 * Tells that the data of a page is being read, or could not be read. The earlier data stays, with its age. It shows nothing for current
 * data.
 */
export function AnswerNotice({ shown: { answer, readAt, problem, reload } }: { readonly shown: Shown<unknown> }) {
  const texts = useTexts();
  const first = problem ?? answer?.errors[0];
  if (!first) return answer ? null : <SkeletonLines />;
  return (
    <p className="notice row spread" role="alert">
      <span>
        {texts('problem', { message: problemText(first, texts) })}
        {problem && readAt !== null && (
          <>
            {' '}
            ({texts('dataAge')} <Age at={readAt} />)
          </>
        )}
      </span>
      <button type="button" onClick={reload}>
        {texts('retry')}
      </button>
    </p>
  );
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
