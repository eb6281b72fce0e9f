import type { Shown } from '../state/use-answer.ts';
import { useTexts } from '../texts/texts.ts';
import { problemText } from '../ui/problem.ts';

/** Says that the data of a page is being read, or could not be: the data from before stays. Nothing where it is up to date. */
export function AnswerNotice({ shown: { answer, problem, reload } }: { readonly shown: Shown<unknown> }) {
  const texts = useTexts();
  const first = problem ?? answer?.errors[0];
  if (!first) return answer ? null : <p className="quiet">{texts('loading')}</p>;
  return (
    <p className="notice row spread" role="alert">
      {texts('problem', { message: problemText(first, texts) })}
      <button type="button" onClick={reload}>
        {texts('retry')}
      </button>
    </p>
  );
}
