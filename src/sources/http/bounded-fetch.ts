import { request } from 'undici';
import { SECOND_MS } from '../../domain/time.ts';
import { createAgent } from './exchange.ts';
import { BodyTooLarge, readBytes, USER_AGENT } from './message.ts';

/** The options that libraries pass to `fetch`, as far as they are used. */
export interface BoundedFetchOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text or a form. Other bodies are not sent. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** A `fetch` for a library that calls a server which the operator chose, with limits that hold whatever the server sends. */
export interface BoundedFetch {
  /** @throws Error for a connection that fails, an answer after the time limit, and a body over the maximum */
  fetch(url: string, options: BoundedFetchOptions): Promise<Response>;
  close(): Promise<void>;
}

/** Time for the whole answer. A person waits for two or three of them. */
const DEADLINE_MS = 5 * SECOND_MS;
const MAX_BYTES = 1024 * 1024;
const CONNECTIONS = 8;
/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Creates it. Redirects are not followed: an answer with status 3xx is returned as it is. Certificates are verified. */
export function createBoundedFetch({ deadlineMs = DEADLINE_MS, maxBytes = MAX_BYTES } = {}): BoundedFetch {
  const agent = createAgent(CONNECTIONS);
  return {
    async fetch(url, { method = 'GET', headers = {}, body, signal }) {
      const deadline = AbortSignal.timeout(deadlineMs);
      const {
        statusCode,
        headers: answered,
        body: stream,
      } = await request(url, {
        dispatcher: agent,
        method: method as 'GET',
        headers: { 'user-agent': USER_AGENT, ...headers },
        body: typeof body === 'string' || body instanceof URLSearchParams ? String(body) : null,
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
      const { bytes, cut } = await readBytes(stream, answered, maxBytes);
      if (cut) throw new BodyTooLarge(`more than ${maxBytes} bytes`);
      const type = answered['content-type'];
      return new Response(EMPTY.has(statusCode) ? null : new Uint8Array(bytes), {
        status: statusCode,
        headers: type === undefined ? {} : { 'content-type': String(type) },
      });
    },
    close: () => agent.close(),
  };
}
