import { isIPv6 } from 'node:net';
import type { Circuit, RecentCalls } from '../http/policy.ts';

/** Result of a query for one name and record type. Absence is a result; a query without a usable answer throws a DnsFailure. */
export interface DnsAnswer<T> {
  /** `no_name`: the name does not exist. `no_data`: it exists, without records of this type. */
  readonly status: 'found' | 'no_data' | 'no_name';
  readonly records: readonly T[];
  /** Time in ms for which the result may be cached: the lowest TTL of the records, or the zone's negative TTL for an absence. */
  readonly ttlMs: number;
}

/** A mail server. A single record of preference 0 with an empty host means that the domain accepts no mail (RFC 7505). */
export interface MxRecord {
  /** Host in lower case, without the dot at its end. */
  readonly exchange: string;
  readonly preference: number;
}

/** A query without a usable answer. `kind` is one word for operators: `timeout`, `servfail`, `refused`, `malformed`, `unreachable`, `bad_name`; `circuit_open` and `too_many_waiting` when no server was queried. */
export class DnsFailure extends Error {
  override readonly name = 'DnsFailure';
  readonly kind: string;

  constructor(kind: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Health of all configured name servers together. */
export interface DnsHealth {
  /** Origin of the servers: the sandbox's, the operating system's (`live`), or set by the operator (`given`). */
  readonly origin: 'sandbox' | 'live' | 'given';
  readonly circuit: Circuit;
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  readonly lastError: string | null;
  readonly recentCalls: RecentCalls | null;
}

/**
 * Queries the configured name servers over UDP and TCP, without hosts file, search list or cache.
 * Names are in ASCII (A-labels). Each call settles within 5 s, retries and the fallback to TCP included.
 * @throws DnsFailure
 */
export interface Dns {
  mx(name: string): Promise<DnsAnswer<MxRecord>>;
  /** Queries texts. The strings of one record are joined. */
  txt(name: string): Promise<DnsAnswer<string>>;
  /** Queries the host names that serve the zone. */
  ns(name: string): Promise<DnsAnswer<string>>;
  /**
   * Queries IPv4 and IPv6 addresses, and follows aliases. The status is `found` if either kind exists. After IPv4 addresses arrive, waits
   * at most 500 ms for IPv6.
   */
  addresses(name: string): Promise<DnsAnswer<string>>;
  health(): DnsHealth;
}

/** Address of a name server. */
export interface Server {
  readonly host: string;
  readonly port: number;
}

const DNS_PORT = 53;
const BRACKETED = /^\[([^\]]+)\](?::(\d{1,5}))?$/;
const PLAIN = /^([a-z\d][a-z\d.-]*)(?::(\d{1,5}))?$/i;

/** Parses `1.1.1.1`, `dns.local:53`, `[::1]:5353` or `::1` to host and port; null for any other text. */
export function readServer(text: string): Server | null {
  if (isIPv6(text)) return { host: text, port: DNS_PORT };
  const [, host = '', port = DNS_PORT] = BRACKETED.exec(text) ?? PLAIN.exec(text) ?? [];
  const usable = host !== '' && (!text.startsWith('[') || isIPv6(host)) && Number(port) > 0 && Number(port) < 0x10000;
  return usable ? { host, port: Number(port) } : null;
}
