/** A request to a host that somebody else named: a website, a webhook. */
export interface OutboundRequest {
  /** http or https, on a port that is allowed, without credentials. */
  readonly url: URL;
  readonly method?: 'GET' | 'POST';
  /** Sent as they are, beside our own `user-agent`, `accept` and `accept-encoding`; never cookies or credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the look-up of the name to the last byte, redirects included; 10 s unless given. */
  readonly deadlineMs?: number;
  /** Redirects followed, each checked as the first address was; 3 unless given, 0 to get the redirect itself. */
  readonly maxRedirects?: number;
  /** Bytes of the body once unpacked; 2 MiB unless given. */
  readonly maxBytes?: number;
  /** What becomes of a larger body: a failure, or what came until then. `fail` unless given. */
  readonly overflow?: 'fail' | 'cut';
  /**
   * `whole` unless given. `glimpse`: the headers are the answer, and the deadline is theirs alone. Of the body comes what arrives within
   * a moment after them, `maxBytes` at most, as it is, nothing unpacked; whatever is wrong with it is no failure.
   */
  readonly reading?: 'whole' | 'head';
  /** False: plain http leads to the networks that the operator allows only; true unless given. */
  readonly publicHttp?: boolean;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  /** Where the answer came from, after redirects. */
  readonly url: URL;
  readonly status: number;
  /** By lower-case name; a header that came several times has several values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Until the headers came, redirects included. */
  readonly latencyMs: number;
  /** Unpacked, unless it was but glimpsed. */
  readonly body: Buffer;
  /** True when the body was cut at `maxBytes`. */
  readonly cut: boolean;
}

/**
 * Why there is no answer, in one word for logs: `bad_url`, `blocked_destination`, `no_such_name`, `dns_failed`, `connection`, `tls`,
 * `timeout`, `too_large`, `broken_body`, `redirects`, `stopped`, `too_many_waiting`. Callers are told the same thing whatever it was, so that a refused
 * address tells nothing about our network; `bad_url` alone, which is about their text, may be explained.
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
 * The one way to hosts that users name. The name is looked up once, every address it has is checked, and the connection goes to
 * the address that was checked; the same again for each redirect. Certificates are verified.
 */
export interface OutboundClient {
  /** @throws OutboundFailure */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Checks what can be checked of an address without dialling: scheme, port, credentials, literal addresses. @throws OutboundFailure `bad_url`, `blocked_destination` */
  check(url: URL): void;
  /** The same, and looks the name up and checks every address it has. @throws OutboundFailure also `no_such_name`, `dns_failed` */
  admit(url: URL, options: Pick<OutboundRequest, 'publicHttp'>): Promise<void>;
  close(): Promise<void>;
}

/** What callers are told of every failure alike, so that it tells nothing about our network. */
const PUBLIC_MESSAGE = 'The address could not be fetched.';

/** @param why for the log only, kept as `cause` */
export const failure = (kind: string, why: unknown): OutboundFailure =>
  new OutboundFailure(kind, PUBLIC_MESSAGE, { cause: typeof why === 'string' ? new Error(why) : why });

/** The one failure that is about the caller's text and says what is wrong with it. */
export const badUrl = (sentence: string): OutboundFailure => new OutboundFailure('bad_url', sentence);
