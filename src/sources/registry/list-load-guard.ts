import type { ListSummary, LoadGuard } from './registry.ts';

/** Growth is checked only from this size on. */
const GROWTH_FLOOR_ROWS = 1_000;

/** The counts that are compared between versions. */
export interface ListCounts extends Pick<ListSummary, 'publishedOn' | 'rowsRead'> {
  /** Legal persons named. Catches rows that lost their ids: they still count as rows but match no lookup. */
  readonly named: number;
}

type Refusal = 'empty' | 'too_small' | 'older' | 'shrunk' | 'grown';

/**
 * Decides whether a new version may replace the current one. Returns the reason for a refusal, or null. An empty version is always refused.
 * @param previous counts of the current version; null when there is none
 * @param isDefaultAddress true for a file from the publisher's default address; `minRows` applies only there
 * @param force the operator vouches for the file: only emptiness is refused
 */
export function refusalOf(
  next: ListCounts,
  guard: LoadGuard,
  {
    previous,
    isDefaultAddress,
    force,
  }: { readonly previous: ListCounts | null; readonly isDefaultAddress: boolean; readonly force: boolean },
): Refusal | null {
  if (next.rowsRead === 0) return 'empty';
  if (force) return null;
  if (isDefaultAddress && next.rowsRead < guard.minRows) return 'too_small';
  if (!previous) return null;
  if (next.publishedOn && previous.publishedOn && next.publishedOn < previous.publishedOn) return 'older';
  const kept = 1 - guard.maxShrink;
  if (next.rowsRead < previous.rowsRead * kept || next.named < previous.named * kept) return 'shrunk';
  return previous.rowsRead >= GROWTH_FLOOR_ROWS && next.rowsRead > previous.rowsRead * (1 + guard.maxGrowth) ? 'grown' : null;
}
