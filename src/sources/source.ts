import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { SharedLimits } from '../cache/shared-limits.ts';
import type { CopyReads } from '../db/read-replica.ts';
import type { SourceName } from '../domain/catalogue.ts';
import type { Clock } from '../domain/time.ts';
import type { Dns } from './dns/dns.ts';
import type { HttpClient } from './http/client.ts';
import type { Circuit, RecentCalls } from './http/policy.ts';
import type { OutboundClient } from './outbound/outbound.ts';

/** One URL setting of a source and its defaults, live and in the sandbox. */
export interface AddressSpec {
  /** The real upstream. May hold `{date}`, which becomes YYYYMMDD. */
  readonly live: string;
  /** Path on the sandbox simulator. */
  readonly sandbox: string;
  /** One line for `--help` and the docs. */
  readonly description: string;
  /** True for a base URL that paths are appended to, false for the URL of one file. Only the latter may be a `file:` URL. */
  readonly base?: boolean;
  /** True when an empty value means "none". */
  readonly optional?: boolean;
}

/** A URL setting, resolved. */
export interface Address {
  /** Empty when the setting is optional and switched off. */
  readonly url: string;
  /** `live` is the real upstream's default address; `given` was set by the operator. */
  readonly origin: 'sandbox' | 'live' | 'given';
}

/** One setting of a source other than a URL: a ticket, a window of days, a list of servers. */
export interface SettingSpec {
  /** One line for `--help` and the docs. */
  readonly description: string;
  /** Default value; empty for none. */
  readonly fallback: string;
  /** Default value in sandbox mode. */
  readonly sandbox?: string;
  /** Valid values; `expected` is the error message, e.g. `expected a whole number of days`. */
  readonly pattern: RegExp;
  readonly expected: string;
  /** Present for what a publisher gives to the operator: a ticket, a token. */
  readonly credential?: Credential;
  /** Lowest and highest valid value of a duration or a number, as texts. */
  readonly range?: readonly [lowest: string, highest: string];
}

/** A value that a publisher gives to the operator of the service. */
export interface Credential {
  /** URL of the page where it is asked for. */
  readonly requestedAt: string;
  /** A sentence: what does not work without it. */
  readonly without: string;
  /** False where the source works without it, but less well. */
  readonly isNeeded: boolean;
  /** The address setting of the upstream that wants it: another address may need none. */
  readonly address: string;
}

/** The current version of a published list. Times are epoch ms. */
export interface ListVersion {
  readonly id: string;
  /** Publication date (ISO) as the publisher states it; null when it states none. */
  readonly publishedOn: string | null;
  readonly loadedAt: number;
  /** Time of the last successful sync, whether the data changed or not. */
  readonly checkedAt: number;
  readonly entries: number;
  /** Rows left out because their id cannot be read: a company that only they name is not found. */
  readonly rowsUnmatched: number;
  /** SHA-256 of the file, hex; of all files together when there are several. */
  readonly checksum: string;
}

/** The current version of a published list, and how long it lasts. Times are epoch ms. */
export interface ListStatus extends ListVersion {
  /** Until when the version is served unless a sync succeeds before. */
  readonly goodUntil: number;
}

/** A list's status with the schedule of its syncs. */
export interface ListReport extends ListStatus {
  /** When the next sync is due: one interval after the last successful one. */
  readonly syncDueAt: number;
}

/** Health of one upstream. Times are epoch ms. */
export interface SourceStatus {
  readonly name: SourceName;
  readonly kind: 'live' | 'list';
  readonly origin: Address['origin'];
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  /** A short class such as `timeout` or `shrunk`; never an address or a body. */
  readonly lastError: string | null;
  readonly circuit: Circuit;
  /** How its last calls went; null or absent where it was not called, as for lists. */
  readonly recentCalls?: RecentCalls | null;
  readonly list: ListStatus | null;
  /** False when a request would fail now: never loaded, overdue, switched off, or circuit open. */
  readonly usable: boolean;
  /** True when its optional address is not set: it is never called, so it never fails. */
  readonly off?: boolean;
}

/** What a source is built from. */
export interface SourceDeps {
  readonly address: (setting: string) => Address;
  /** Value of one of the source's own settings. */
  readonly setting: (name: string) => string;
  /**
   * Creates an HTTP client for this source alone, with its own slots and circuit. `concurrency`: calls at once (16 by default). `purpose`
   * tells the clients of a source apart, whose circuits processes share.
   */
  readonly http: (options?: { readonly concurrency?: number; readonly purpose?: string }) => HttpClient;
  /** Limits that all processes share; undefined without Redis. */
  readonly limits?: SharedLimits | undefined;
  /** The only client for hosts that callers name. */
  readonly outbound: OutboundClient;
  readonly dns: Dns;
  readonly db: Knex;
  /** Reads of copied registries from a read replica; undefined without one. */
  readonly copyReads?: CopyReads | undefined;
  readonly now: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** A folder for downloads in progress. */
  readonly tempDir: string;
}

/** What every source instance provides besides its own calls. */
export interface SourceInstance {
  status(): Promise<SourceStatus>;
  close?(): Promise<void>;
}

/** Definition of one upstream. The object itself is the token by which `use` returns its instance. */
export interface Source<T extends SourceInstance> {
  readonly name: SourceName;
  /** Licence and publisher; shown wherever the source's data is shown. */
  readonly attribution: string;
  readonly addresses: Readonly<Record<string, AddressSpec>>;
  readonly settings?: Readonly<Record<string, SettingSpec>>;
  create(deps: SourceDeps): T;
}

export const defineSource = <T extends SourceInstance>(source: Source<T>): Source<T> => source;

/** Returns the instance of a source. */
export type Use = <T extends SourceInstance>(source: Source<T>) => T;

/**
 * Result of one sync with the publisher. `busy`: another process is syncing. Reasons of a refusal: `download_failed`, `timeout`,
 * `not_a_list`, `empty`, `too_small`, `older`, `shrunk`, `grown`, `load_failed` (ours: the database or the reader), `stopped`, `switched_off`.
 */
export type SyncResult =
  | { readonly outcome: 'loaded'; readonly version: ListVersion }
  | { readonly outcome: 'unchanged'; readonly version: ListVersion }
  | { readonly outcome: 'busy' }
  /** `why`: for operators, of a file that is no list; it quotes no row. `retryAfterMs`: the publisher's `Retry-After`. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly why?: string; readonly retryAfterMs?: number };

/** Progress of a running sync. */
export interface SyncProgress {
  /** Current step, e.g. `PUB_EMPRESAS_PJ_2024.txt`. */
  readonly step: string;
  /** Rows read in this step so far. */
  readonly rows: number;
  /** Share of this step that is done, 0 to 1; null where its size is not known. */
  readonly share: number | null;
}

export interface SyncOptions {
  /** Skips the plausibility checks; the operator vouches for the data. */
  readonly force?: boolean;
  /** Local files to read instead of the publisher's, where the source supports it. */
  readonly files?: readonly string[];
  readonly signal?: AbortSignal;
  /** Called from time to time; never awaited. */
  readonly onProgress?: (progress: SyncProgress) => void;
}

/** A source that keeps a local copy of published data in Postgres and answers from the copy. */
export interface Copy extends SourceInstance {
  readonly name: SourceName;
  /** Interval between syncs, ms. */
  readonly everyMs: number;
  /** True when no address is configured: there is nothing to sync. */
  readonly off?: boolean;
  /** Id of the current version, from memory (a few seconds old at most); null when none is loaded. Answers cached for another version are void. */
  version(): string | null;
  /** Reloads the current version's id from the database. */
  refresh(): Promise<void>;
  /** Downloads and loads the published data if it changed. Never throws for a failure of the publisher. */
  sync(options?: SyncOptions): Promise<SyncResult>;
}
