import type { Cursors } from '../../state/use-cursors.ts';
import { useTexts } from '../../texts/texts.ts';

interface Props {
  readonly cursors: Cursors;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null } | undefined;
}

/** Buttons that open the page before and the page after. Nothing is shown for a list of one page. */
export function Pager({ cursors: { next, previous }, pageInfo }: Props) {
  const texts = useTexts();
  const end = pageInfo?.hasNextPage ? pageInfo.endCursor : null;
  if (!previous && end === null) return null;
  return (
    <nav className="body row" aria-label={texts('list.pages')}>
      <button type="button" disabled={!previous} onClick={() => previous?.()}>
        {texts('list.previous')}
      </button>
      <button type="button" disabled={end === null} onClick={() => end !== null && next(end)}>
        {texts('list.next')}
      </button>
    </nav>
  );
}
