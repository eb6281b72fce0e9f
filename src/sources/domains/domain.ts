import { domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { type CompanyKey, parseCompanyKey } from '../../domain/company.ts';
import { invalidInput } from '../../domain/errors.ts';
import { strip } from '../../domain/tax-id.ts';

/** A question about who is behind a domain. */
export interface DomainKey {
  /** Registrable domain, in ASCII (A-labels) and lower case: `empresa.com.br`. */
  readonly domain: string;
  /** The page to begin with, where the caller named one; null for the site's own front page. */
  readonly start: string | null;
}

/** A domain as a caller pasted it. */
export interface Domain extends DomainKey {
  /** The registrable domain in the caller's spelling: Unicode where it came so. */
  readonly written: string;
}

/** Families of domains whose companies can be found. */
export const FAMILIES = ['cl', 'br'] as const;

const MAX_LENGTH = 2048;
const NOT_A_DOMAIN = 'Give a domain such as empresa.cl or empresa.com.br; an address of its site or of its mail will do as well.';

/**
 * Pasted text → domain: a domain, `www.…`, the URL of a page or an e-mail address. The public suffix list says where the
 * registrable domain begins; customers of a shared host (`loja.host.com.br`) count as domains of their own, the host itself too.
 * @param families suffixes that are served; null for any
 * @throws AppError INVALID_INPUT on `field`
 */
export function parseDomain(text: string, field = 'domain', families: readonly string[] | null = FAMILIES): Domain {
  const pasted = text.normalize('NFKC').trim();
  const url = pasted.length > MAX_LENGTH ? null : toUrl(pasted);
  if (!url) throw invalidInput(field, NOT_A_DOMAIN);
  if (url.username || url.password) throw invalidInput(field, 'Leave the user name and the password out of the address.');
  const host = url.hostname.replace(/\.$/, '');
  const domain = registrable(host);
  if (!domain) throw invalidInput(field, parse(host).isIcann ? `${host} is a family of domains; give one of them.` : NOT_A_DOMAIN);
  if (families && !families.some((family) => domain.endsWith(`.${family}`))) {
    const served = families.map((family) => `.${family}`).join(' and ');
    throw invalidInput(field, `Only domains under ${served} lead to a company here; for ${domain} give the tax id instead.`);
  }
  return { domain, start: startOf(pasted, url, domain), written: /[^\0-\x7f]/.test(pasted) ? domainToUnicode(domain) : domain };
}

/** The tax id of a company that a domain may lead to: 14 characters are a CNPJ, anything else a RUT. @throws AppError INVALID_INPUT on `field` */
export const parseOwnerId = (text: string, field = 'identifier'): CompanyKey =>
  parseCompanyKey(strip(text).length === 14 ? 'BR' : 'CL', text, field);

/** True for a customer's name under a shared host: the registry knows the host's owner only. */
export function isHosted(domain: string): boolean {
  const { isPrivate, publicSuffix } = parse(domain, { allowPrivateDomains: true });
  return isPrivate === true && publicSuffix !== domain;
}

/** Registrable domain of a host in A-labels; null where it has none. */
export const registrable = (host: string): string | null => parse(host, { allowPrivateDomains: true }).domain ?? parse(host).domain;

/** The part of a registrable domain that somebody chose: `empresa` of `empresa.com.br`, accents and all. */
export const chosenLabel = (domain: string): string => domainToUnicode(domain.split('.')[0] ?? '');

/** Whatever was pasted, as a URL; null where it is none, or of another scheme than http(s). */
function toUrl(pasted: string): URL | null {
  if (/\s/.test(pasted)) return null;
  if (SCHEME.test(pasted)) return /^https?:/i.test(pasted) ? URL.parse(pasted) : null;
  const bare = pasted.replace(/^mailto:/i, '').replace(/^\/\//, '');
  const [, mailHost] = /^[^/?#]+@([^/?#@]+)$/.exec(bare) ?? [];
  const scheme = /^[^/]*:(?!\d*443(\/|$))/.test(bare) ? 'http' : 'https';
  return URL.parse(`${scheme}://${mailHost ?? bare}`);
}

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/**
 * The address itself where it says more than "the site of this domain": a port, a page, or a URL on another host than the front
 * door's. A bare `tienda.empresa.cl` is but a longer way to name `empresa.cl`.
 */
function startOf(pasted: string, url: URL, domain: string): string | null {
  const front = !SCHEME.test(pasted) || [domain, `www.${domain}`].includes(url.hostname);
  if (front && url.port === '' && url.pathname === '/' && url.search === '') return null;
  const start = new URL(url);
  start.hash = '';
  return start.href;
}
