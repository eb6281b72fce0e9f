import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { decoded } from '../../domain/encoding.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { type HttpAnswer, HttpFailure, isRefusal } from './failure.ts';
import { BodyTooLarge, readBytes, requireFewValues, retryAfterMs, USER_AGENT } from './message.ts';

/** Options of one GET. */
export interface ExchangeOptions {
  /** Headers of the request and of redirects on the same host. They are never logged. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Interprets the other responses if their body is more specific than their status. Returns the failure, or null. */
  readonly explain?: (answer: HttpAnswer) => HttpFailure | null;
  /** Maximum number of values of the JSON answer, counted by its commas and opening brackets; default 50,000. */
  readonly maxValues?: number;
}

const MAX_BODY_BYTES = 5 * 1024 * 1024;
/**
 * Maximum number of values of an answer. Parsing and checking this many values takes 50 ms, whatever they are. Real answers have a tenth.
 */
const MAX_VALUES = 50_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_REDIRECTS = 5;
/** Time for which an idle connection is kept, unless the source states another. It is less than the 60 s of common load balancers. */
const KEEP_ALIVE_MS = 50 * SECOND_MS;

/** Creates the connections to a source. */
export const createAgent = (connections: number): Agent =>
  new Agent({
    maxHeaderSize: MAX_HEADER_BYTES,
    connections,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: 5 * SECOND_MS },
  });

/** Sends one request, and follows redirects on the same host. It reads the body of a refusal only if `explain` is given. */
export async function exchange(
  agent: Agent,
  start: URL,
  signal: AbortSignal,
  { headers: own, explain, maxValues = MAX_VALUES }: ExchangeOptions,
): Promise<HttpAnswer & { retryAfterMs: number | null }> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const { statusCode: status, headers, body } = await send(agent, url, signal, own);
    if (status >= 300 && status < 400 && headers.location) {
      discard(body);
      url = redirected(url, String(headers.location));
      continue;
    }
    const silenceMs = isRefusal(status) ? retryAfterMs(headers) : null;
    if (isRefusal(status) && !explain) {
      discard(body);
      return { status, text: '', retryAfterMs: silenceMs };
    }
    try {
      const { bytes, cut } = await readBytes(body, headers, MAX_BODY_BYTES);
      if (cut) throw new BodyTooLarge(`more than ${MAX_BODY_BYTES} bytes`);
      requireFewValues(bytes, maxValues);
      return { status, text: decoded(bytes), retryAfterMs: silenceMs };
    } catch (error) {
      const kind = error instanceof BodyTooLarge ? 'too_large' : 'broken_body';
      throw new HttpFailure(kind, 'the body could not be read', {
        retryable: kind === 'broken_body' && !signal.aborted,
        retryAfterMs: silenceMs,
        cause: error,
      });
    }
  }
  throw new HttpFailure('redirects', `more than ${MAX_REDIRECTS} redirects`);
}

/** Discards an unread body. The "aborted" error that it then emits is expected. */
function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

async function send(agent: Agent, url: URL, signal: AbortSignal, own: ExchangeOptions['headers']) {
  try {
    const headers = { 'user-agent': USER_AGENT, accept: 'application/json', 'accept-encoding': 'gzip, deflate, br', ...own };
    return await request(url, { dispatcher: agent, signal, headers });
  } catch (error) {
    throw new HttpFailure('connection', 'no answer came', { retryable: !signal.aborted, cause: error });
  }
}

function redirected(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  if (to?.host !== from.host || (from.protocol === 'https:' && to.protocol !== 'https:')) {
    throw new HttpFailure('redirects', 'redirected to another host');
  }
  return to;
}
