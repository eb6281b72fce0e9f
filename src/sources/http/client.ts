import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import type { SharedCircuit } from '../../cache/shared-circuit.ts';
import { type AppError, sourceUnavailable } from '../../domain/errors.ts';
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { Cancelled, cancellationSignal, startDeadline } from './call-context.ts';
import { BodyTooLarge, decode, readBytes, requireFewValues, retryAfterMs, storableJson, USER_AGENT } from './message.ts';
import { type Circuit, createHttpPolicy, type RecentCalls, refusalClass, SourcePaused } from './policy.ts';
import type { NoPermit, Throttle } from './throttle.ts';

/** A complete HTTP response of an upstream. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** A failed call. `kind` is one word for operators, `message` a sentence for the log. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly kind: string;
  readonly retryable: boolean;
  /** Time in ms without calls to the source that its response demands; null without such a demand. */
  readonly retryAfterMs: number | null;
  constructor(kind: string, message: string, options: { retryable?: boolean; retryAfterMs?: number | null; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

export interface GetOptions<T> {
  readonly deadlineMs: number;
  /** Headers of the request and of redirects on the same host. They are never logged. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Interprets every response below 500 except 408 and 429. An error it throws counts as a failure of the source. */
  readonly read: (answer: HttpAnswer) => T;
  /** Interprets the other responses if their body is more specific than their status. Returns the failure, or null. */
  readonly explain?: (answer: HttpAnswer) => HttpFailure | null;
  /** Maximum number of values of the JSON answer, counted by its commas and opening brackets; default 50,000. */
  readonly maxValues?: number;
  /** Throttle of all requests, including retries. */
  readonly throttle?: Throttle | undefined;
}

export interface HttpHealth {
  readonly circuit: Circuit;
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  readonly lastError: string | null;
  readonly recentCalls: RecentCalls | null;
}

/** HTTP client of one source: concurrency limit, deadline, retry budget, circuit breaker. */
export interface HttpClient {
  /**
   * Sends one GET and interprets the response. Settles within `deadlineMs` whatever the connection does. Retries a quick failure
   * (5xx, reset) once, after a random pause. A call that no caller waits for is cancelled, which is not a failure of the source.
   * @throws AppError SOURCE_UNAVAILABLE with `retryAfterSeconds`
   */
  get<T>(url: URL, options: GetOptions<T>): Promise<T>;
  health(): HttpHealth;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  readonly source: string;
  /** Maximum number of concurrent calls; 64 more may wait for a slot. */
  readonly concurrency: number;
  /** Circuit breaker over all processes; without it, this process has a circuit breaker of its own. */
  readonly circuit?: SharedCircuit | undefined;
  readonly now: Clock;
  readonly random: () => number;
  readonly log: Logger;
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
const MAX_PAUSE_MS = HOUR_MS;
/** Minimum time left for a retry. */
const MIN_RETRY_MS = SECOND_MS;
/** Minimum time left for a request. A request aborted sooner would count as the source's failure. */
const MIN_ANSWER_MS = SECOND_MS / 2;
/** Pause of all calls after the daily quota is used up. */
const QUOTA_PAUSE_MS = 5 * MINUTE_MS;

export function createHttpClient({ source, concurrency, circuit, now, random, log }: HttpClientOptions): HttpClient {
  const agent = new Agent({
    maxHeaderSize: MAX_HEADER_BYTES,
    connections: concurrency,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: 5 * SECOND_MS },
  });
  const policy = createHttpPolicy(concurrency, now, circuit);
  let lastSuccessAt: number | null = null;
  let lastFailure: { readonly at: number; readonly kind: string } | null = null;
  /** Epoch ms before which no calls are sent, by `Retry-After`, or because the daily quota is used up. */
  let pausedUntil = 0;

  const failed = (error: unknown): AppError => {
    if (error instanceof SourcePaused) pauseSource(error.ms);
    const kind = refusalClass(error) ?? (error instanceof HttpFailure ? error.kind : 'unreadable');
    lastFailure = { at: now(), kind };
    log.warn({ source, kind, err: error }, 'source call failed');
    return sourceUnavailable(
      source,
      error as Error,
      Math.max(1, Math.ceil((pausedUntil - now()) / SECOND_MS), kind === 'circuit_open' ? 30 : 5),
    );
  };

  function pauseSource(ms: number | null): void {
    if (ms !== null) pausedUntil = Math.max(pausedUntil, now() + Math.min(ms, MAX_PAUSE_MS));
  }

  /** Pauses the source like `pauseSource`, for all processes. */
  function pauseAll(ms: number | null): void {
    pauseSource(ms);
    if (ms !== null && ms > 0) circuit?.pause(Math.min(ms, MAX_PAUSE_MS));
  }

  async function once<T>(url: URL, signal: AbortSignal, options: GetOptions<T>): Promise<T> {
    try {
      const { retryAfterMs, ...answer } = await exchange(agent, url, signal, options);
      if (!isRefusal(answer.status)) return options.read(answer);
      pauseAll(retryAfterMs);
      throw options.explain?.(answer) ?? refusal(answer.status);
    } catch (error) {
      if (error instanceof HttpFailure) pauseAll(error.retryAfterMs);
      throw error;
    }
  }

  /** Checks again when a slot is free, because meanwhile the deadline may have passed, or another call may have received `Retry-After`. */
  function requireAllowed(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (pausedUntil > now()) throw new HttpFailure('held', 'no call for a while: Retry-After, or the calls of the day are used up');
  }

  /** Runs one attempt when the throttle permits it. */
  async function attempt<T>(deadlineAt: number, signal: AbortSignal, once: () => Promise<T>, throttle: Throttle | undefined): Promise<T> {
    requireAllowed(signal);
    if (!throttle) return policy.attempt(once);
    // a refusal uses no permit of the throttle
    if (policy.circuit() === 'open') throw new HttpFailure('circuit_open', 'the source failed too often');
    const permit = await throttle.acquire(performance.now() + deadlineAt - now() - MIN_ANSWER_MS, signal);
    if (typeof permit === 'string') {
      if (permit === 'quota_used') pauseSource(QUOTA_PAUSE_MS);
      throw new HttpFailure(permit, NO_PERMIT[permit]);
    }
    try {
      requireAllowed(signal);
      return await policy.attempt(once);
    } finally {
      permit.end();
    }
  }

  async function tries<T>(deadlineAt: number, signal: AbortSignal, once: () => Promise<T>, throttle: Throttle | undefined): Promise<T> {
    requireAllowed(signal);
    policy.budget.earn();
    try {
      return await attempt(deadlineAt, signal, once, throttle);
    } catch (error) {
      const again = isQuickFailure(error) && pausedUntil <= now() && deadlineAt - now() > MIN_RETRY_MS && policy.budget.spend();
      if (!again) throw error;
      await pause(random() * 300, signal);
      return attempt(deadlineAt, signal, once, throttle);
    }
  }

  return {
    async get(url, options) {
      const { deadlineMs } = options;
      const cancellation = cancellationSignal();
      if (cancellation?.aborted) throw sourceUnavailable(source, new Cancelled());
      const abort = new AbortController();
      const onTimeout = () => new HttpFailure('timeout', `no answer within ${deadlineMs} ms`);
      const deadline = startDeadline({ ms: deadlineMs, onTimeout, abort, cancellation });
      try {
        // The race is inside the slot, too, so that a call that ignores its abort signal counts as failed and frees its slot.
        const bounded = () => Promise.race([once(url, abort.signal, options), deadline.passed]);
        const work = policy.run(() => tries(now() + deadlineMs, abort.signal, bounded, options.throttle), abort.signal);
        const result = await Promise.race([work, deadline.passed]);
        lastSuccessAt = now();
        return result;
      } catch (error) {
        throw error instanceof Cancelled ? sourceUnavailable(source, error) : failed(error);
      } finally {
        deadline.clear();
        abort.abort();
      }
    },
    health: () => ({
      circuit: policy.circuit(),
      lastSuccessAt,
      lastErrorAt: lastFailure?.at ?? null,
      lastError: lastFailure?.kind ?? null,
      recentCalls: policy.recentCalls(),
    }),
    close: () => agent.destroy(),
  };
}

const NO_PERMIT: Readonly<Record<NoPermit, string>> = {
  no_turn: 'too many calls before this one',
  quota_used: 'the calls of the day are used up',
};

/** Parses a body and makes all its texts storable. @throws HttpFailure for anything that is not JSON */
export function parseJson(body: string): unknown {
  try {
    return storableJson(JSON.parse(body.replace(/^\uFEFF/, '')));
  } catch {
    throw new HttpFailure('not_json', 'the answer is not JSON'); // the parser's message would quote the response
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
  });
}

const isQuickFailure = (error: unknown): boolean => error instanceof HttpFailure && error.retryable;

/** True for a status that is a temporary refusal and does not concern the resource. */
const isRefusal = (status: number): boolean => status >= 500 || status === 408 || status === 429;

const refusal = (status: number): HttpFailure => new HttpFailure(`status_${status}`, `answered ${status}`, { retryable: status !== 429 });

/** Sends one request, and follows redirects on the same host. It reads the body of a refusal only if `explain` is given. */
async function exchange(
  agent: Agent,
  start: URL,
  signal: AbortSignal,
  { headers: own, explain, maxValues = MAX_VALUES }: Pick<GetOptions<unknown>, 'headers' | 'explain' | 'maxValues'>,
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
      return { status, text: decode(bytes), retryAfterMs: silenceMs };
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

async function send(agent: Agent, url: URL, signal: AbortSignal, own: GetOptions<unknown>['headers']) {
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
