import type { SourceName } from '../../domain/catalogue.ts';
import type { AddressSpec, Copy, ListVersion, Source, SourceInstance } from '../source.ts';
import type { ListFile } from './list-file.ts';
import type { BuiltView, ListView } from './list-view.ts';

/**
 * One entry of a published list, as its reader yields it.
 * `keys` name legal persons (`BR:11222333`, `CO:900964705`, `MX:AIN000713GR7`): country, colon, root without punctuation. On lists of
 * Brazil they also name people by the visible digits of their CPF (`BR:***456789**`).
 */
export interface ListEntry<R> {
  /** The list's own id of the entry; unique within a version. */
  readonly id: string;
  readonly keys: readonly string[];
  /** The entry's fields under our names, not interpreted. Stored as JSON: plain data only, no personal ids. */
  readonly record: R;
}

/** What a reader returns after it has read the whole file. */
export interface ListSummary {
  /** Publication date (ISO) that the file states; null when it states none. */
  readonly publishedOn: string | null;
  /** Rows of the file, including those skipped (people, malformed ids). */
  readonly rowsRead: number;
  readonly rowsSkipped: number;
  /** Rows that may name a company and that no lookup of one finds: their id cannot be read. 0 unless given. */
  readonly rowsUnmatched?: number;
}

/** Limits within which a new version may replace the current one. Shares are 0–1. */
export interface LoadGuard {
  /** Minimum rows; applies to the publisher's default address only. */
  readonly minRows: number;
  /** Largest share of rows that may disappear between versions. */
  readonly maxShrink: number;
  /** Largest share of rows that may be added between versions; lists under 1,000 rows may grow freely. */
  readonly maxGrowth: number;
}

/** Definition of a published list: where its file is, how to read it, and when to accept it. */
export interface RegistrySpec<R> {
  readonly name: SourceName;
  readonly attribution: string;
  /** Name of the URL setting. */
  readonly setting: string;
  readonly address: AddressSpec;
  /** Version of `R`. Increase it whenever `R` changes: the file is then loaded again. */
  readonly schemaVersion: number;
  readonly guard: LoadGuard;
  /** Interval between syncs, ms. */
  readonly everyMs: number;
  /** After this long without a successful sync the list is a failed source; ms. */
  readonly staleAfterMs: number;
  /** Base names to take from a zip of several files, best first, in lower case; else its largest list file. */
  readonly members?: readonly string[];
  /** Hosts the publisher's download may redirect to, besides its own. */
  readonly redirectHosts?: readonly string[];
  /**
   * Reads the file as a stream: yields the entries and returns the summary.
   * @throws ListFileError when the file is not of this list's format
   */
  read(file: ListFile): AsyncGenerator<ListEntry<R>, ListSummary, void>;
}

/** Result of a lookup: the entries of each requested holder, and the version they come from. */
export interface ListHits<R> {
  readonly version: ListVersion;
  /** Epoch ms after which the result must not be served. */
  readonly goodUntil: number;
  readonly entries: ReadonlyMap<string, readonly ListEntry<R>[]>;
}

/** A published list, copied to Postgres, with lookups of many legal persons at once. */
export interface Registry<R> extends Copy {
  readonly spec: RegistrySpec<R>;
  /**
   * Holders, as keys of entries name them → their entries (an empty array for one without any), in one SQL statement.
   * Lists that the same request asks for in the same tick share it.
   * @throws AppError SOURCE_UNAVAILABLE when the list was never loaded, is overdue or cannot be read
   */
  lookup(holders: readonly string[]): Promise<ListHits<R>>;
  /**
   * Returns a structure in memory that is computed from the list's records. It is built at the first call, and from then on again after
   * each load, in the background: until it is ready the previous one answers, so `version` may be the previous one for seconds.
   * @throws AppError SOURCE_UNAVAILABLE when the list was never loaded, is overdue or cannot be read
   */
  view<V>(view: ListView<R, V>): Promise<ListViewAnswer<V>>;
  /** Id of the version that the view was last built from; null before the first. Answers computed from another one are void. */
  viewVersion(view: ListView<R, unknown>): string | null;
}

/** A view and how long it may be served. */
export interface ListViewAnswer<V> extends BuiltView<V> {
  /** Epoch ms after which it must not be served. */
  readonly goodUntil: number;
  /** Time of the list's last successful sync, epoch ms. */
  readonly checkedAt: number;
}

/** The source of a published list. It shows its definition, so that docs and tests list what exists. */
export interface RegistrySource<R> extends Source<Registry<R>> {
  readonly spec: RegistrySpec<R>;
}

export const isRegistrySource = (source: Source<SourceInstance>): source is RegistrySource<unknown> => 'spec' in source;
