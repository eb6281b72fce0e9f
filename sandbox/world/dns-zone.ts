/** A DNS record of the fictional world. Names are fully qualified, lower case and ASCII, without a trailing dot. */
export type DnsRecord = {
  /** Owner name; the zone's own name where left out. */
  readonly name?: string;
  /** Seconds; 3,600 where left out. */
  readonly ttl?: number;
} & (
  | { readonly type: 'A' | 'AAAA'; readonly address: string }
  | { readonly type: 'CNAME' | 'NS'; readonly host: string }
  /** `host` is `.` in a null MX: the domain accepts no mail. */
  | { readonly type: 'MX'; readonly preference: number; readonly host: string }
  /** One text, or its character strings. */
  | { readonly type: 'TXT'; readonly text: string | readonly string[] }
);

/** A domain and its records. Zones with the same name are merged. */
export interface DnsZone {
  readonly name: string;
  readonly records: readonly DnsRecord[];
  /** Failure of every query for the zone, in place of its records. `silent`: no response at all. */
  readonly failure?: 'servfail' | 'refused' | 'silent';
}
