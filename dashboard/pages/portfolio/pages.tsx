import { useTexts } from '../../texts/texts.ts';

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
      <button type="button" disabled={page === 1} onClick={() => onOpen(page - 1)}>
        {texts('list.previous')}
      </button>
      <span className="small" role="status">
        {texts('list.range', { from: (page - 1) * size + 1, to: Math.min(page * size, total), n: total })}
      </span>
      <button type="button" disabled={page === last} onClick={() => onOpen(page + 1)}>
        {texts('list.next')}
      </button>
    </nav>
  );
}
