import { useState } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { StepButton } from '../../ui/step-button.tsx';
import type { Cursors } from '../../ui/use-cursors.ts';

interface Props {
  readonly cursors: Cursors;
  /** Position of the next page; undefined until the page of the cursor was read. */
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null } | undefined;
}

/** Buttons that open the page before and the page after. Nothing is shown for a list of one page. */
export function Pager({ cursors: { next, previous }, pageInfo }: Props) {
  const texts = useTexts();
  const end = pageInfo?.hasNextPage ? pageInfo.endCursor : null;
  const hasOthers = previous !== null || end !== null;
  const [wasShown, setShown] = useState(hasOthers);
  if (pageInfo && hasOthers !== wasShown) setShown(hasOthers);
  // While the first page is read again, the buttons stay, because one of them has the focus.
  if (!hasOthers && (pageInfo || !wasShown)) return null;
  return (
    <nav className="body row" aria-label={texts('list.pages')}>
      <StepButton isPossible={previous !== null} onStep={() => previous?.()}>
        {texts('list.previous')}
      </StepButton>
      <StepButton isPossible={end !== null} onStep={() => end !== null && next(end)}>
        {texts('list.next')}
      </StepButton>
    </nav>
  );
}
