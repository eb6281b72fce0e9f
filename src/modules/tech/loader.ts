import { z } from 'zod';
import { AppError, sourceUnavailable } from '../../domain/errors.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../domain/time.ts';
import { type FetchingLoader, liveLoader, type Offered } from '../../loaders/loader.ts';
import type { Message } from '../../messages/message.ts';
import { siteMessages } from '../../messages/sources.ts';
import { type DnsSource, dns } from '../../sources/dns-source.ts';
import { type DomainKey, parseDomain } from '../../sources/domains/domain.ts';
import { type Page, type PageOutcome, website } from '../../sources/website/website.ts';
import type { TechStack } from './domain.ts';
import { detectTechnologies } from './sources/detect.ts';

const SCHEMA: z.ZodType<TechStack> = z.object({
  domain: z.string(),
  url: z.string(),
  technologies: z.array(
    z.object({ name: z.string(), categories: z.array(z.string()), version: z.string().nullable(), confidence: z.number() }),
  ),
  dnsChecked: z.boolean(),
});

/**
 * DomainKey → TechStack: matches the home page (or the given page) and the mail and verification records of its domain against the
 * fingerprints. Answers are fresh for 12 h and stale up to 24 h.
 * @throws AppError DOMAIN_NOT_RESOLVED for a name that does not exist; SOURCE_UNAVAILABLE for a page that cannot be read
 */
export const techLoader: FetchingLoader<DomainKey, TechStack> & Offered<DomainKey, TechStack> = {
  module: 'tech',
  ...liveLoader(website, {
    name: 'tech',
    key: ({ domain, start }) => start ?? domain,
    cache: { ttlMs: () => 12 * HOUR_MS, maxStaleAgeMs: () => 24 * HOUR_MS },
    schema: SCHEMA,
    async call(site, { domain, start }, use) {
      const [{ entry }, records] = await Promise.all([
        site.open(start === null ? domain : new URL(start)),
        isDomain(domain) ? recordsOf(use(dns), domain).catch(() => null) : null,
      ]);
      const { url, headers, html } = requirePage(entry);
      const technologies = await detectTechnologies({ url: url.href, headers, html, dns: records ?? {} });
      return { domain, url: url.href, technologies, dnsChecked: records !== null };
    },
  }),
};

/** Returns false for IP addresses and `localhost`, which have no DNS records. */
const isDomain = (host: string): boolean => /\.[a-z][a-z\d-]*$/i.test(host);

/** Loads mail servers, verification texts and name servers, by the record kinds that the fingerprints use. */
async function recordsOf(servers: DnsSource, domain: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const [mx, txt, ns] = await servers.together((dns) => Promise.all([dns.mx(domain), dns.txt(domain), dns.ns(domain)]));
  return { mx: mx.records.map(({ exchange }) => exchange), txt: txt.records, ns: ns.records };
}

function requirePage(outcome: PageOutcome): Page {
  if (outcome.kind === 'page') return outcome.page;
  if (outcome.kind === 'no_such_name') throw new AppError('DOMAIN_NOT_RESOLVED', siteMessages.noSuchName(), { field: 'domain' });
  if (outcome.kind === 'robots') throw unread(siteMessages.robots(), DAY_MS);
  if (outcome.kind === 'challenge') throw unread(siteMessages.challenge(), HOUR_MS);
  if (outcome.kind === 'not_html') throw unread(siteMessages.notAPage(), HOUR_MS);
  throw sourceUnavailable('website', outcome.kind === 'status' ? `answered ${outcome.status}` : outcome.reason);
}

/**
 * Creates the error for a site that responded without a readable page, because an empty list would claim that the site uses no
 * technologies.
 */
const unread = (text: Message, againMs: number): AppError =>
  new AppError('SOURCE_UNAVAILABLE', text, { source: 'website', retryAfterSeconds: againMs / SECOND_MS });

/**
 * Parses pasted text to the site to read: a domain of any country, an e-mail address, or the URL of a page. Accepts IP addresses too;
 * the address rules of outbound calls decide whether they may be called.
 * @throws AppError INVALID_INPUT on `field`
 */
export function parseSite(text: string, field: string): DomainKey {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `http://${text}`);
  if (!url || !HOST_WITHOUT_DOMAIN.test(url.hostname) || url.username || url.password) return parseDomain(text, field, null);
  return { domain: url.hostname, start: url.href };
}

/** Hosts without a domain, in the form of a parsed URL. */
const HOST_WITHOUT_DOMAIN = /^(?:\d+(?:\.\d+){3}|\[.*\]|localhost)$/;
