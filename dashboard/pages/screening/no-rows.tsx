import { useTexts } from '../../texts/texts.ts';
import type { Cursors } from '../../ui/use-cursors.ts';

interface Props {
  readonly cursors: Cursors;
  /** Sentence about a list that has no rows at all. */
  readonly none: string;
}

/** The place of the rows on a page without any. The rows after the cursor of a link can be gone, which does not mean that the list is empty. */
export function NoRows({ cursors: { after, first }, none }: Props) {
  const texts = useTexts();
  if (after === null) return <p className="empty">{none}</p>;
  return (
    <p className="empty">
      {texts('list.emptyPage')}{' '}
      <button type="button" onClick={first}>
        {texts('list.first')}
      </button>
    </p>
  );
}
