import { domainToASCII, domainToUnicode } from 'node:url';
import { type Answer, derive } from '../../../domain/answer.ts';
import { type EmailAddress, type Idna, parseEmailAddress } from '../../../domain/email-address.ts';
import { invalidInput } from '../../../domain/errors.ts';
import type { Offered } from '../../../loaders/loader.ts';
import { type EmailValidation, isReservedName, isRoleAccount, type MailRoute, unroutable, verdictOf } from '../domain.ts';
import { providerOf } from '../sources/providers.ts';
import { suggestDomain } from '../sources/typos.ts';
import { mailRouteLoader } from './mail-route.ts';

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
