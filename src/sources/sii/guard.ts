import type { EditionRead } from './read.ts';
import type { StoredFiles } from './store.ts';

/** The nómina of one commercial year has near a million rows. */
const MIN_ROWS = 500_000;
/** Share of a table's rows that may vanish between editions. */
const MAX_SHRINK = 0.1;

/**
 * Why an edition must not replace the one that answers, in one word; null when it may. Without a company in the nómina it never may.
 * @param previous the edition that answers; null when there is none, or none to compare with
 * @param atHome read from the registry's own address: absolute minimums hold only there
 * @param force an operator vouches for it
 */
export function refusalOf(
  next: EditionRead,
  { previous, atHome, force }: { readonly previous: StoredFiles | null; readonly atHome: boolean; readonly force: boolean },
): 'empty' | 'too_small' | 'older' | 'shrunk' | null {
  if (next.newestYear === 0) return 'empty';
  if (force) return null;
  const rowsOf = (name: string): number => next.tables.find(({ table }) => table === name)?.rows ?? 0;
  if (atHome && rowsOf('companies') < MIN_ROWS) return 'too_small';
  if (!previous) return null;
  if (next.newestYear < previous.newestYear) return 'older';
  const shrunk = previous.tables.some(({ table, rows }) => rowsOf(table) < rows * (1 - MAX_SHRINK));
  return shrunk || next.companies < previous.companies * (1 - MAX_SHRINK) ? 'shrunk' : null;
}
