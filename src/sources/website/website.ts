import robotsParserModule from 'robots-parser';
import { SECOND_MS } from '../../domain/time.ts';
import { type OutboundAnswer, OutboundFailure, type OutboundRequest } from '../outbound/outbound.ts';
import { defineSource, type SourceDeps, type SourceInstance } from '../source.ts';
import { classify, type PageOutcome } from './page.ts';

export type { Page, PageOutcome } from './page.ts';

/** A visit to one site, under its robots.txt (asked once an origin) and within its ten seconds. */
export interface Site {
  /** What became of the first page. */
  readonly entry: PageOutcome;
  /** Another page of the site. Never rejects for what the site did. */
  page(url: URL): Promise<PageOutcome>;
}

export interface Website extends SourceInstance {
  /**
   * Opens a site. A bare domain in A-labels: https before http, the name itself before `www.`, until one answers. A URL: that
   * very address. Never rejects for what the site did; the visit, further pages included, ends within 10 s.
   */
  open(start: string | URL): Promise<Site>;
}

const SITE_BUDGET_MS = 10 * SECOND_MS;
/** One address may be deaf while the next one answers. */
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
      const fetchPage = createPageFetcher((request) => outbound.request(request));
      const entry = await firstThatAnswers(addressesOf(start), fetchPage);
      return { entry: note(entry), page: (url) => fetchPage(url, SITE_BUDGET_MS) };
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

/** Fetches a page within the time of its visit, and within `atMostMs`. */
type FetchPage = (url: URL, atMostMs: number) => Promise<PageOutcome>;

function createPageFetcher(request: SourceDeps['outbound']['request']): FetchPage {
  const endsAt = performance.now() + SITE_BUDGET_MS;
  const robots = new Map<string, Promise<RobotsRules>>();

  async function fetch(wanted: Omit<OutboundRequest, 'deadlineMs'>, atMostMs: number) {
    const leftMs = Math.min(atMostMs, Math.floor(endsAt - performance.now()));
    if (leftMs <= 0) throw new OutboundFailure('timeout', 'the time of this visit is over');
    return request({ ...wanted, deadlineMs: leftMs, overflow: 'cut' });
  }

  function rulesOf({ origin }: URL, atMostMs: number): Promise<RobotsRules> {
    const url = new URL('/robots.txt', origin);
    const rules =
      robots.get(origin) ??
      fetch({ url, maxBytes: ROBOTS_BYTES }, Math.min(atMostMs, ROBOTS_MS)).then(
        (answer) => readRobots(url, answer),
        (failure: Error) => {
          if (failure instanceof OutboundFailure && failure.kind === 'redirects') return noRobots;
          throw failure;
        },
      );
    robots.set(origin, rules);
    return rules;
  }

  /** Null where the page may be read. */
  async function robotsVerdict(url: URL, atMostMs: number): Promise<PageOutcome | null> {
    const rules = await rulesOf(url, atMostMs);
    if (rules.closed) return { kind: 'unreachable', reason: 'robots_unavailable' };
    return rules.allows(url) ? null : { kind: 'robots', url };
  }

  return async (url, atMostMs) => {
    try {
      const verdict = await robotsVerdict(url, atMostMs);
      if (verdict) return verdict;
      const answer = await fetch({ url, maxBytes: PAGE_BYTES }, atMostMs);
      return (await robotsVerdict(answer.url, atMostMs)) ?? classify(answer);
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      return error.kind === 'no_such_name' ? { kind: 'no_such_name' } : { kind: 'unreachable', reason: error.kind };
    }
  };
}

/** Where the front page of a domain may be; a URL is taken at its word. */
function addressesOf(start: string | URL): readonly URL[] {
  if (start instanceof URL) return [start];
  return [`https://${start}/`, `https://www.${start}/`, `http://${start}/`, `http://www.${start}/`].map((text) => new URL(text));
}

/** Goes from address to address while nobody is there. The name is missing only if each of its hosts is. */
async function firstThatAnswers(addresses: readonly URL[], fetchPage: FetchPage): Promise<PageOutcome> {
  const missing = new Set<string>();
  let lastFailure: PageOutcome = { kind: 'no_such_name' };
  for (const url of addresses) {
    if (missing.has(url.host)) continue;
    const outcome = await fetchPage(url, addresses.length === 1 ? SITE_BUDGET_MS : TRY_MS);
    if (outcome.kind === 'no_such_name') missing.add(url.host);
    else if (outcome.kind === 'unreachable') lastFailure = outcome;
    else return outcome;
  }
  return lastFailure;
}

/** Its types tell of a `default` that the package, CommonJS that it is, does not have. */
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

/** The name by which a robots.txt may address us; the first word of our user agent that is ours. */
const ROBOTS_AGENT = 'Quipu';

/** What a site asks of robots. `closed`: its rules cannot be had for now, and nothing may be read until they can (RFC 9309). */
interface RobotsRules {
  readonly closed: boolean;
  allows(url: URL): boolean;
}

const OPEN: RobotsRules = { closed: false, allows: () => true };
const CLOSED: RobotsRules = { closed: true, allows: () => false };

/** What a site answered for `asked`, its robots.txt → its rules. A site without the file (any 4xx) has none; one in trouble (5xx) is closed. */
function readRobots(asked: URL, { status, body }: Pick<OutboundAnswer, 'status' | 'body'>): RobotsRules {
  if (status >= 500) return CLOSED;
  if (status < 200 || status > 299) return OPEN;
  const rules = robotsParser(asked.href, body.toString('utf8'));
  return { closed: false, allows: (url) => rules.isAllowed(url.href, ROBOTS_AGENT) !== false };
}

/** A robots.txt behind more redirects than we follow counts as missing. */
const noRobots = OPEN;
