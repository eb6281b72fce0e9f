import { type GraphqlError, graphqlError, QuipuError } from './error.ts';

/** The transport of a subscription. */
export type Transport = 'websocket' | 'event-stream';

/** Options of one connection. */
export interface ConnectOptions {
  /** Closes the connection, which then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Time in ms without any message after which a connection counts as lost; default 30,000. */
  readonly silenceMs?: number | undefined;
  /** Called when the service has accepted the connection. */
  readonly onOpen?: ((transport: Transport) => void) | undefined;
  /** Called for everything that arrives: events, pings, comments. */
  readonly onMessage?: (() => void) | undefined;
}

export const SILENCE_MS = 30_000;

/** An event of a subscription. A field that failed is null in `data` and named in `errors`. */
export interface SubscriptionEvent<Data> {
  /** Data of the event; null in an event that has a position only, like the first one of an event stream. */
  readonly data: Data | null;
  readonly errors: readonly GraphqlError[];
  /** Position after this event; undefined on a socket, and for a subscription that cannot be resumed. */
  readonly id: string | undefined;
}

/** The content of one event. */
export interface ExecutionResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlError[] | undefined;
}

/** Converts an execution result to an event. @throws QuipuError for a result without data */
export function eventOf<Data>({ data, errors = [] }: ExecutionResult, id?: string): SubscriptionEvent<Data> {
  if (!data) throw graphqlError(errors);
  return { data: data as Data, errors, id };
}

export interface RetryOptions {
  /** Ends the subscription, which then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the reason of each lost connection, before the pause of `delayMs` ms. An error that it throws ends the subscription. */
  readonly onRetry?: ((error: QuipuError, delayMs: number) => void) | undefined;
  /** Delay of the first new attempt, in ms; default 1,000. It doubles while connections fail sooner than that, with jitter. */
  readonly retryMs?: number | undefined;
  /** Maximum delay in ms; default 30,000. */
  readonly maxRetryMs?: number | undefined;
}

/**
 * Yields the events of one connection after the other. `connect` opens a connection at the position of the last event. It throws when the
 * connection is lost, and ends when the service has completed the subscription.
 * @throws QuipuError that is not retryable; the reason of `signal`
 */
export async function* reconnecting<Data>(
  connect: () => AsyncIterable<SubscriptionEvent<Data>>,
  { signal, onRetry, retryMs = 1_000, maxRetryMs = 30_000 }: RetryOptions,
): AsyncGenerator<SubscriptionEvent<Data>, void, undefined> {
  let delayMs = 0;
  for (;;) {
    signal?.throwIfAborted();
    const openedAt = performance.now();
    let lost: QuipuError;
    try {
      for await (const event of connect()) {
        if (event.data) delayMs = 0;
        yield event;
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof QuipuError && error.isRetryable)) throw error;
      lost = error;
    }
    // an idle connection that a proxy closes occasionally does not mean that the service fails
    const isLasting = performance.now() - openedAt > delayMs;
    delayMs = isLasting ? retryMs : Math.min(delayMs * 2, maxRetryMs);
    const pauseMs = Math.max(delayMs * (0.5 + Math.random() / 2), (lost.retryAfter ?? 0) * 1_000);
    onRetry?.(lost, pauseMs);
    await sleep(pauseMs, signal);
  }
}

/** Fails like a lost connection when the service completes a subscription that has no end. */
export async function* endless<Data>(
  events: AsyncIterable<SubscriptionEvent<Data>>,
): AsyncGenerator<SubscriptionEvent<Data>, void, undefined> {
  yield* events;
  throw new QuipuError('NETWORK', 'The service ended the subscription.', { status: 200 });
}

/** The global object. In a browser it has an event for being online again. */
const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;

/** Waits for `ms`; in a browser at most until it is online again. @throws the reason of `signal` */
const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      page.removeEventListener?.('online', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    page.addEventListener?.('online', end);
  });
