import { coverageMessages } from '../../../messages/coverage.ts';
import type { Message, Parameter } from '../../../messages/message.ts';
import type { IndexRow, Slice } from '../store.ts';

/** The content of a slice that the publisher has now. */
export interface SliceReading {
  /** Version of the content, such as an ETag or a checksum; null if the publisher states none. */
  readonly tag: string | null;
  /** ISO day up to which the data reach; null if the publisher states none. */
  readonly publishedOn: string | null;
  /** Rows of the slice. The iterator throws for incomplete or malformed content, and then no row is kept. */
  readonly rows: AsyncIterable<IndexRow>;
  /** Returns the share that was read, 0 to 1; null for an unknown size. */
  share?(): number | null;
  /** Releases files and connections. It is called once, also after an error. */
  close?(): Promise<void>;
}

export interface OpenOptions {
  readonly signal: AbortSignal;
}

/**
 * The way to build the index of one marketplace. A slice is named by kind, month and, where a month has several, part: `orders/2026-09`,
 * `awards/2026-09`, `orders/2026-09/21-30`.
 */
export interface IndexPlan {
  readonly name: 'mercadopublico' | 'pncp';
  /** Kinds of records in the index. */
  readonly kinds: readonly IndexRow['kind'][];
  /** Version of the readers. It must be increased when they change; every slice is then read again. */
  readonly schemaVersion: number;
  /** Interval between syncs, in ms. */
  readonly everyMs: number;
  /** Maximum age of the last successful check of a recent slice, in ms. An older index counts as a failed source. */
  readonly staleAfterMs: number;
  /** True if an empty slice is valid. */
  readonly mayBeEmpty: boolean;
  /** A sentence for the caller about what the index never contains; null without one. */
  readonly note: Message | null;
  /** Converts epoch ms to the ISO day in the marketplace's time zone. */
  today(now: number): string;
  /** Returns the slices of a month (`YYYY-MM`) in loading order, without those in the future. */
  slicesOf(month: string): readonly string[];
  /**
   * Opens one slice at the publisher. `known` is the slice as loaded last with this `schemaVersion`; null for none.
   * Returns `unchanged` if `known` is current, `absent` if the publisher has no such slice.
   * @throws DownloadFailure, ListFileError, AppError SOURCE_UNAVAILABLE
   */
  open(slice: string, known: Slice | null, options: OpenOptions): Promise<SliceReading | 'unchanged' | 'absent'>;
  /** Reads a slice from an operator's file. It is undefined for a marketplace without files. @throws ListFileError */
  openFile?(path: string, options: OpenOptions): Promise<SliceReading & { readonly slice: string }>;
}

export const kindOf = (slice: string): IndexRow['kind'] => (slice.startsWith('awards/') ? 'award' : 'order');

/** Returns the month of a slice: `orders/2026-09/21-30` → `2026-09`. */
export const monthOf = (slice: string): string => slice.split('/')[1] ?? '';

/** Adds months: `2026-11` and -1 → `2026-10`. */
export function monthAfter(month: string, count: number): string {
  const months = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + count;
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`;
}

/** Returns the months from the newest to the oldest, both inclusive; empty if they are in the wrong order. */
export function monthsBack(newest: string, oldest: string): readonly string[] {
  const months: string[] = [];
  for (let month = newest; month >= oldest; month = monthAfter(month, -1)) months.push(month);
  return months;
}

/** Formats months in any order as ranges: `2025-12 to 2026-03, 2026-05`. */
export function inRanges(months: readonly string[]): readonly Parameter[] {
  const ranges: { from: string; to: string }[] = [];
  for (const month of [...months].sort()) {
    const last = ranges.at(-1);
    if (last && month === monthAfter(last.to, 1)) last.to = month;
    else ranges.push({ from: month, to: month });
  }
  return ranges.map(({ from, to }) => (from === to ? from : coverageMessages.range({ from, to })));
}
