import { AppError } from '../../../domain/errors.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import type { EventFeed } from '../../../event-feed.ts';
import { requestMessages } from '../../../messages/requests.ts';

/*
 * Distribution of a stream to its subscribers. A process reads each event once into a buffer of the latest 1,024 events of all keys. A
 * subscriber is a position and a filter, not a queue, so it costs the same memory however slow its consumer is. It takes events from the
 * buffer, or reads pages of its key from the table when its position is older than the buffer. A consumer that has missed 256 matching
 * events and has taken none for 5 s is evicted with the error LAGGED, which contains the cursor to resume from.
 */

/** An event at its position in a stream, which belongs to one key. */
export interface StreamEvent {
  readonly position: number;
  readonly keyId: string;
}

/** Minimum number of buffered events, and number of events removed together. */
const KEPT = 1_024;
const REMOVED = 128;

/** Buffer of the latest events of a stream, of all keys: those after `from` and up to `to`. */
export class RecentEvents<T extends StreamEvent> {
  #events: T[] = [];
  #from = 0;
  #to = 0;

  get from(): number {
    return this.#from;
  }

  get to(): number {
    return this.#to;
  }

  /** Clears the buffer and continues after a position. */
  restart(position: number): void {
    this.#events = [];
    this.#from = position;
    this.#to = position;
  }

  push(event: T): void {
    this.#events.push(event);
    this.#to = event.position;
    if (this.#events.length < KEPT + REMOVED) return;
    this.#from = this.#events[REMOVED - 1]?.position ?? this.#from;
    this.#events = this.#events.slice(REMOVED);
  }

  /** Returns the first matching event after a position. */
  find(after: number, matches: (event: T) => boolean): T | undefined {
    for (let i = this.#indexAfter(after); i < this.#events.length; i += 1) {
      const event = this.#events[i];
      if (event && matches(event)) return event;
    }
    return undefined;
  }

  #indexAfter(position: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.position ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Number of missed events at which a subscriber is evicted, if it took none for LAG_MS either. */
const LAG_EVENTS = 256;
const LAG_MS = 5 * SECOND_MS;
/** Delay before a failed read is repeated. */
const RETRY_MS = SECOND_MS;

/** Rows of the table after a position. There are no other events up to `upTo`. */
export interface EventPage<T> {
  readonly rows: readonly T[];
  readonly upTo: number;
}

export interface SubscriberOptions<T extends StreamEvent> {
  readonly keyId: string;
  readonly matches: (event: T) => boolean;
  readonly recent: RecentEvents<T>;
  /** Reads events of the key after a position. @throws AppError CURSOR_TOO_OLD */
  readonly readPage: (after: number) => Promise<EventPage<T>>;
  readonly now: () => number;
  /** Converts a position to the cursor for resuming. */
  readonly cursorOf: (position: number) => string;
  readonly onReadError: (error: unknown) => void;
  readonly onEnd: () => void;
}

/**
 * One subscriber of a stream. It has a position and no queue: it takes events from the buffer of recent events, or reads a page from the
 * table when the buffer begins after its position.
 */
export class Subscriber<T extends StreamEvent> implements EventFeed<T> {
  readonly keyId: string;
  readonly #options: SubscriberOptions<T>;
  readonly #evicted = new AbortController();
  /** Position up to which it has read; null before the start. */
  #position: number | null = null;
  /** Events of the last page that were not yet returned. */
  #pending: T[] = [];
  /** Position of the event returned last, and of the last event that the consumer has certainly processed. */
  #returnedPosition = 0;
  #processedPosition = 0;
  #ended = false;
  /** True while a call of `next` is pending. */
  #isAwaited = false;
  /** True while the subscriber waits for a new event of its key. */
  #isIdle = false;
  #wake: (() => void) | null = null;
  /** Number of matching events since it last returned one. */
  #missed = 0;
  /** Epoch ms of the last `next` that returned. */
  #lastReadAt = 0;

  constructor(options: SubscriberOptions<T>) {
    this.keyId = options.keyId;
    this.#options = options;
  }

  get evicted(): AbortSignal {
    return this.#evicted.signal;
  }

  get cursor(): string {
    return this.#options.cursorOf(this.#returnedPosition);
  }

  get started(): boolean {
    return this.#position !== null;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Starts with the events after a position. */
  start(position: number): void {
    this.#position = position;
    this.#returnedPosition = position;
    this.#lastReadAt = this.#options.now();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    this.#processedPosition = this.#returnedPosition; // the consumer asks for the next event after it processed the last one
    this.#isAwaited = true;
    try {
      const event = await this.#take();
      if (!event) return { done: true, value: undefined };
      this.#returnedPosition = event.position;
      return { done: false, value: event };
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      this.#isAwaited = false;
      this.#missed = 0;
      this.#lastReadAt = this.#options.now();
    }
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  /** Called for every new event of its key, after the event was added to the buffer. */
  notify(event: T): void {
    if (this.#position === null || event.position <= this.#position || !this.#options.matches(event)) return;
    if (this.#isIdle) {
      this.#position = event.position - 1; // no event between them matches
      this.#resume();
    } else this.#missed += 1;
  }

  /** Evicts a consumer that takes no events. A consumer that waits for an event, or for the database, is not lagging. */
  evictIfLagging(): void {
    if (this.#isAwaited || this.#missed < LAG_EVENTS || this.#options.now() - this.#lastReadAt < LAG_MS) return;
    const cursor = this.#options.cursorOf(this.#processedPosition);
    this.#evicted.abort(
      new AppError('LAGGED', requestMessages.laggedAtCursor(), {
        cursor,
      }),
    );
    this.#end();
  }

  async #take(): Promise<T | undefined> {
    while (!this.#ended) {
      const event = this.#pending.shift() ?? this.#fromRecent();
      if (event) return event;
      if (this.#position === null || this.#position >= this.#options.recent.from) await this.#wait(true);
      else await this.#readPage(this.#position);
    }
    this.#evicted.signal.throwIfAborted();
    return undefined;
  }

  #fromRecent(): T | undefined {
    const { recent, matches } = this.#options;
    if (this.#position === null || this.#position < recent.from) return undefined;
    const event = recent.find(this.#position, matches);
    this.#position = Math.max(this.#position, event?.position ?? recent.to);
    return event;
  }

  async #readPage(after: number): Promise<void> {
    try {
      const { rows, upTo } = await this.#options.readPage(after);
      this.#pending = rows.filter(this.#options.matches);
      this.#position = upTo;
    } catch (error) {
      if (error instanceof AppError) throw error;
      this.#options.onReadError(error);
      setTimeout(() => this.#resume(), RETRY_MS).unref();
      await this.#wait(false);
    }
  }

  /** @param isIdle true: `notify` resumes it; false: only the retry timer does */
  async #wait(isIdle: boolean): Promise<void> {
    if (this.#ended) return;
    this.#isIdle = isIdle;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #resume(): void {
    this.#isIdle = false;
    this.#wake?.();
    this.#wake = null;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#pending = [];
    this.#resume();
    this.#options.onEnd();
  }
}
