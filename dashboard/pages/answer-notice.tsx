import type { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Shown } from '../state/use-answer.ts';
import { useTexts } from '../texts/texts.ts';
import { Age } from '../ui/age.tsx';
import { problemText } from '../ui/problem.ts';

/** Says that the data of a page is being read, or could not be: the data from before stays, with its age. Nothing where it is up to date. */
export function AnswerNotice({ shown: { answer, readAt, problem, reload } }: { readonly shown: Shown<unknown> }) {
  const texts = useTexts();
  const first = problem ?? answer?.errors[0];
  if (!first) return answer ? null : <p className="quiet">{texts('loading')}</p>;
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

/** Says that a subscription was refused: the page then reads by query every few seconds. Nothing where it was not. */
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
