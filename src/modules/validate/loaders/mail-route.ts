import ipaddr from 'ipaddr.js';
import { live } from '../../../domain/answer.ts';
import { DAY_MS, MINUTE_MS } from '../../../domain/time.ts';
import { callEach } from '../../../loaders/live.ts';
import type { FetchingLoader } from '../../../loaders/loader.ts';
import type { DnsAnswer, MxRecord } from '../../../sources/dns/dns.ts';
import { type DnsQuestions, dns } from '../../../sources/dns-source.ts';
import { type MailRoute, type MailServer, unroutable } from '../domain.ts';

interface KeptRoute extends MailRoute {
  /** For how long the DNS lets it stand. */
  readonly keepMs: number;
}

/** An absence is kept for as long as its zone says, and never longer: domains come to be. */
const MAX_ABSENCE_MS = 15 * MINUTE_MS;
/** Where the zone does not say. */
const ABSENCE_MS = 5 * MINUTE_MS;

/**
 * Domain (A-labels) → where its mail goes. `dns`, one to four questions a domain, 16 domains side by side. Kept for the TTL of the
 * records, a day at most, an absence 15 min at most; past that nothing old stands in.
 */
export const mailRouteLoader: FetchingLoader<string, KeptRoute> = {
  name: 'mail_route',
  key: (domain) => domain,
  cache: { ttlMs: ({ keepMs }) => keepMs, maxStaleAgeMs: ({ keepMs }) => keepMs, max: 50_000 },
  batch: (domains, use) => callEach('dns', domains, async (domain) => live(await use(dns).together((ask) => mailRoute(domain, ask)))),
};

/** @throws DnsFailure */
async function mailRoute(domain: string, ask: DnsQuestions): Promise<KeptRoute> {
  const mx = await ask.mx(domain);
  if (mx.status === 'no_name') return { ...unroutable('no_such_domain'), keepMs: keepMs(mx) };
  if (mx.status === 'found') return { ...byMailServers(mx.records), keepMs: keepMs(mx) };
  const [addresses, isSilent] = await Promise.all([ask.addresses(domain), sendsNoMail(domain, ask)]);
  return { ...byAddresses(domain, addresses.records, isSilent), keepMs: Math.min(keepMs(mx), keepMs(addresses)) };
}

function byMailServers(records: readonly MxRecord[]): MailRoute {
  if (records.every(({ exchange }) => exchange === '')) return unroutable('refuses_mail');
  const servers = records.filter(({ exchange }) => isHostName(exchange)).map(({ exchange: host, preference }) => ({ host, preference }));
  return servers.length > 0 ? { servers: servers.sort(inOrder), fallback: false, reason: null } : unroutable('no_mail_server');
}

function byAddresses(domain: string, addresses: readonly string[], isSilent: boolean): MailRoute {
  if (addresses.length === 0) return unroutable('no_mail_server');
  if (addresses.every(isPrivate)) return unroutable('private_address');
  if (isSilent) return unroutable('sends_no_mail');
  return { servers: [{ host: domain, preference: 0 }], fallback: true, reason: null };
}

/**
 * True where the domain says by SPF that nobody may send in its name. A sign that nobody is there to write to, needed only where the
 * domain names no mail server; without it the address stands, so its failure is none of the answer's.
 */
const sendsNoMail = (domain: string, ask: DnsQuestions): Promise<boolean> =>
  ask.txt(domain).then(
    ({ records }) => records.some((text) => /^v=spf1\s+-all\s*$/i.test(text)),
    () => false,
  );

/** RFC 5321 § 5.1: a mail server is named. An address, `localhost` or nothing in its place is a way to say that there is none. */
const isHostName = (exchange: string): boolean => exchange !== '' && !ipaddr.isValid(exchange) && !/(^|\.)localhost(\.|$)/.test(exchange);

const inOrder = (a: MailServer, b: MailServer): number => a.preference - b.preference || (a.host < b.host ? -1 : 1);

/** Ranges where no mail server of somebody else can be. */
const PRIVATE = new Set<string>([
  'unspecified',
  'loopback',
  'private',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
  'multicast',
  'broadcast',
]);
const isPrivate = (address: string): boolean => PRIVATE.has(ipaddr.process(address).range());

function keepMs({ status, ttlMs }: DnsAnswer<unknown>): number {
  return status === 'found' ? Math.min(ttlMs, DAY_MS) : Math.min(ttlMs || ABSENCE_MS, MAX_ABSENCE_MS);
}
