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
  readonly shape: number;
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
