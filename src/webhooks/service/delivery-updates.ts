import { AppError } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { type EventFeed, LatestFeed } from '../../event-feed.ts';
import { requestMessages } from '../../messages/requests.ts';
import { SharedRun } from '../../scheduling/shared-run.ts';
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
  /** Reads all updates that are committed until now. */
  readonly #reading = new SharedRun(() => this.#readOnce());

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get subscribers(): number {
    return this.#feeds.size;
  }

  /** Starts with the updates that are committed from now on. @throws AppError SERVICE_UNAVAILABLE without a database */
  async subscribe({ keyId, matches }: DeliveryUpdatesOptions): Promise<EventFeed<Delivery>> {
    try {
      await this.#reading.start();
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
    await this.#reading.ended();
  }

  #remove(feed: DeliveryFeed): void {
    this.#feeds.delete(feed);
    if (this.#feeds.size > 0) return;
    clearInterval(this.#pollTimer);
    this.#pollTimer = undefined;
    this.#snapshot = null;
  }

  #poll(): void {
    this.#reading.start().catch((err: unknown) => this.#deps.log.warn({ err }, 'updates of deliveries could not be read; retrying'));
    for (const feed of this.#feeds) feed.evictIfLagging();
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

/** Deliveries of one subscriber. */
class DeliveryFeed extends LatestFeed<Delivery> {
  readonly keyId: string;
  readonly #options: FeedOptions;
  /** Epoch ms of the last `next` that returned. */
  #lastReadAt: number;

  constructor(options: FeedOptions) {
    super(options.onEnd);
    this.keyId = options.keyId;
    this.#options = options;
    this.#lastReadAt = options.now();
  }

  push(delivery: Delivery): void {
    if (delivery.keyId !== this.keyId || !this.#options.matches(delivery)) return;
    this.put(delivery.id, delivery);
    if (this.waiting > MAX_WAITING) this.evict(lagged());
  }

  override async next(): Promise<IteratorResult<Delivery, undefined>> {
    const result = await super.next();
    this.#lastReadAt = this.#options.now();
    return result;
  }

  /** Evicts a subscriber that does not take its deliveries. */
  evictIfLagging(): void {
    if (this.waiting >= LAG_DELIVERIES && this.#options.now() - this.#lastReadAt >= LAG_MS) this.evict(lagged());
  }
}

const lagged = (): AppError => new AppError('LAGGED', requestMessages.lagged());
