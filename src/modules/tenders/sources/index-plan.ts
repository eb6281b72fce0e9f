import type { IndexRow, Slice } from '../store.ts';

/** A slice as its publisher has it now. */
export interface SliceReading {
  /** What it is read from: an ETag, a checksum; null where the publisher gives nothing to compare. */
  readonly tag: string | null;
  /** ISO day that its data reach; null where the publisher does not say. */
  readonly publishedOn: string | null;
  /** Throws for whatever is not whole and well formed: then nothing of it is kept. */
  readonly rows: AsyncIterable<IndexRow>;
  /** Share of it that is read by now, 0 to 1; null where its size is not known. */
  share?(): number | null;
  /** Lets go of files and connections. Called once, whatever came of the rows. */
  close?(): Promise<void>;
}

export interface OpenOptions {
  readonly signal: AbortSignal;
}

/**
 * How one marketplace's index is built. A slice is named by kind, month and, where a month has several, part:
 * `orders/2026-09`, `awards/2026-09`, `orders/2026-09/21-30`.
 */
export interface IndexPlan {
  readonly name: 'mercadopublico' | 'pncp';
  /** What it answers. */
  readonly kinds: readonly IndexRow['kind'][];
  /** Raise it whenever the readers change: every slice is then read again. */
  readonly schemaVersion: number;
  /** Between visits to the publisher. */
  readonly everyMs: number;
  /** After this long without a successful look at a recent slice the index is a failed source. */
  readonly staleAfterMs: number;
  /** True where a slice may well have no row at all. */
  readonly mayBeEmpty: boolean;
  /** What the index never has; a sentence for the caller. Null when there is nothing to say. */
  readonly note: string | null;
  /** Epoch ms → ISO day at the marketplace. */
  today(now: number): string;
  /** The slices of a month (`YYYY-MM`), in the order to load them. None for what the publisher cannot have yet. */
  slicesOf(month: string): readonly string[];
  /**
   * Looks at one slice at the publisher. `known` is the slice as it was last loaded by these readers; null when it was not.
   * `unchanged` when that still stands, `absent` when the publisher has no such slice.
   * @throws DownloadFailure, ListFileError, AppError SOURCE_UNAVAILABLE
   */
  open(slice: string, known: Slice | null, options: OpenOptions): Promise<SliceReading | 'unchanged' | 'absent'>;
  /** Reads a slice from a file that the operator brings; left out where there are no such files. @throws ListFileError */
  openFile?(path: string, options: OpenOptions): Promise<SliceReading & { readonly slice: string }>;
}

export const kindOf = (slice: string): IndexRow['kind'] => (slice.startsWith('awards/') ? 'award' : 'order');

/** `orders/2026-09/21-30` → `2026-09`. */
export const monthOf = (slice: string): string => slice.split('/')[1] ?? '';

/** `2026-11` and -1 → `2026-10`. */
export function monthAfter(month: string, count: number): string {
  const months = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + count;
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`;
}

/** Months from the newest to the oldest, both included; none when they are in the wrong order. */
export function monthsBack(newest: string, oldest: string): readonly string[] {
  const months: string[] = [];
  for (let month = newest; month >= oldest; month = monthAfter(month, -1)) months.push(month);
  return months;
}

/** Months in any order → `2025-12 to 2026-03, 2026-05`. */
export function inRanges(months: readonly string[]): string {
  const ranges: { from: string; to: string }[] = [];
  for (const month of [...months].sort()) {
    const last = ranges.at(-1);
    if (last && month === monthAfter(last.to, 1)) last.to = month;
    else ranges.push({ from: month, to: month });
  }
  return ranges.map(({ from, to }) => (from === to ? from : `${from} to ${to}`)).join(', ');
}
