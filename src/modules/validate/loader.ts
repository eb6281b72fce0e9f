import { domainToASCII, domainToUnicode } from 'node:url';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { type Answer, derive } from '../../domain/answer.ts';
import { type EmailAddress, type Idna, parseEmailAddress } from '../../domain/email-address.ts';
import { invalidInput } from '../../domain/errors.ts';
import { withoutTrailing } from '../../domain/text.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/time.ts';
import { type FetchingLoader, liveLoader, type Offered } from '../../loaders/loader.ts';
import { fieldMessages } from '../../messages/fields.ts';
import { type DnsAnswer, DnsFailure, type MxRecord } from '../../sources/dns/dns.ts';
import { type DnsQuestions, dns } from '../../sources/dns-source.ts';
import { isGloballyRoutable, isWithin, readNetwork } from '../../sources/outbound/address-policy.ts';
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
    if (text.length > MAX_CHARACTERS) throw invalidInput('email', fieldMessages.emailLength({ max: MAX_CHARACTERS }));
    const email = trimBlanks(text);
    const address = parseEmailAddress(email, idna);
    if (!address) return asOf(time.now(), malformed(email.toLowerCase()));
    const { asciiDomain } = address;
    if (asciiDomain === null) return asOf(time.now(), literal(address));
    if (isReservedName(asciiDomain)) return asOf(time.now(), named(address, asciiDomain, unroutable('reserved_name')));
    return derive(await load(mailRouteLoader, asciiDomain), (route) => named(address, asciiDomain, route));
  },
};

/** Trims blanks but no line breaks, because a line break is not a typing error and may be an attempt to inject a header. */
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
  ...providerOf(
    asciiDomain,
    route.servers.map(({ host }) => host),
  ),
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
  /** Time to live in ms, from the DNS records. */
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
 * Domain (A-labels) → its mail servers. It costs three or four DNS queries per domain, 16 domains in parallel, and up to 38 more if the
 * best mail server has no usable address. Answers are cached for the TTL of the records, at most a day, and negative ones at most 15 min.
 * Stale answers are never served.
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
  if (mx.status === 'found') return routeByMailServers(mx, ask);
  const [addresses, sendsNothing] = await Promise.all([ask.addresses(domain), sendsNoMail(domain, ask)]);
  return { ...routeByAddresses(domain, addresses.records, sendsNothing), ttlMs: Math.min(ttlOf(mx), ttlOf(addresses)) };
}

/**
 * Maximum number of mail servers whose addresses are queried, by preference, because a domain could name hundreds. Large providers have
 * about ten.
 */
const MAX_SERVERS_QUERIED = 20;

/** @throws DnsFailure when no mail server has a usable address and the addresses of one of them are not known or were not queried */
async function routeByMailServers(mx: DnsAnswer<MxRecord>, ask: DnsQuestions): Promise<CachedRoute> {
  const { records } = mx;
  if (records.every(({ exchange }) => exchange === '')) return { ...unroutable('refuses_mail'), ttlMs: ttlOf(mx) };
  const servers = records.filter(({ exchange }) => isHostName(exchange)).map(({ exchange: host, preference }) => ({ host, preference }));
  servers.sort(inOrder);
  const hosts = [...new Set(servers.map(({ host }) => host))];
  const [best, ...others] = hosts.slice(0, MAX_SERVERS_QUERIED);
  if (best === undefined) return { ...unroutable('no_mail_server'), ttlMs: ttlOf(mx) };
  const found = await addressesOf(best, ask);
  const answers = found.usable ? [found] : [found, ...(await usableFirst(others.map((host) => addressesOf(host, ask))))];
  const usable = answers.find((answer) => answer.usable);
  if (usable) return { servers, fallback: false, reason: null, ttlMs: Math.min(ttlOf(mx), usable.ttlMs) };
  const failed = answers.find(({ failure }) => failure !== null);
  if (failed?.failure) throw failed.failure;
  if (hosts.length > MAX_SERVERS_QUERIED)
    throw new DnsFailure('too_many_servers', `the first ${MAX_SERVERS_QUERIED} mail servers have no address`);
  const reason = answers.some(({ known }) => known) ? 'private_address' : 'no_mail_server';
  return { ...unroutable(reason), ttlMs: Math.min(ttlOf(mx), MAX_NEGATIVE_TTL_MS, ...answers.map(({ ttlMs }) => ttlMs)) };
}

/** The addresses of a mail server. */
interface ServerAddresses {
  /** True if it has an address. */
  readonly known: boolean;
  /** True if it has an address that can be reached from the internet. */
  readonly usable: boolean;
  readonly ttlMs: number;
  /** Failure of the query; null when the name servers answered. */
  readonly failure: DnsFailure | null;
}

/** Queries the addresses of a mail server; a failure is a value. Text that cannot be a host name has no address. */
async function addressesOf(host: string, ask: DnsQuestions): Promise<ServerAddresses> {
  try {
    const answer = await ask.addresses(host);
    return { known: answer.records.length > 0, usable: answer.records.some(isPublic), ttlMs: ttlOf(answer), failure: null };
  } catch (error) {
    if (!(error instanceof DnsFailure)) throw error;
    const failure = error.kind === 'bad_name' ? null : error;
    return { known: false, usable: false, ttlMs: DEFAULT_NEGATIVE_TTL_MS, failure };
  }
}

/** Resolves to the first usable result as soon as it arrives, else to all results. */
async function usableFirst(queries: readonly Promise<ServerAddresses>[]): Promise<readonly ServerAddresses[]> {
  const usable = queries.map(async (query) => {
    const answer = await query;
    if (!answer.usable) throw new Error('not usable');
    return [answer];
  });
  return Promise.any(usable).catch(() => Promise.all(queries));
}

function routeByAddresses(domain: string, addresses: readonly string[], sendsNothing: boolean): MailRoute {
  if (addresses.length === 0) return unroutable('no_mail_server');
  if (!addresses.some(isPublic)) return unroutable('private_address');
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

/**
 * False for an IP address, `localhost` or an empty name, which mean that there is no mail server. An MX record contains a host name (RFC
 * 5321 § 5.1).
 */
const isHostName = (exchange: string): boolean => exchange !== '' && !ipaddr.isValid(exchange) && !/(^|\.)localhost(\.|$)/.test(exchange);

const inOrder = (a: MailServer, b: MailServer): number => a.preference - b.preference || (a.host < b.host ? -1 : 1);

/** Networks of RFC 5737 and RFC 3849. They stand for public addresses in documentation and in the sandbox. */
const DOCUMENTATION = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32'].map(readNetwork);
const isPublic = (address: string): boolean => isGloballyRoutable(address) || isWithin(DOCUMENTATION, address);

function ttlOf({ status, ttlMs }: DnsAnswer<unknown>): number {
  return status === 'found' ? Math.min(ttlMs, DAY_MS) : Math.min(ttlMs || DEFAULT_NEGATIVE_TTL_MS, MAX_NEGATIVE_TTL_MS);
}
