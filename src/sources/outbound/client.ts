import type { Logger } from 'pino';
import { SECOND_MS } from '../../domain/time.ts';
import type { Dns } from '../dns/dns.ts';
import { createCallSlots, refusalClass } from '../http/policy.ts';
import { createAddressPolicy, hostOf, portOf, readNetwork } from './address-policy.ts';
import type { EgressProxy } from './egress-proxy.ts';
import { exchange, type Hop, type HopAnswer, isRedirect } from './exchange.ts';
import { failure, type OutboundClient, OutboundFailure, type OutboundKind, type OutboundRequest } from './outbound.ts';

export interface OutboundOptions {
  readonly dns: Dns;
  /** Private networks (CIDR) that may be reached as an exception. */
  readonly allow: readonly string[];
  readonly log: Logger;
  /** URL port → port to connect to, because all sandbox sites share one port. */
  readonly ports?: ReadonlyMap<number, number>;
  /** Proxy through which every connection is opened. Names are still resolved and addresses checked here. */
  readonly proxy?: EgressProxy | null;
  /** Maximum number of concurrent requests; default 32. 64 more may wait. */
  readonly concurrency?: number;
  /** Message of the log line of a failed request. */
  readonly failureMessage?: string;
}

const CONCURRENCY = 32;
const DEADLINE_MS = 10 * SECOND_MS;
const MAX_REDIRECTS = 3;
const MAX_BYTES = 2 * 1024 * 1024;

/** @throws Error for an `allow` that is not a network */
export function createOutboundClient(options: OutboundOptions): OutboundClient {
  const { dns, allow, log, ports = new Map(), proxy = null, concurrency = CONCURRENCY } = options;
  const { failureMessage = 'a site could not be fetched' } = options;
  const addressPolicy = createAddressPolicy(dns, allow.map(readNetwork));
  const slots = createCallSlots(concurrency);
  const closing = new AbortController();

  async function hop(request: Omit<Hop, 'destination'>, publicHttp: boolean, signal: AbortSignal): Promise<HopAnswer> {
    const { url } = request;
    const addresses = await addressPolicy.admit(url, publicHttp);
    signal.throwIfAborted();
    const port = ports.get(portOf(url)) ?? portOf(url);
    const certifiedFor = url.protocol === 'https:' ? hostOf(url) : null;
    return exchange({ ...request, destination: { addresses, port, certifiedFor, proxy } }, signal);
  }

  async function follow(request: OutboundRequest, answered: () => void, signal: AbortSignal): Promise<HopAnswer> {
    const { maxRedirects = MAX_REDIRECTS, maxBytes = MAX_BYTES, overflow = 'fail', reading = 'whole', publicHttp = true } = request;
    const same = { maxBytes, overflow, reading, answered, redirects: maxRedirects > 0 };
    let { method = 'GET', headers = {}, body } = request;
    let url = withoutLastDot(request.url);
    for (let left = maxRedirects; ; left -= 1) {
      const answer = await hop({ ...same, url, method, headers, body }, publicHttp, signal);
      if (maxRedirects === 0 || !isRedirect(answer)) return answer;
      if (left === 0) throw failure('redirects', `more than ${maxRedirects} redirects`);
      const next = redirectOf(answer);
      if (method === 'POST' && answer.status < 307) [method, body] = ['GET', undefined];
      if (next.origin !== url.origin) {
        if (body !== undefined) throw failure('redirects', 'a body is not passed on to another host');
        headers = {};
      }
      url = next;
    }
  }

  /** @throws OutboundFailure */
  function redirectOf({ url, headers }: HopAnswer): URL {
    const next = URL.parse(asMeant(headers.location?.[0] ?? ''), url.href);
    if (!next) throw failure('redirects', 'a redirect to nowhere');
    try {
      addressPolicy.check(next);
    } catch (error) {
      // A redirect target is not the caller's input, so the error does not explain it to the caller.
      throw (error as OutboundFailure).kind === 'bad_url' ? failure('redirects', error) : error;
    }
    return withoutLastDot(next);
  }

  return {
    check: (url) => addressPolicy.check(url),
    async admit(url, { publicHttp = true }) {
      await addressPolicy.admit(url, publicHttp);
    },
    async request(request) {
      const startedAt = performance.now();
      let latencyMs = 0;
      const watch = watched(request.deadlineMs ?? DEADLINE_MS, [closing.signal, ...(request.signal ? [request.signal] : [])]);
      const answered = () => {
        latencyMs = Math.round(performance.now() - startedAt);
        if (request.reading === 'head') watch.inTime();
      };
      try {
        addressPolicy.check(request.url);
        // The race is inside the slot, too, so that a request that ignores its abort signal frees its slot.
        const work = slots(() => Promise.race([follow(request, answered, watch.signal), watch.over]), watch.signal);
        return { ...(await Promise.race([work, watch.over])), latencyMs };
      } catch (error) {
        const known = error instanceof OutboundFailure ? error : failure(refusalClass(error) ?? 'connection', error);
        log.info({ kind: known.kind, host: request.url.hostname, why: messageOf(known.cause) }, failureMessage);
        throw known;
      } finally {
        watch.end();
      }
    },
    async close() {
      closing.abort();
    },
  };
}

/** Ends a request by a separate timer or by the caller's signal: rejects `over` and aborts `signal`. */
function watched(ms: number, stops: readonly AbortSignal[]) {
  const abort = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  over.catch(() => undefined);
  const stop = (kind: OutboundKind, why: string) => {
    reject(failure(kind, why));
    abort.abort();
  };
  const stopped = () => stop('stopped', 'cancelled');
  const timer = setTimeout(() => stop('timeout', `no answer within ${ms} ms`), ms);
  for (const signal of stops) {
    if (signal.aborted) stopped();
    signal.addEventListener('abort', stopped);
  }
  const inTime = () => clearTimeout(timer);
  const end = () => {
    inTime();
    for (const signal of stops) signal.removeEventListener('abort', stopped);
    abort.abort();
  };
  return { signal: abort.signal, over, inTime, end };
}

/** Decodes a header as UTF-8 if its bytes, which the client reads as Latin-1, are valid UTF-8. */
function asMeant(latin1: string): string {
  const text = Buffer.from(latin1, 'latin1').toString();
  return text.includes('\uFFFD') ? latin1 : text;
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

function withoutLastDot(url: URL): URL {
  const plain = new URL(url);
  plain.hostname = url.hostname.replace(/\.$/, '');
  return plain;
}
