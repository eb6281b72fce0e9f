export interface SubscribeOptions {
  /** Address of the GraphQL endpoint. */
  readonly url: string;
  /** Headers of each request: `X-API-Key`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** `id` of the last event that was processed. Left out: only new events. */
  readonly lastEventId?: string;
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
  /** Called before each new attempt with the reason of the last one. */
  readonly onRetry?: (error: Error) => void;
  /** Delay of the first new attempt, in ms. It doubles up to `maxRetryMs`, with jitter. */
  readonly retryMs?: number;
  readonly maxRetryMs?: number;
  /** A connection without data for this time counts as lost, in ms. The server sends a comment every 12 s. */
  readonly silenceMs?: number;
  readonly fetch?: typeof fetch;
}

export interface GraphqlError {
  readonly message: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

export interface SubscriptionEvent<T> {
  readonly data: T;
  readonly errors?: readonly GraphqlError[];
  /** Position after this event. Undefined for a subscription that cannot be resumed. */
  readonly id: string | undefined;
}

export declare class SubscriptionError extends Error {
  readonly errors: readonly GraphqlError[];
  readonly status: number;
}

/** @throws SubscriptionError for a reason that does not pass; the reason of `signal` when it aborts */
export declare function subscribe<T>(options: SubscribeOptions): AsyncGenerator<SubscriptionEvent<T>, void, undefined>;
