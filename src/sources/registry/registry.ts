import type { SourceName } from '../../domain/catalogue.ts';
import type { AddressSpec, Copy, ListVersion, SettingSpec, Source, SourceInstance } from '../source.ts';
import type { DownloadLimits } from './download.ts';
import type { ListFile } from './list-file.ts';
import type { BuiltView, ListView } from './list-view.ts';

/**
 * One entry of a published list, as its reader yields it.
 * `keys` name legal persons (`BR:11222333`, `CO:900964705`, `MX:AIN000713GR7`): country, colon, root without punctuation. On lists of
 * Brazil they also name people by the visible digits of their CPF (`BR:***456789**`).
 */
export interface ListEntry<R> {
  /** Id of the entry on the list, unique within a version. */
  readonly id: string;
  readonly keys: readonly string[];
  /** Fields of the entry under our names, not interpreted. They are stored as JSON: plain data only, no personal ids. */
  readonly record: R;
}

/** Summary that a reader returns after it has read the whole file. */
export interface ListSummary {
  /** Publication date (ISO) that the file states; null if it states none. */
  readonly publishedOn: string | null;
  /** Number of rows of the file, including skipped ones (people, malformed ids). */
  readonly rowsRead: number;
  readonly rowsSkipped: number;
  /** Number of rows that may name a company but that no lookup finds, because their id cannot be read; default 0. */
  readonly rowsUnmatched?: number;
  /** Reason, in one word and in a sentence, for which the content is not plausible; an operator may approve it. Null or absent for none. */
  readonly implausible?: { readonly reason: string; readonly why: string } | null;
}

/** Limits within which a new version may replace the current one. Shares are 0–1. */
export interface LoadGuard {
  /** Minimum number of rows; it applies to the publisher's default address only. */
  readonly minRows: number;
  /** Maximum number of rows; it applies to the publisher's default address only. Without it, only growth is limited. */
  readonly maxRows?: number;
  /** Bounds of the number of named companies; they apply to the publisher's default address only. */
  readonly minNamed?: number;
  readonly maxNamed?: number;
  /** Maximum share of rows that may disappear between versions. */
  readonly maxShrink: number;
  /** Maximum share of rows that may be added between versions. Lists under 1,000 rows may grow without limit. */
  readonly maxGrowth: number;
  /** Number of companies that may disappear besides that share, for a list that names few. Default 0. */
  readonly namedSlack?: number;
}

/** Terms of a publisher that the operator has to accept. The value of the setting is `accepted`, or empty. */
export interface PublisherTerms {
  readonly setting: string;
  /** Description in one line for `--help` and the docs. */
  readonly description: string;
}

/** Definition of a published list: the address of its file, its reader, and the rules for accepting it. */
export interface RegistrySpec<R> {
  readonly name: SourceName;
  readonly attribution: string;
  /** Sentences for the docs: what the list covers and what it does not, and what could not be verified. */
  readonly coverage?: readonly string[];
  /** Name of the URL setting. */
  readonly setting: string;
  readonly address: AddressSpec;
  /** Version of the reader. It must be increased whenever `R` changes, or the result for the same file; the file is then read again. */
  readonly schemaVersion: number;
  readonly guard: LoadGuard;
  /** Interval between syncs, ms. */
  readonly everyMs: number;
  /** Maximum time in ms without a successful sync. After it the list counts as a failed source. */
  readonly staleAfterMs: number;
  /**
   * Base names of the members to read from a zip of several files, best first, in lower case and without a date before them; without them,
   * the largest list file is read.
   */
  readonly members?: readonly string[];
  /** Maximum age of a version by its publication date, ms, for a publisher that may go on serving an old file; its default address only. */
  readonly maxAgeMs?: number;
  /** Key that the publisher's default address requires. Without it the list is switched off there, unless the key is optional. */
  readonly credential?: { readonly header: string; readonly setting: string; readonly spec: SettingSpec; readonly isOptional?: boolean };
  /** Query that is added to the address, for a publisher with an API. */
  readonly query?: Readonly<Record<string, string>>;
  /** Limits of a download that differ from the default ones. */
  readonly downloadLimits?: Partial<DownloadLimits>;
  /** Body in JSON of a POST request, for a publisher that answers no GET. */
  readonly requestBody?: string;
  /** Terms without whose acceptance the list is switched off. The sandbox needs none. */
  readonly terms?: PublisherTerms;
  /** Hosts that the publisher's download may redirect to, besides its own. */
  readonly redirectHosts?: readonly string[];
  /**
   * Reads the file as a stream: yields the entries and returns the summary.
   * @throws ListFileError if the file does not have the format of this list
   */
  read(file: ListFile): AsyncGenerator<ListEntry<R>, ListSummary, void>;
}

/** Result of a lookup: the entries of each requested holder, and their version. */
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
   * Looks up holders by the keys of entries, in one SQL statement. A holder without entries gets an empty array. Lists that the same
   * request looks up in the same tick share the statement.
   * @throws AppError SOURCE_UNAVAILABLE when the list was never loaded, is overdue or cannot be read
   */
  lookup(holders: readonly string[]): Promise<ListHits<R>>;
  /**
   * Returns an in-memory structure that is computed from the list's records. It is built at the first call, and rebuilt after each load in
   * the background. The previous one answers until it is ready, so `version` may be the previous one for seconds.
   * @throws AppError SOURCE_UNAVAILABLE when the list was never loaded, is overdue or cannot be read
   */
  view<V>(view: ListView<R, V>): Promise<ListViewAnswer<V>>;
  /**
   * Returns the id of the version that the view was last built from; null before the first build. Answers computed from another version
   * are invalid.
   */
  viewVersion(view: ListView<R, unknown>): string | null;
}

/** A view, and the time until which it may be served. */
export interface ListViewAnswer<V> extends BuiltView<V> {
  /** Epoch ms after which it must not be served. */
  readonly goodUntil: number;
  /** Time of the list's last successful sync, epoch ms. */
  readonly checkedAt: number;
}

/** The source of a published list. Its definition is public, so that docs and tests can list it. */
export interface RegistrySource<R> extends Source<Registry<R>> {
  readonly spec: RegistrySpec<R>;
}

export const isRegistrySource = (source: Source<SourceInstance>): source is RegistrySource<unknown> => 'spec' in source;
