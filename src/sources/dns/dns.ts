import type { Circuit } from '../http/policy.ts';

/** What the domain name system says of one name and kind of record. Absence is an answer; silence is a DnsFailure. */
export interface DnsAnswer<T> {
  /** `no_name`: the name does not exist. `no_data`: it does, without such records. */
  readonly status: 'found' | 'no_data' | 'no_name';
  readonly records: readonly T[];
  /** For how long this may be kept, by the records' own TTL (the zone's negative TTL for an absence), in ms. */
  readonly ttlMs: number;
}

/** A mail server. A single one of preference 0 without a host (`''`) says that the domain takes no mail. */
export interface MxRecord {
  /** Host in lower case, without the dot at its end. */
  readonly exchange: string;
  readonly preference: number;
}

/** No usable answer. `kind` is one word for operators: `timeout`, `servfail`, `refused`, `malformed`, `unreachable`, `bad_name`; `circuit_open` and `too_many_waiting` where none was asked. */
export class DnsFailure extends Error {
  override readonly name = 'DnsFailure';
  readonly kind: string;

  constructor(kind: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Health of the name servers together. */
export interface DnsHealth {
  /** Whose they are: the sandbox's, the system's own (`live`), or set by the operator. */
  readonly origin: 'sandbox' | 'live' | 'given';
  readonly circuit: Circuit;
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  readonly lastError: string | null;
}

/**
 * Questions to the configured name servers, by wire: no hosts file, no search list, nothing kept.
 * Names are given in ASCII (A-labels). Each settles within 5 s, retries and a move to TCP included.
 * @throws DnsFailure
 */
export interface Dns {
  mx(name: string): Promise<DnsAnswer<MxRecord>>;
  /** Texts, the pieces of each joined. */
  txt(name: string): Promise<DnsAnswer<string>>;
  /** Host names that serve the zone. */
  ns(name: string): Promise<DnsAnswer<string>>;
  /** IPv4 and IPv6 addresses, aliases followed. Found when either kind is; once the former are, the latter are not waited for long. */
  addresses(name: string): Promise<DnsAnswer<string>>;
  health(): DnsHealth;
}
