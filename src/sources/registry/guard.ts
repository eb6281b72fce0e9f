import type { Edition, LoadGuard } from './registry.ts';

/** From this size on, growth is judged. */
const GROWTH_FLOOR_ROWS = 1_000;

/**
 * Why an edition must not replace the one that answers, in one word; null when it may. Without a single row it never may.
 * @param previousRows rows of the edition that answers; null when there is none
 * @param atHome read from the real publisher's own address: absolute minimums hold only there
 * @param force an operator vouches for it
 */
export function refusalOf(
  { rowsRead }: Edition,
  guard: LoadGuard,
  { previousRows, atHome, force }: { readonly previousRows: number | null; readonly atHome: boolean; readonly force: boolean },
): 'empty' | 'too_small' | 'shrunk' | 'grown' | null {
  if (rowsRead === 0) return 'empty';
  if (force) return null;
  if (atHome && rowsRead < guard.minRows) return 'too_small';
  if (previousRows === null) return null;
  if (rowsRead < previousRows * (1 - guard.maxShrink)) return 'shrunk';
  return previousRows >= GROWTH_FLOOR_ROWS && rowsRead > previousRows * (1 + guard.maxGrowth) ? 'grown' : null;
}
