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
  /** Address of the real upstream. It may contain `{date}`, which becomes YYYYMMDD. */
  readonly live: string;
  /** Path on the sandbox simulator. */
  readonly sandbox: string;
  /** Description in one line for `--help` and the docs. */
  readonly description: string;
  /** True for a base URL that paths are appended to, false for the URL of one file, which may also be a `file:` URL. */
  readonly base?: boolean;
  /** True when an empty value means "none". */
  readonly optional?: boolean;
}

/** A resolved URL setting. */
export interface Address {
  /** URL; empty if the setting is optional and switched off. */
  readonly url: string;
  /** `live` is the real upstream's default address; `given` was set by the operator. */
  readonly origin: 'sandbox' | 'live' | 'given';
}

/** One setting of a source other than a URL: a ticket, a window of days, a list of servers. */
export interface SettingSpec {
  /** Description in one line for `--help` and the docs. */
  readonly description: string;
  /** Default value; empty for none. */
  readonly fallback: string;
  /** Default value in sandbox mode. */
  readonly sandbox?: string;
  /** Other settings and addresses; if one of them is given, `fallback` is the default in sandbox mode, too. */
  readonly sandboxUnless?: readonly string[];
  /** Pattern of valid values. `expected` is the error message, e.g. `expected a whole number of days`. */
  readonly pattern: RegExp;
  readonly expected: string;
  /** Description of a value that a publisher gives to the operator, such as a ticket or a token; undefined for other settings. */
  readonly credential?: Credential;
  /** Lowest and highest valid value of a duration or a number, as texts. */
  readonly range?: readonly [lowest: string, highest: string];
}

/** A value that a publisher gives to the operator of the service. */
export interface Credential {
  /** URL of the page where an operator can request it. */
  readonly requestedAt: string;
  /** A sentence about the functions that do not work without it. */
  readonly without: string;
  /** False if the source works without it, with restrictions. */
  readonly isNeeded: boolean;
  /** Address setting of the upstream that requires it. Another address may need none. */
  readonly address: string;
}

/** The current version of a published list. Times are epoch ms. */
export interface ListVersion {
  readonly id: string;
  /** Publication date (ISO) as the publisher states it; null if it states none. */
  readonly publishedOn: string | null;
  readonly loadedAt: number;
  /** Time of the last successful sync, with or without a change of the data. */
  readonly checkedAt: number;
  readonly entries: number;
  /** Number of rows whose id cannot be read, and that may be about a company which no other row names. */
  readonly rowsUnmatched: number;
  /** SHA-256 of the file, hex; of all files together if there are several. */
  readonly checksum: string;
}

/** The current version of a published list, and its expiry. Times are epoch ms. */
export interface ListStatus extends ListVersion {
  /** Time until which the version is served, unless a sync succeeds before. */
  readonly goodUntil: number;
}

/** A list's status with the schedule of its syncs. */
export interface ListReport extends ListStatus {
  /** Due time of the next sync, one interval after the last successful one. */
  readonly syncDueAt: number;
}

/** The reason for which a source is off, and the setting that turns it on. */
export interface OffReason {
  /** A sentence for operators, without its full stop. */
  readonly why: string;
  readonly setting: string;
}

/** Health of one upstream. Times are epoch ms. */
export interface SourceStatus {
  readonly name: SourceName;
  readonly kind: 'live' | 'list';
  readonly origin: Address['origin'];
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  /** Short class of the last error, such as `timeout` or `shrunk`; never an address or a body. */
  readonly lastError: string | null;
  readonly circuit: Circuit;
  /** Statistics of its last calls; null or absent if it was not called, as for lists. */
  readonly recentCalls?: RecentCalls | null;
  readonly list: ListStatus | null;
  /** ISO date that a live source states for its data; null while it is not known, and absent for a source whose data have no maximum age. */
  readonly dataAsOf?: string | null;
  /** False if a request would fail now: the source was never loaded, is overdue or switched off, or its circuit is open. */
  readonly usable: boolean;
  /** True if it is switched off by its settings, so that it is never called and never fails. */
  readonly off?: boolean;
  /** The reason for which it is off, for operators; absent for a source that is on. */
  readonly offBecause?: OffReason;
}

/** Dependencies of a source. */
export interface SourceDeps {
  readonly address: (setting: string) => Address;
  /** Returns the value of one of the source's own settings. */
  readonly setting: (name: string) => string;
  /**
   * Creates an HTTP client for this source alone, with its own slots and circuit breaker. `concurrency`: maximum number of concurrent
   * calls (default 16). `purpose` distinguishes the clients of a source, whose circuit breakers processes share. `host`: origin of a host
   * on which several sources are, which then share the concurrent calls and the pauses that it demands.
   */
  readonly http: (options?: { readonly concurrency?: number; readonly purpose?: string; readonly host?: string }) => HttpClient;
  /** Limits that all processes share; undefined without Redis. */
  readonly limits?: SharedLimits | undefined;
  /** The only client for hosts that callers name. */
  readonly outbound: OutboundClient;
  readonly dns: Dns;
  readonly db: Knex;
  /** Secret of the installation (QUIPU_KEY_SECRET); null or absent in a process that answers no requests and has not read it. */
  readonly keySecret?: string | null;
  /** Reads copied registries from a read replica; undefined without one. */
  readonly copyReads?: CopyReads | undefined;
  readonly now: Clock;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** A folder for downloads in progress. */
  readonly tempDir: string;
}

/** Members of every source instance besides its own calls. */
export interface SourceInstance {
  /** Interval between two loads of the copy of a source that is no `Copy` itself, ms; absent without one. */
  readonly copyEveryMs?: number;
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
 * Result of one sync with the publisher. `isIncomplete`: another file of the copy could not be loaded and is to be tried again soon, with
 * growing pauses. `busy`: another process is syncing. Reasons of a refusal: `download_failed`, `timeout`,
 * `not_a_list`, `empty`, `too_small`, `too_large`, `older`, `not_earlier`, `shrunk`, `grown`, `load_failed` (ours: the database or the reader), `stopped`, `switched_off`.
 */
export type SyncResult =
  | { readonly outcome: 'loaded'; readonly version: ListVersion; readonly isIncomplete?: true }
  | { readonly outcome: 'unchanged'; readonly version: ListVersion; readonly isIncomplete?: true }
  | { readonly outcome: 'busy' }
  /** `why`: a sentence for operators about a file that is not a list; it quotes no row. `retryAfterMs`: the publisher's `Retry-After`. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly why?: string; readonly retryAfterMs?: number };

/** Progress of a running sync. */
export interface SyncProgress {
  /** Current step, e.g. `PUB_EMPRESAS_PJ_2024.txt`. */
  readonly step: string;
  /** Number of rows read in this step so far. */
  readonly rows: number;
  /** Share of this step that is done, 0 to 1; null if its size is not known. */
  readonly share: number | null;
}

export interface SyncOptions {
  /** True if an operator has approved the data, so that the plausibility checks are skipped. */
  readonly force?: boolean;
  /** Local files to read instead of the publisher's, if the source supports it. */
  readonly files?: readonly string[];
  readonly signal?: AbortSignal;
  /** Called repeatedly during the sync; never awaited. */
  readonly onProgress?: (progress: SyncProgress) => void;
}

/** A source that keeps a local copy of published data in Postgres and answers from the copy. */
export interface Copy extends SourceInstance {
  readonly name: SourceName;
  /** Interval between syncs, ms. */
  readonly everyMs: number;
  /** True if no address is configured, so that there is nothing to sync. */
  readonly off?: boolean;
  /**
   * Returns the id of the current version, from memory (a few seconds old at most); null if none is loaded. Answers cached for another
   * version are invalid.
   */
  version(): string | null;
  /** Reloads the current version's id from the database. */
  refresh(): Promise<void>;
  /** Downloads and loads the published data if it changed. It never throws for a failure of the publisher. */
  sync(options?: SyncOptions): Promise<SyncResult>;
}
