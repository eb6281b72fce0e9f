import type { AppError } from './domain/errors.ts';

/** Root value with which the server starts a subscription. */
export interface SubscriptionStart {
  /** Cursor of the last event that a reconnecting client received. It replaces the argument `after`. */
  readonly lastEventId?: string | undefined;
}

/**
 * Events in the order of their arrival, for one reader. A feed may be evicted while its reader is busy with an event. `evicted` then
 * aborts at once, with an AppError as reason, and the next `next` throws it.
 */
export interface EventFeed<T> {
  readonly evicted: AbortSignal;
  /** Cursor of the last returned event, or of the start before the first one; undefined for a feed that cannot be resumed. */
  readonly cursor: string | undefined;
  next(): Promise<IteratorResult<T, undefined>>;
  /** Ends the feed, also while a `next` waits. */
  return(): Promise<IteratorResult<T, undefined>>;
  [Symbol.asyncIterator](): EventFeed<T>;
}

/** Feed of the newest value for each id. A value that is replaced before the reader takes it is skipped. */
export class LatestFeed<T> implements EventFeed<T> {
  readonly cursor = undefined;
  readonly #onEnd: () => void;
  readonly #evicted = new AbortController();
  /** Id → its newest value, until the reader takes it. */
  readonly #waiting = new Map<string, T>();
  #isFinished = false;
  #hasEnded = false;
  /** Resolves the waiting `next`; null while none waits. */
  #wake: (() => void) | null = null;

  /** @param onEnd called once, when the feed has ended */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  get evicted(): AbortSignal {
    return this.#evicted.signal;
  }

  /** Number of values that the reader has not taken. */
  get waiting(): number {
    return this.#waiting.size;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  put(id: string, value: T): void {
    if (this.#hasEnded) return;
    this.#waiting.delete(id);
    this.#waiting.set(id, value);
    this.#resume();
  }

  /** Ends the feed as soon as the reader has taken its values. */
  finish(): void {
    this.#isFinished = true;
    this.#resume();
  }

  /** Ends the feed at once. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#waiting.clear();
    this.#resume();
    this.#onEnd();
  }

  /** Ends the feed with an error for its reader. */
  evict(reason: AppError): void {
    this.#evicted.abort(reason);
    this.end();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    while (!this.#hasEnded && this.#waiting.size === 0) {
      if (this.#isFinished) this.end();
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    this.#evicted.signal.throwIfAborted();
    const [first] = this.#waiting;
    if (!first) return { done: true, value: undefined };
    const [id, value] = first;
    this.#waiting.delete(id);
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  #resume(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
