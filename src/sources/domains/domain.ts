import { domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { type CompanyKey, hasCnpjForm, parseCompanyKey } from '../../domain/company.ts';
import { invalidInput } from '../../domain/errors.ts';
import { siteMessages } from '../../messages/sources.ts';

/** A lookup of the owner of a domain. */
export interface DomainKey {
  /** Registrable domain, in ASCII (A-labels) and lower case: `empresa.com.br`. */
  readonly domain: string;
  /** URL of the page to read first, if the caller gave one; null for the site's front page. */
  readonly start: string | null;
}

/** A parsed domain, with the caller's spelling. */
export interface Domain extends DomainKey {
  /** The registrable domain in the caller's spelling: in Unicode if the input was. */
  readonly written: string;
}

/** Top-level domains whose owners can be looked up. */
const FAMILIES = ['cl', 'br'] as const;

const MAX_LENGTH = 2048;

/**
 * Parses a domain, a host name (`www.…`), the URL of a page or an e-mail address. The registrable domain follows the public suffix
 * list, private suffixes included: a customer of a shared host (`loja.host.com.br`) counts as a domain of its own, and so does the host. So
 * does a public suffix with a site of its own (`rs.gov.br`).
 * @param families the two top-level domains to accept; null for any, and for any public suffix of two labels or more, because some have
 * sites (`com.co`)
 * @throws AppError INVALID_INPUT on `field`
 */
export function parseDomain(text: string, field = 'domain', families: readonly [string, string] | null = FAMILIES): Domain {
  const pasted = text.normalize('NFKC').trim();
  const url = pasted.length > MAX_LENGTH ? null : toUrl(pasted);
  if (!url) throw invalidInput(field, siteMessages.notADomain());
  if (url.username || url.password) throw invalidInput(field, siteMessages.withPassword());
  const host = url.hostname.replace(/\.$/, '');
  const domain = registrable(host) ?? (families === null && isPublicSuffix(host) ? host : null);
  if (!domain) throw invalidInput(field, parse(host).isIcann ? siteMessages.publicSuffix({ host }) : siteMessages.notADomain());
  if (families && !families.some((family) => domain.endsWith(`.${family}`))) {
    const [first, second] = families;
    throw invalidInput(field, siteMessages.otherFamily({ first: `.${first}`, second: `.${second}`, domain }));
  }
  return { domain, start: startOf(pasted, url, domain), written: /[^\0-\x7f]/.test(pasted) ? domainToUnicode(domain) : domain };
}

/** True for a public suffix of two labels or more. */
const isPublicSuffix = (host: string): boolean => host.includes('.') && parse(host).publicSuffix === host && parse(host).isIcann === true;

/** Parses the tax id of a domain's owner: a CNPJ by its form, anything else a RUT. @throws AppError INVALID_INPUT on `field` */
export const parseOwnerId = (text: string, field = 'identifier'): CompanyKey =>
  parseCompanyKey(hasCnpjForm(text) ? 'BR' : 'CL', text, field);

/** True for a customer's domain under a shared host; the domain registry only has the owner of the host. */
export function isHosted(domain: string): boolean {
  const { isPrivate, publicSuffix } = parse(domain, { allowPrivateDomains: true });
  return isPrivate === true && publicSuffix !== domain;
}

/**
 * Returns the registrable domain of a host in A-labels; null if the host has none. A public suffix with a site of its own is a domain, and
 * its `www.` is the same domain.
 */
export function registrable(host: string): string | null {
  const domain = parse(host, { allowPrivateDomains: true }).domain ?? parse(host).domain;
  if (domain === null) return isSite(host) ? host : null;
  const [, name] = /^www\.(.+)$/.exec(domain) ?? [];
  return name !== undefined && isSite(name) ? registrable(name) : domain;
}

/** True for a public suffix that is also a site: a shared host, or a government or one of its bodies (`rs.gov.br`, not `com.br`). */
function isSite(host: string): boolean {
  const { publicSuffix, isPrivate } = parse(host, { allowPrivateDomains: true });
  return publicSuffix === host && (isPrivate === true || GOVERNMENT.test(host));
}

const GOVERNMENT = /^(?:gov|gob|gub|go|gouv|govt)\.[a-z]{2}$|\.(?:gov|gob|gub|go|gouv|govt|leg|jus|mp|tc|mil)\.[a-z]{2}$/;

/** Returns the first label of a registrable domain, in Unicode: `empresa` of `empresa.com.br`. */
export const chosenLabel = (domain: string): string => domainToUnicode(domain.split('.')[0] ?? '');

/** Parses the input as a URL; null if it is not one, or has another scheme than http(s) or mailto. */
function toUrl(pasted: string): URL | null {
  if (/\s/.test(pasted)) return null;
  if (SCHEME.test(pasted)) return /^https?:/i.test(pasted) ? URL.parse(pasted) : null;
  const bare = pasted.replace(/^mailto:/i, '').replace(/^\/\//, '');
  const [, mailHost] = /^[^/?#]+@([^/?#@]+)$/.exec(bare) ?? [];
  const [, ...ports] = (bare.split('/', 1)[0] ?? '').split(':');
  const scheme = ports.some((port) => !/^\d*443$/.test(port)) ? 'http' : 'https';
  return URL.parse(`${scheme}://${mailHost ?? bare}`);
}

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/**
 * Returns the URL to start from when the input has more than the domain: a port, a path, a query, or a URL with a host other than the
 * domain and its `www.`. Otherwise it returns null; a host without a scheme, such as `tienda.empresa.cl`, only names its domain
 * `empresa.cl`.
 */
function startOf(pasted: string, url: URL, domain: string): string | null {
  const front = !SCHEME.test(pasted) || [domain, `www.${domain}`].includes(url.hostname);
  if (front && url.port === '' && url.pathname === '/' && url.search === '') return null;
  const start = new URL(url);
  start.hash = '';
  return start.href;
}
