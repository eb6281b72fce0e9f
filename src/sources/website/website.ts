import { TIME_BUDGETS } from '../../domain/catalogue.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { createCircuits, refusalClass } from '../http/policy.ts';
import { failure, type OutboundAnswer, OutboundFailure, type OutboundRequest } from '../outbound/outbound.ts';
import { defineSource, type SourceDeps, type SourceInstance } from '../source.ts';
import { classify, type PageOutcome } from './page.ts';
import { type RobotsRules, readRobots } from './robots.ts';

export type { Page, PageOutcome } from './page.ts';

/** Fetches pages of one site, as its robots.txt allows (fetched once per origin), within the time budget of the source. */
export interface Site {
  /** Result of fetching the first page. */
  readonly entry: PageOutcome;
  /** Fetches another page of the site. It does not reject for failures of the site. */
  page(url: URL): Promise<PageOutcome>;
}

export interface Website extends SourceInstance {
  /**
   * Opens a site. A bare domain in A-labels is tried with https before http, and the name itself before `www.`, until one answers. A URL
   * is fetched as given. It does not reject for failures of the site. All fetches together, including further pages, end within the time
   * budget of the source. Every origin has a circuit breaker, so a site that is down is not called each time.
   */
  open(start: string | URL): Promise<Site>;
}

/** Deadline per address of a bare domain, in ms, so that an address that does not respond leaves time for the next one. */
const TRY_MS = 4 * SECOND_MS;
const ROBOTS_MS = 4 * SECOND_MS;
const PAGE_BYTES = 2 * 1024 * 1024;
const ROBOTS_BYTES = 512 * 1024;

/** Companies' own websites, through the guarded outbound client. */
export const website = defineSource({
  name: 'website',
  attribution: "The company's own website, read as its robots.txt allows.",
  addresses: {},
  create: createWebsite,
});

function createWebsite({ outbound, dns, now, log }: SourceDeps): Website {
  const attempt = createCircuits(now, isSiteFailure);
  let lastSuccessAt: number | null = null;
  let lastFailure: { readonly at: number; readonly reason: string } | null = null;

  function note(outcome: PageOutcome): PageOutcome {
    if (outcome.kind !== 'unreachable') lastSuccessAt = now();
    else {
      lastFailure = { at: now(), reason: outcome.reason };
      log.info({ reason: outcome.reason }, 'a site could not be read');
    }
    return outcome;
  }

  return {
    async open(start) {
      const fetchPage = createPageFetcher((request) => attempt(request.url.origin, () => outbound.request(request)).catch(asFailure));
      const entry = await firstThatAnswers(addressesOf(start), fetchPage);
      return { entry: note(entry), page: (url) => fetchPage(url, TIME_BUDGETS.website) };
    },
    async status() {
      return {
        name: 'website',
        kind: 'live',
        origin: dns.health().origin,
        lastSuccessAt,
        lastErrorAt: lastFailure?.at ?? null,
        lastError: lastFailure?.reason ?? null,
        circuit: 'closed',
        list: null,
        usable: true,
      };
    },
  };
}

/** Kinds of failures of a site. Other failures are refusals of this service, or mean that the site does not exist. */
const SITE_FAILURES: ReadonlySet<string> = new Set(['dns_failed', 'connection', 'tls', 'timeout', 'broken_body']);

const isSiteFailure = (error: unknown): boolean => error instanceof OutboundFailure && SITE_FAILURES.has(error.kind);

function asFailure(error: unknown): never {
  const refused = refusalClass(error);
  throw refused ? failure(refused, error) : error;
}

/** Fetches a page within the remaining time of its site, and within `maxMs`. */
type FetchPage = (url: URL, maxMs: number) => Promise<PageOutcome>;

function createPageFetcher(request: SourceDeps['outbound']['request']): FetchPage {
  const endsAt = performance.now() + TIME_BUDGETS.website;
  const robots = new Map<string, Promise<RobotsRules>>();

  async function fetch(wanted: Omit<OutboundRequest, 'deadlineMs'>, maxMs: number) {
    const leftMs = Math.min(maxMs, Math.floor(endsAt - performance.now()));
    if (leftMs <= 0) throw new OutboundFailure('timeout', 'the time of this visit is over');
    return request({ ...wanted, deadlineMs: leftMs, overflow: 'cut' });
  }

  function rulesOf({ origin }: URL, maxMs: number): Promise<RobotsRules> {
    const url = new URL('/robots.txt', origin);
    const rules =
      robots.get(origin) ??
      fetch({ url, maxBytes: ROBOTS_BYTES }, Math.min(maxMs, ROBOTS_MS)).then(rulesIn, (failure: Error) => {
        // A robots.txt behind more redirects than allowed counts as missing.
        if (failure instanceof OutboundFailure && failure.kind === 'redirects') return OPEN;
        throw failure;
      });
    robots.set(origin, rules);
    return rules;
  }

  /** Returns null if robots.txt allows the page. */
  async function robotsVerdict(url: URL, maxMs: number): Promise<PageOutcome | null> {
    const rules = await rulesOf(url, maxMs);
    const verdict = rules.verdict(url);
    if (verdict === 'unclear') return { kind: 'unreachable', reason: 'robots_unavailable' };
    return verdict === 'allowed' ? null : { kind: 'robots', url };
  }

  return async (url, maxMs) => {
    try {
      const verdict = await robotsVerdict(url, maxMs);
      if (verdict) return verdict;
      const answer = await fetch({ url, maxBytes: PAGE_BYTES }, maxMs);
      return (await robotsVerdict(answer.url, maxMs)) ?? classify(answer);
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      return error.kind === 'no_such_name' ? { kind: 'no_such_name' } : { kind: 'unreachable', reason: error.kind };
    }
  };
}

/** Returns the URLs to try: the possible front pages of a domain, or the given URL. */
function addressesOf(start: string | URL): readonly URL[] {
  if (start instanceof URL) return [start];
  return [`https://${start}/`, `https://www.${start}/`, `http://${start}/`, `http://www.${start}/`].map((text) => new URL(text));
}

/** Fetches the first URL that responds. The result is `no_such_name` only if no host of the URLs is in the DNS. */
async function firstThatAnswers(addresses: readonly URL[], fetchPage: FetchPage): Promise<PageOutcome> {
  const missing = new Set<string>();
  let lastFailure: PageOutcome = { kind: 'no_such_name' };
  for (const url of addresses) {
    if (missing.has(url.host)) continue;
    const outcome = await fetchPage(url, addresses.length === 1 ? TIME_BUDGETS.website : TRY_MS);
    if (outcome.kind === 'no_such_name') missing.add(url.host);
    else if (outcome.kind === 'unreachable') lastFailure = outcome;
    else return outcome;
  }
  return lastFailure;
}

const OPEN: RobotsRules = { verdict: () => 'allowed' };
/** Rules for a robots.txt that cannot be fetched at present. No page may be read until it can (RFC 9309). */
const CLOSED: RobotsRules = { verdict: () => 'unclear' };

/** Reads the rules in the response for a robots.txt. A missing file (any 4xx) allows every page; after a 5xx no page may be read. */
function rulesIn({ status, body }: Pick<OutboundAnswer, 'status' | 'body'>): RobotsRules {
  if (status >= 500) return CLOSED;
  if (status < 200 || status > 299) return OPEN;
  return readRobots(body.toString('utf8'));
}
