import type { SourceName } from '../../domain/source-names.ts';
import type { Copy } from '../copy.ts';
import type { AddressSpec, ListVersion, Source } from '../source.ts';
import type { ListFile } from './list-file.ts';

/**
 * One entry of a published list as its reader yields it.
 * `keys` name legal persons (`BR:11222333`, `CO:900964705`, `MX:AIN000713GR7`): country, colon, root without punctuation.
 */
export interface ListEntry<R> {
  /** The list's own id of the entry; unique within the edition. */
  readonly id: string;
  readonly keys: readonly string[];
  /** What the entry says, in our names, nothing interpreted. Kept as JSON: plain data only, no personal ids. */
  readonly record: R;
}

/** What a reader tells about the edition once it has read it whole. */
export interface ListSummary {
  /** ISO date of the edition as the file states it; null when it does not say. */
  readonly publishedOn: string | null;
  /** Rows of the file, those not kept (people, malformed ids) included. */
  readonly rowsRead: number;
  readonly rowsSkipped: number;
}

/** What decides whether a new edition may replace the one that answers. Shares are 0–1. */
export interface LoadGuard {
  /** Fewer rows than this are implausible; applies to the real host's default address only. */
  readonly minRows: number;
  /** Largest share of rows that may vanish between editions. */
  readonly maxShrink: number;
  /** Largest share of rows that may appear between editions; lists under 1,000 rows may grow freely. */
  readonly maxGrowth: number;
}

/** A published list: how to read its file and when to trust it. */
export interface RegistrySpec<R> {
  readonly name: SourceName;
  readonly attribution: string;
  /** The one URL setting: its name and its defaults. */
  readonly setting: string;
  readonly address: AddressSpec;
  /** Raise it whenever `R` changes: the stored copy is then read again. */
  readonly schemaVersion: number;
  readonly guard: LoadGuard;
  /** Between visits to the publisher. */
  readonly everyMs: number;
  /** After this long without a successful visit the list is a failed source. */
  readonly staleAfterMs: number;
  /** Base names to take from a zip of several files, best first, in lower case; else its largest list file. */
  readonly members?: readonly string[];
  /** Hosts the publisher's download may redirect to, besides its own. */
  readonly redirectHosts?: readonly string[];
  /**
   * Reads the file as a stream: yields the entries and returns the edition.
   * @throws ListFileError when the file is not of this list's format
   */
  read(file: ListFile): AsyncGenerator<ListEntry<R>, ListSummary, void>;
}

/** What a lookup found: the entries of each asked legal person, and the edition that says so. */
export interface ListHits<R> {
  readonly version: ListVersion;
  /** Epoch ms after which this must not be relied on. */
  readonly goodUntil: number;
  readonly entries: ReadonlyMap<string, readonly ListEntry<R>[]>;
}

/** A registry copy: a published list in Postgres, answering for many legal persons at once. */
export interface Registry<R> extends Copy {
  readonly spec: RegistrySpec<R>;
  /**
   * Legal persons → their entries (every person asked has a list, empty for none), in one SQL statement.
   * @throws AppError SOURCE_UNAVAILABLE when the list was never loaded, is overdue or cannot be read
   */
  lookup(legalPersons: readonly string[]): Promise<ListHits<R>>;
}

export type RegistrySource<R> = Source<Registry<R>>;
