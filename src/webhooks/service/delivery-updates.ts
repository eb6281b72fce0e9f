import { AppError } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { EventFeed } from '../../event-feed.ts';
import { requestMessages } from '../../messages/requests.ts';
import type { ServiceDeps } from '../../service.ts';
import type { Delivery } from '../domain/delivery.ts';
import { currentSnapshot, type Snapshot, updatedDeliveries } from '../store/delivery-log.ts';

/**
 * The table is polled at this interval while there are subscribers. Writers do not NOTIFY, because an attempt would wait for the lock of
 * the notification queue.
 */
const POLL_MS = SECOND_MS / 2;
const ROWS = 500;
/** Number of untaken deliveries at which a subscriber is evicted, if it took none for LAG_MS either. */
const LAG_DELIVERIES = 256;
const LAG_MS = 5 * SECOND_MS;
/** Number of untaken deliveries at which a subscriber is evicted, however fast it takes them. */
const MAX_WAITING = 4_096;

export interface DeliveryUpdatesOptions {
  readonly keyId: string;
  readonly matches: (delivery: Delivery) => boolean;
}

type Deps = Pick<ServiceDeps, 'db' | 'log' | 'now'>;

/** Reads the updates of deliveries once per process, while there are subscribers, and distributes them. */
export class DeliveryUpdates {
  readonly #deps: Deps;
  readonly #feeds = new Set<DeliveryFeed>();
  /** The updates of all transactions in it were read; null without subscribers. */
  #snapshot: Snapshot | null = null;
  #pollTimer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #nextRead: Promise<void> | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get subscribers(): number {
    return this.#feeds.size;
  }

  /** Starts with the updates that are committed from now on. @throws AppError SERVICE_UNAVAILABLE without a database */
  async subscribe({ keyId, matches }: DeliveryUpdatesOptions): Promise<EventFeed<Delivery>> {
    try {
      await this.#read();
    } catch (cause) {
      throw new AppError('SERVICE_UNAVAILABLE', requestMessages.eventsUnread(), { retryAfterSeconds: 2 }, { cause });
    }
    const feed = new DeliveryFeed({ keyId, matches, now: this.#deps.now, onEnd: () => this.#remove(feed) });
    this.#feeds.add(feed);
    this.#pollTimer ??= setInterval(() => this.#poll(), POLL_MS).unref();
    return feed;
  }

  async close(): Promise<void> {
    for (const feed of this.#feeds) await feed.return();
    await this.#reading;
  }

  #remove(feed: DeliveryFeed): void {
    this.#feeds.delete(feed);
    if (this.#feeds.size > 0) return;
    clearInterval(this.#pollTimer);
    this.#pollTimer = undefined;
    this.#snapshot = null;
  }

  #poll(): void {
    this.#read().catch((err: unknown) => this.#deps.log.warn({ err }, 'updates of deliveries could not be read; retrying'));
    for (const feed of this.#feeds) feed.evictIfLagging();
  }

  /** Reads all updates that are committed until now. Calls during a read share the next one. */
  #read(): Promise<void> {
    this.#nextRead ??= this.#reading.then(() => {
      this.#nextRead = null;
      return this.#readOnce();
    });
    this.#reading = this.#nextRead.catch(() => undefined);
    return this.#nextRead;
  }

  async #readOnce(): Promise<void> {
    const { db } = this.#deps;
    const since = this.#snapshot;
    const until = await currentSnapshot(db);
    const keyIds = [...new Set([...this.#feeds].map(({ keyId }) => keyId))];
    for (let after = 0, more = since !== null && keyIds.length > 0; since !== null && more; ) {
      const page = await updatedDeliveries(db, { since, until, keyIds, after, limit: ROWS });
      for (const delivery of page) for (const feed of this.#feeds) feed.push(delivery);
      after = page.at(-1)?.revision ?? after;
      more = page.length === ROWS;
    }
    this.#snapshot = until;
  }
}

interface FeedOptions extends DeliveryUpdatesOptions {
  readonly now: () => number;
  readonly onEnd: () => void;
}

/** Queue of one subscriber. A delivery that is updated again before the subscriber takes it is returned once, at its latest update. */
class DeliveryFeed implements EventFeed<Delivery> {
  readonly keyId: string;
  readonly cursor = undefined;
  readonly #options: FeedOptions;
  readonly #evicted = new AbortController();
  readonly #waiting = new Map<string, Delivery>();
  #ended = false;
  /** Resolves the waiting `next`; null while none waits. */
  #wake: (() => void) | null = null;
  /** Epoch ms of the last `next` that returned. */
  #lastReadAt: number;

  constructor(options: FeedOptions) {
    this.keyId = options.keyId;
    this.#options = options;
    this.#lastReadAt = options.now();
  }

  get evicted(): AbortSignal {
    return this.#evicted.signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  push(delivery: Delivery): void {
    if (this.#ended || delivery.keyId !== this.keyId || !this.#options.matches(delivery)) return;
    this.#waiting.delete(delivery.id);
    this.#waiting.set(delivery.id, delivery);
    this.#resume();
    if (this.#waiting.size > MAX_WAITING) this.#evict();
  }

  async next(): Promise<IteratorResult<Delivery, undefined>> {
    while (!this.#ended && this.#waiting.size === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#evicted.signal.throwIfAborted();
    this.#lastReadAt = this.#options.now();
    const [delivery] = this.#waiting.values();
    if (!delivery || this.#ended) return { done: true, value: undefined };
    this.#waiting.delete(delivery.id);
    return { done: false, value: delivery };
  }

  async return(): Promise<IteratorResult<Delivery, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  /** Evicts a subscriber that does not take its deliveries. */
  evictIfLagging(): void {
    if (this.#waiting.size >= LAG_DELIVERIES && this.#options.now() - this.#lastReadAt >= LAG_MS) this.#evict();
  }

  #evict(): void {
    this.#evicted.abort(new AppError('LAGGED', requestMessages.lagged()));
    this.#end();
  }

  #resume(): void {
    this.#wake?.();
    this.#wake = null;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#waiting.clear();
    this.#resume();
    this.#options.onEnd();
  }
}
