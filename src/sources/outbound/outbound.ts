import type { RefusalClass } from '../http/policy.ts';

/** A request to a host that a caller or customer named: a website, a webhook. */
export interface OutboundRequest {
  /** URL with http or https, on a port that is allowed, without credentials. */
  readonly url: URL;
  readonly method?: 'GET' | 'POST';
  /** Additional headers, sent unchanged beside our own `user-agent`, `accept` and `accept-encoding`; never cookies or credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time from the DNS lookup to the last byte, including redirects; default 10 s. */
  readonly deadlineMs?: number;
  /** Maximum number of redirects, each of which is checked like the first URL; default 3; 0 to return the redirect itself. */
  readonly maxRedirects?: number;
  /** Maximum size of the decompressed body, in bytes; default 2 MiB. */
  readonly maxBytes?: number;
  /** Handling of a larger body: failure (default), or the part up to `maxBytes`. */
  readonly overflow?: 'fail' | 'cut';
  /**
   * Part of the response that is read; default `whole`. `head`: only the headers are required, and the deadline applies to them alone. The
   * body is the bytes that arrive within 400 ms after them, at most `maxBytes`, not decompressed; an error in the body is not a failure.
   */
  readonly reading?: 'whole' | 'head';
  /** False if plain http is accepted only for networks that the operator allows; default true. */
  readonly publicHttp?: boolean;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  /** URL of the response, after redirects. */
  readonly url: URL;
  readonly status: number;
  /** Headers by lower-case name. A repeated header has several values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds until the headers arrived, including redirects. */
  readonly latencyMs: number;
  /** Body, decompressed except with `reading: 'head'`. */
  readonly body: Buffer;
  /** True when the body was cut at `maxBytes`. */
  readonly cut: boolean;
}

/** Kind of a failed request, one word for logs. */
export type OutboundKind =
  | 'bad_url'
  | 'blocked_destination'
  | 'no_such_name'
  | 'dns_failed'
  | 'connection'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'broken_body'
  | 'redirects'
  | 'stopped'
  | RefusalClass
  | 'proxy_failed'
  /** The sealed secret of a webhook cannot be read, so that nothing is sent. */
  | 'secret_lost';

/**
 * A failed request. The public message is the same for every kind, so that a refused address reveals nothing about our network; only
 * `bad_url`, which concerns the caller's input, and `secret_lost` are explained.
 */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly kind: OutboundKind;

  constructor(kind: OutboundKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * The only client for hosts that users name (SSRF protection). It resolves the name once, checks every address, and connects to a
 * checked address; each redirect is checked in the same way. Certificates are verified.
 */
export interface OutboundClient {
  /** @throws OutboundFailure */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Checks a URL without a DNS lookup: scheme, port, credentials, literal addresses. @throws OutboundFailure `bad_url`, `blocked_destination` */
  check(url: URL): void;
  /** Does the same as `check`, resolves the name and checks every address. @throws OutboundFailure also `no_such_name`, `dns_failed` */
  admit(url: URL, options: Pick<OutboundRequest, 'publicHttp'>): Promise<void>;
  close(): Promise<void>;
}

/** Public message of all failures. It reveals nothing about our network. */
const PUBLIC_MESSAGE = 'The address could not be fetched.';

/** @param why reason for the log only, kept as `cause` */
export const failure = (kind: OutboundKind, why: unknown): OutboundFailure =>
  new OutboundFailure(kind, PUBLIC_MESSAGE, { cause: typeof why === 'string' ? new Error(why) : why });

/** Creates the only failure with an explanation, because it concerns the caller's input. */
export const badUrl = (sentence: string): OutboundFailure => new OutboundFailure('bad_url', sentence);
