import { useTexts } from '../../texts/texts.ts';
import { StepButton } from '../../ui/step-button.tsx';

interface Props {
  /** Name of the list. */
  readonly label: string;
  /** Page that is shown, from 1. */
  readonly page: number;
  /** Number of rows of a page. */
  readonly size: number;
  /** Number of rows of all pages. */
  readonly total: number;
  readonly onOpen: (page: number) => void;
}

export const pagesOf = (total: number, size: number): number => Math.max(1, Math.ceil(total / size));

/** Buttons that open the pages of a list. A list of one page has none. */
export function Pages({ label, page, size, total, onOpen }: Props) {
  const texts = useTexts();
  const last = pagesOf(total, size);
  if (last === 1) return null;
  return (
    <nav className="body row" aria-label={label}>
      <StepButton isPossible={page > 1} onStep={() => onOpen(page - 1)}>
        {texts('list.previous')}
      </StepButton>
      <span className="small" role="status">
        {texts('list.range', { from: (page - 1) * size + 1, to: Math.min(page * size, total), n: total })}
      </span>
      <StepButton isPossible={page < last} onStep={() => onOpen(page + 1)}>
        {texts('list.next')}
      </StepButton>
    </nav>
  );
}
