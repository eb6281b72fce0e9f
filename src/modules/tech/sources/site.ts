import { type DomainKey, parseDomain } from '../../../sources/domains/domain.ts';

/**
 * Pasted text → the site to look at: a domain of any country, an e-mail address, or the URL of a page; an address by number too,
 * where the guard of outbound calls lets it through.
 * @throws AppError INVALID_INPUT on `field`
 */
export function parseSite(text: string, field: string): DomainKey {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `http://${text}`);
  if (!url || !NO_DOMAIN.test(url.hostname) || url.username || url.password) return parseDomain(text, field, null);
  return { domain: url.hostname, start: url.href };
}

/** Hosts that need no domain, as a parsed URL spells them. */
const NO_DOMAIN = /^(?:\d+(?:\.\d+){3}|\[.*\]|localhost)$/;
