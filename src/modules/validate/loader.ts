import { domainToASCII, domainToUnicode } from 'node:url';
import ipaddr from 'ipaddr.js';
import { type Answer, derive } from '../../domain/answer.ts';
import { type EmailAddress, type Idna, parseEmailAddress } from '../../domain/email-address.ts';
import { invalidInput } from '../../domain/errors.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/time.ts';
import { liveLoader } from '../../loaders/live.ts';
import type { FetchingLoader, Offered } from '../../loaders/loader.ts';
import type { DnsAnswer, MxRecord } from '../../sources/dns/dns.ts';
import { type DnsQuestions, dns } from '../../sources/dns-source.ts';
import { type EmailValidation, isReservedName, isRoleAccount, type MailRoute, type MailServer, unroutable, verdictOf } from './domain.ts';
import { providerOf, suggestDomain } from './sources/providers.ts';

/** An address has 254 octets at most; what is somewhat longer gets an answer all the same. */
const MAX_CHARACTERS = 4096;

const idna: Idna = { toAscii: domainToASCII, toUnicode: domainToUnicode };

/**
 * Text → EmailValidation. Malformed is an answer. Nothing is asked of the DNS but the route of a well-formed domain, and no address is kept.
 * @throws AppError INVALID_INPUT (an absurd length), SOURCE_UNAVAILABLE (the DNS failed: neither valid nor invalid)
 */
export const emailLoader: Offered<string, EmailValidation> = {
  name: 'email',
  module: 'validate',
  key: (text) => text,
  async answer(text, load, now) {
    if (text.length > MAX_CHARACTERS) throw invalidInput('email', `An e-mail address is shorter than ${MAX_CHARACTERS} characters.`);
    const email = trimBlanks(text);
    const address = parseEmailAddress(email, idna);
    if (!address) return asOf(now(), malformed(email.toLowerCase()));
    const { asciiDomain } = address;
    if (asciiDomain === null) return asOf(now(), literal(address));
    if (isReservedName(asciiDomain)) return asOf(now(), named(address, asciiDomain, unroutable('reserved_name')));
    return derive(await load(mailRouteLoader, asciiDomain), (route) => named(address, asciiDomain, route));
  },
};

/** Blanks only: a line break is never part of what was typed, but may be an attempt to add a header. */
const trimBlanks = (text: string): string => text.replace(/^[ \t\u00a0]+/, '').replace(/[ \t\u00a0]+$/, '');

/** A verdict that no source was needed for. */
const asOf = (at: number, value: EmailValidation): Answer<EmailValidation> => ({
  value,
  freshness: { fetchedAt: at, dataAsOf: null, cached: false, stale: false, expiresAt: null },
});

function malformed(email: string): EmailValidation {
  const domain = email.includes('@') ? email.slice(email.lastIndexOf('@') + 1) : '';
  return {
    email,
    valid: false,
    formatValid: false,
    mxValid: false,
    verdict: 'malformed',
    reason: null,
    mailServers: [],
    disposable: false,
    freeProvider: false,
    roleAccount: false,
    smtpUtf8: false,
    domain,
    asciiDomain: null,
    suggestion: suggestDomain(domain, false),
  };
}

const literal = (address: EmailAddress): EmailValidation => ({
  ...wellFormed(address, unroutable('address_literal')),
  disposable: false,
  freeProvider: false,
  suggestion: null,
});

const named = (address: EmailAddress, asciiDomain: string, route: MailRoute): EmailValidation => ({
  ...wellFormed(address, route),
  ...providerOf(asciiDomain),
  suggestion: suggestDomain(asciiDomain, route.reason === null && !route.fallback),
});

const wellFormed = ({ local, domain, asciiDomain, smtpUtf8 }: EmailAddress, route: MailRoute) => ({
  email: `${local}@${domain}`,
  valid: route.reason === null,
  formatValid: true,
  mxValid: route.reason === null,
  verdict: verdictOf(route),
  reason: route.reason,
  mailServers: route.servers,
  roleAccount: isRoleAccount(local),
  smtpUtf8,
  domain,
  asciiDomain,
});

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
export const mailRouteLoader: FetchingLoader<string, KeptRoute> = liveLoader(dns, {
  name: 'mail_route',
  key: (domain) => domain,
  cache: { ttlMs: ({ keepMs }) => keepMs, maxStaleAgeMs: ({ keepMs }) => keepMs, max: 50_000 },
  call: (servers, domain) => servers.together((ask) => mailRoute(domain, ask)),
});

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
