import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { SourceName } from '../domain/source-names.ts';
import type { Clock } from '../domain/time.ts';
import type { Dns } from './dns/dns.ts';
import type { HttpClient } from './http/client.ts';
import type { Circuit } from './http/policy.ts';
import type { OutboundClient } from './outbound/outbound.ts';

/** One URL setting of a source: where it is by default, live and in the sandbox. */
export interface AddressSpec {
  /** The real upstream. May hold `{date}`, which becomes YYYYMMDD. */
  readonly live: string;
  /** Path on the sandbox simulator. */
  readonly sandbox: string;
  /** One line for `--help` and the docs. */
  readonly description: string;
  /** True for the beginning of many addresses, false for that of one file. Only a file may be a `file:` URL. */
  readonly base?: boolean;
  /** True where an empty setting means "none". */
  readonly optional?: boolean;
}

/** A URL setting, resolved. */
export interface Address {
  /** Empty when the setting is optional and switched off. */
  readonly url: string;
  /** `live` is the real upstream's default address; `given` was set by the operator. */
  readonly origin: 'sandbox' | 'live' | 'given';
}

/** One setting of a source that is no address: a ticket, a window of days, a list of servers. */
export interface SettingSpec {
  /** One line for `--help` and the docs. */
  readonly description: string;
  /** Value where nothing is set; empty for none. */
  readonly fallback: string;
  /** In its place while the sandbox is the source. */
  readonly sandbox?: string;
  /** What a value must look like, and how that is said: `expected a whole number of days`. */
  readonly pattern: RegExp;
  readonly expected: string;
}

/** The version of a published list that answers now. Times are epoch ms. */
export interface ListVersion {
  readonly id: string;
  /** ISO date of the edition, as the publisher states it. */
  readonly publishedOn: string | null;
  readonly loadedAt: number;
  /** Last time the publisher was read successfully, changed or not. */
  readonly checkedAt: number;
  readonly entries: number;
  /** SHA-256 of the file, hex; of all its files together where the edition has several. */
  readonly checksum: string;
}

/** Health of one upstream, as operators see it. Times are epoch ms. */
export interface SourceStatus {
  readonly name: SourceName;
  readonly kind: 'live' | 'list';
  readonly origin: Address['origin'];
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  /** A short class such as `timeout` or `shrunk`; never an address or a body. */
  readonly lastError: string | null;
  readonly circuit: Circuit;
  readonly list: ListVersion | null;
  /** False when a question would fail now: never loaded, overdue, switched off, or circuit open. */
  readonly usable: boolean;
  /** True where its address is optional and not set: nothing is asked, so nothing fails. */
  readonly off?: boolean;
}

/** What a source is built from. */
export interface SourceDeps {
  readonly address: (setting: string) => Address;
  /** Value of one of the source's own settings. */
  readonly setting: (name: string) => string;
  /** A client of this source's own: its places, its circuit. `concurrency` calls at once (16 by default). */
  readonly http: (options?: { readonly concurrency?: number }) => HttpClient;
  /** The one way to hosts that callers name. */
  readonly outbound: OutboundClient;
  readonly dns: Dns;
  readonly db: Knex;
  readonly now: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** A folder for downloads in progress. */
  readonly tempDir: string;
}

/** What every built source can do besides answering. */
export interface SourceInstance {
  status(): Promise<SourceStatus>;
  close?(): Promise<void>;
}

/** One upstream, spoken to in its own format. The object is the token by which `use` reaches it. */
export interface Source<T extends SourceInstance> {
  readonly name: SourceName;
  /** Shown wherever the source's data is: licence and publisher. */
  readonly attribution: string;
  readonly addresses: Readonly<Record<string, AddressSpec>>;
  readonly settings?: Readonly<Record<string, SettingSpec>>;
  create(deps: SourceDeps): T;
}

export const defineSource = <T extends SourceInstance>(source: Source<T>): Source<T> => source;

/** Reaches a built source. */
export type Use = <T extends SourceInstance>(source: Source<T>) => T;
