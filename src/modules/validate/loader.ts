import { domainToASCII, domainToUnicode } from 'node:url';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { type Answer, derive } from '../../domain/answer.ts';
import { type EmailAddress, type Idna, parseEmailAddress } from '../../domain/email-address.ts';
import { invalidInput } from '../../domain/errors.ts';
import { withoutTrailing } from '../../domain/text.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/time.ts';
import { type FetchingLoader, liveLoader, type Offered } from '../../loaders/loader.ts';
import type { DnsAnswer, MxRecord } from '../../sources/dns/dns.ts';
import { type DnsQuestions, dns } from '../../sources/dns-source.ts';
import {
  type EmailValidation,
  isReservedName,
  isRoleAccount,
  type MailRoute,
  type MailServer,
  UNDELIVERABLE_REASONS,
  unroutable,
  verdictOf,
} from './domain.ts';
import { providerOf, suggestDomain } from './sources/providers.ts';

/** Maximum length of the input. An address has 254 octets at most; longer input up to this limit is answered as malformed. */
const MAX_CHARACTERS = 4096;

const idna: Idna = { toAscii: domainToASCII, toUnicode: domainToUnicode };

/**
 * Text → EmailValidation. A malformed address is an answer, not an error. Queries the DNS only for well-formed domains; does not store
 * addresses.
 * @throws AppError INVALID_INPUT for overlong text; SOURCE_UNAVAILABLE when the DNS fails, because the address is then neither valid nor
 * invalid
 */
export const emailLoader: Offered<string, EmailValidation> = {
  name: 'email',
  module: 'validate',
  key: (text) => text,
  async answer(text, load, time) {
    if (text.length > MAX_CHARACTERS) throw invalidInput('email', `An e-mail address is shorter than ${MAX_CHARACTERS} characters.`);
    const email = trimBlanks(text);
    const address = parseEmailAddress(email, idna);
    if (!address) return asOf(time.now(), malformed(email.toLowerCase()));
    const { asciiDomain } = address;
    if (asciiDomain === null) return asOf(time.now(), literal(address));
    if (isReservedName(asciiDomain)) return asOf(time.now(), named(address, asciiDomain, unroutable('reserved_name')));
    return derive(await load(mailRouteLoader, asciiDomain), (route) => named(address, asciiDomain, route));
  },
};

/** Trims blanks but no line breaks: a line break is not a typing error, it may be an attempt to inject a header. */
const trimBlanks = (text: string): string => withoutTrailing(text.replace(/^[ \t\u00a0]+/, ''), ' \t\u00a0');

/** Creates an answer that needed no source. */
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

interface CachedRoute extends MailRoute {
  /** Time to live, from the DNS records. */
  readonly ttlMs: number;
}

const SCHEMA: z.ZodType<CachedRoute> = z.object({
  servers: z.array(z.object({ host: z.string(), preference: z.number() })),
  fallback: z.boolean(),
  reason: z.enum(UNDELIVERABLE_REASONS).nullable(),
  ttlMs: z.number(),
});

/** Limit on caching a negative answer, because new domains appear. */
const MAX_NEGATIVE_TTL_MS = 15 * MINUTE_MS;
/** Time to live of a negative answer whose zone states none. */
const DEFAULT_NEGATIVE_TTL_MS = 5 * MINUTE_MS;

/**
 * Domain (A-labels) → its mail servers. Costs one to four DNS queries per domain, 16 domains in parallel. Cached for the TTL of the
 * records, at most a day, a negative answer at most 15 min; stale answers are never served.
 */
export const mailRouteLoader: FetchingLoader<string, CachedRoute> = liveLoader(dns, {
  name: 'mail_route',
  key: (domain) => domain,
  cache: { ttlMs: ({ ttlMs }) => ttlMs, maxStaleAgeMs: ({ ttlMs }) => ttlMs },
  schema: SCHEMA,
  call: (servers, domain) => servers.together((ask) => mailRoute(domain, ask)),
});

/** @throws DnsFailure */
async function mailRoute(domain: string, ask: DnsQuestions): Promise<CachedRoute> {
  const mx = await ask.mx(domain);
  if (mx.status === 'no_name') return { ...unroutable('no_such_domain'), ttlMs: ttlOf(mx) };
  if (mx.status === 'found') return { ...routeByMailServers(mx.records), ttlMs: ttlOf(mx) };
  const [addresses, sendsNothing] = await Promise.all([ask.addresses(domain), sendsNoMail(domain, ask)]);
  return { ...routeByAddresses(domain, addresses.records, sendsNothing), ttlMs: Math.min(ttlOf(mx), ttlOf(addresses)) };
}

function routeByMailServers(records: readonly MxRecord[]): MailRoute {
  if (records.every(({ exchange }) => exchange === '')) return unroutable('refuses_mail');
  const servers = records.filter(({ exchange }) => isHostName(exchange)).map(({ exchange: host, preference }) => ({ host, preference }));
  return servers.length > 0 ? { servers: servers.sort(inOrder), fallback: false, reason: null } : unroutable('no_mail_server');
}

function routeByAddresses(domain: string, addresses: readonly string[], sendsNothing: boolean): MailRoute {
  if (addresses.length === 0) return unroutable('no_mail_server');
  if (addresses.every(isPrivate)) return unroutable('private_address');
  if (sendsNothing) return unroutable('sends_no_mail');
  return { servers: [{ host: domain, preference: 0 }], fallback: true, reason: null };
}

/**
 * Resolves to true when the SPF record of the domain forbids all senders, which suggests that the domain has no mailboxes. Used only for
 * a domain without mail servers. A failed query counts as false, because the record alone does not decide the answer.
 */
const sendsNoMail = (domain: string, ask: DnsQuestions): Promise<boolean> =>
  ask.txt(domain).then(
    ({ records }) => records.some((text) => /^v=spf1\s+-all\s*$/i.test(text)),
    () => false,
  );

/** RFC 5321 § 5.1: an MX record holds a host name. An IP address, `localhost` or an empty name means that there is no mail server. */
const isHostName = (exchange: string): boolean => exchange !== '' && !ipaddr.isValid(exchange) && !/(^|\.)localhost(\.|$)/.test(exchange);

const inOrder = (a: MailServer, b: MailServer): number => a.preference - b.preference || (a.host < b.host ? -1 : 1);

/** Address ranges that cannot contain a public mail server. */
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

function ttlOf({ status, ttlMs }: DnsAnswer<unknown>): number {
  return status === 'found' ? Math.min(ttlMs, DAY_MS) : Math.min(ttlMs || DEFAULT_NEGATIVE_TTL_MS, MAX_NEGATIVE_TTL_MS);
}
