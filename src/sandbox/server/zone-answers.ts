import { type Answer, AUTHORITATIVE_ANSWER, RECURSION_AVAILABLE } from 'dns-packet';
import type { DnsRecord, DnsZone } from '../world/dns-zone.ts';

/** What goes into a packet beside the question. */
export interface Said {
  readonly flags: number;
  readonly answers: readonly Answer[];
  readonly authorities: Answer[];
}

export const SERVFAIL = 2;
export const REFUSED = 5;
const NXDOMAIN = 3;
const FLAGS = AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE;

const TTL_SECONDS = 3_600;
const NEGATIVE_TTL_SECONDS = 300;
const MAX_ALIASES = 8;

/** An answer that is a code alone. */
export const refusal = (code: number): Said => ({ flags: FLAGS | code, answers: [], authorities: [] });

/** Zones → what they say of a name (lower case) and type of record, as a resolver would: aliases followed. Null is silence. */
export function createZoneAnswers(zones: readonly DnsZone[]): (name: string, type: string) => Said | null {
  const owned = (zone: DnsZone) => zone.records.map((record) => ({ ...record, name: record.name ?? zone.name }));
  const records = Map.groupBy(zones.flatMap(owned), ({ name }) => name);
  const exists = (name: string): boolean => [...records.keys()].some((one) => one === name || one.endsWith(`.${name}`));
  const failureOf = (name: string) => zones.find((zone) => zone.failure && (name === zone.name || name.endsWith(`.${zone.name}`)))?.failure;

  return (asked, type) => {
    const answers: Answer[] = [];
    let name = asked;
    for (let hops = 0; hops <= MAX_ALIASES; hops += 1) {
      const failure = failureOf(name);
      if (failure) return failure === 'silent' ? null : refusal(failure === 'servfail' ? SERVFAIL : REFUSED);
      const here = records.get(name) ?? [];
      const found = here.filter((record) => record.type === type);
      const alias = here.find((record) => record.type === 'CNAME');
      const given = found.length > 0 || !alias ? found : [alias];
      answers.push(...given.map(onTheWire));
      if (found.length > 0) return { flags: FLAGS, answers, authorities: [] };
      if (alias?.type !== 'CNAME') return { flags: FLAGS | (exists(name) ? 0 : NXDOMAIN), answers, authorities: [soaOf(name)] };
      name = alias.host;
    }
    return refusal(SERVFAIL);
  };
}

function onTheWire(record: DnsRecord & { readonly name: string }): Answer {
  const { name, ttl = TTL_SECONDS } = record;
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return { type: record.type, name, ttl, data: record.address };
    case 'CNAME':
    case 'NS':
      return { type: record.type, name, ttl, data: record.host };
    case 'MX':
      return { type: 'MX', name, ttl, data: { preference: record.preference, exchange: record.host } };
    case 'TXT':
      return { type: 'TXT', name, ttl, data: [record.text].flat() };
  }
}

/** Says for how long an absence holds. */
const soaOf = (name: string): Answer => ({
  type: 'SOA',
  name: name.split('.').slice(-1).join('.'),
  ttl: TTL_SECONDS,
  data: {
    mname: 'ns.sandbox.test',
    rname: 'hostmaster.sandbox.test',
    serial: 20_261_121,
    refresh: 7_200,
    retry: 900,
    expire: 1_209_600,
    minimum: NEGATIVE_TTL_SECONDS,
  },
});
