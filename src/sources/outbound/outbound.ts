/** A request to a host that a caller or customer named: a website, a webhook. */
export interface OutboundRequest {
  /** http or https, on a port that is allowed, without credentials. */
  readonly url: URL;
  readonly method?: 'GET' | 'POST';
  /** Sent unchanged, in addition to our own `user-agent`, `accept` and `accept-encoding`; never cookies or credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the DNS lookup to the last byte, redirects included; 10 s unless given. */
  readonly deadlineMs?: number;
  /** Maximum redirects, each checked like the first URL; 3 unless given, 0 to return the redirect itself. */
  readonly maxRedirects?: number;
  /** Maximum bytes of the decompressed body; 2 MiB unless given. */
  readonly maxBytes?: number;
  /** For a larger body: fail, or return the part up to `maxBytes`. `fail` unless given. */
  readonly overflow?: 'fail' | 'cut';
  /**
   * `whole` unless given. `head`: only the headers count, and the deadline applies to them alone. The body is what arrives within
   * 400 ms after them, `maxBytes` at most, not decompressed; a fault in the body is not a failure.
   */
  readonly reading?: 'whole' | 'head';
  /** False: plain http is accepted only for networks that the operator allows. True unless given. */
  readonly publicHttp?: boolean;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  /** URL of the response, after redirects. */
  readonly url: URL;
  readonly status: number;
  /** By lower-case name; a repeated header has several values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Time until the headers arrived, redirects included; ms. */
  readonly latencyMs: number;
  /** Decompressed, except with `reading: 'head'`. */
  readonly body: Buffer;
  /** True when the body was cut at `maxBytes`. */
  readonly cut: boolean;
}

/**
 * A failed request. `kind` is one word for logs: `bad_url`, `blocked_destination`, `no_such_name`, `dns_failed`, `connection`, `tls`,
 * `timeout`, `too_large`, `broken_body`, `redirects`, `stopped`, `too_many_waiting`, `proxy_failed`. The public message is the same for every kind, so that a refused
 * address reveals nothing about our network; only `bad_url`, which concerns the caller's input, is explained.
 */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly kind: string;

  constructor(kind: string, message: string, options?: ErrorOptions) {
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
  /** As `check`, and resolves the name and checks every address. @throws OutboundFailure also `no_such_name`, `dns_failed` */
  admit(url: URL, options: Pick<OutboundRequest, 'publicHttp'>): Promise<void>;
  close(): Promise<void>;
}

/** The public message of every failure; it reveals nothing about our network. */
const PUBLIC_MESSAGE = 'The address could not be fetched.';

/** @param why for the log only, kept as `cause` */
export const failure = (kind: string, why: unknown): OutboundFailure =>
  new OutboundFailure(kind, PUBLIC_MESSAGE, { cause: typeof why === 'string' ? new Error(why) : why });

/** The only failure with an explanation, because it concerns the caller's input. */
export const badUrl = (sentence: string): OutboundFailure => new OutboundFailure('bad_url', sentence);
