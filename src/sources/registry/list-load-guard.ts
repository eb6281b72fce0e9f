import type { ListSummary, LoadGuard } from './registry.ts';

/** From this size on, growth is judged. */
const GROWTH_FLOOR_ROWS = 1_000;

/** What is judged of an edition. */
export interface ListCounts extends Pick<ListSummary, 'publishedOn' | 'rowsRead'> {
  /** Legal persons it names. Rows that lost their ids would still be rows, and find nothing. */
  readonly named: number;
}

type Refusal = 'empty' | 'too_small' | 'older' | 'shrunk' | 'grown';

/**
 * Why an edition must not replace the one that answers, in one word; null when it may. Without a single row it never may.
 * @param previous the edition that answers; null when there is none
 * @param atHome read from the real publisher's own address: absolute minimums hold only there
 * @param force an operator vouches for it
 */
export function refusalOf(
  next: ListCounts,
  guard: LoadGuard,
  { previous, atHome, force }: { readonly previous: ListCounts | null; readonly atHome: boolean; readonly force: boolean },
): Refusal | null {
  if (next.rowsRead === 0) return 'empty';
  if (force) return null;
  if (atHome && next.rowsRead < guard.minRows) return 'too_small';
  if (!previous) return null;
  if (next.publishedOn && previous.publishedOn && next.publishedOn < previous.publishedOn) return 'older';
  const kept = 1 - guard.maxShrink;
  if (next.rowsRead < previous.rowsRead * kept || next.named < previous.named * kept) return 'shrunk';
  return previous.rowsRead >= GROWTH_FLOOR_ROWS && next.rowsRead > previous.rowsRead * (1 + guard.maxGrowth) ? 'grown' : null;
}
