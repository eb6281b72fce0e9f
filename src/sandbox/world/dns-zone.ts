/** A record of the made-up domain name system. Names are full, in lower case and ASCII, without a dot at their end. */
export type DnsRecord = {
  /** Whose record it is; the zone's own name where left out. */
  readonly name?: string;
  /** Seconds; 3,600 where left out. */
  readonly ttl?: number;
} & (
  | { readonly type: 'A' | 'AAAA'; readonly address: string }
  | { readonly type: 'CNAME' | 'NS'; readonly host: string }
  /** `host` is `.` in a record that says that the domain takes no mail. */
  | { readonly type: 'MX'; readonly preference: number; readonly host: string }
  /** One text, or the pieces of one. */
  | { readonly type: 'TXT'; readonly text: string | readonly string[] }
);

/** A domain and what its name servers say. Several of one name are read together. */
export interface DnsZone {
  readonly name: string;
  readonly records: readonly DnsRecord[];
  /** How every question about the zone fails, in place of its records. `silent`: no answer at all. */
  readonly failure?: 'servfail' | 'refused' | 'silent';
}
