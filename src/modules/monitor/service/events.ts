import { bulkhead } from 'cockatiel';
import type { Knex } from 'knex';
import { type Listening, listen } from '../../../db/listen.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import { AppError } from '../../../domain/errors.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import type { EventFeed } from '../../../event-feed.ts';
import { monitorMessages } from '../../../messages/monitors.ts';
import { requestMessages } from '../../../messages/requests.ts';
import type { ServiceDeps } from '../../../service.ts';
import type { Delivery } from '../../../webhooks/domain/delivery.ts';
import { DeliveryUpdates } from '../../../webhooks/service/delivery-updates.ts';
import type { Change } from '../domain/change.ts';
import { atPosition, type LogPosition, requireKept, type StreamHead } from '../domain/log-position.ts';
import { CHANNEL, changesAfter, readStreamHead } from '../store/change-log.ts';
import { findMonitors, MONITOR } from '../store/monitors.ts';
import { type EventPage, RecentEvents, type StreamEvent, Subscriber } from './subscriber.ts';

/** Selects changes of a key. An omitted list does not restrict. */
export interface ChangeFilter {
  readonly keyId: string;
  /** UUIDs. */
  readonly monitorIds?: readonly string[];
  readonly companies?: readonly CompanyKey[];
  /** The feed begins with the changes after it; without it, with new changes. */
  readonly after?: LogPosition;
  /** Converts a position to the cursor for resuming. */
  readonly cursorOf: (at: LogPosition) => string;
}

export interface DeliveryFilter {
  readonly keyId: string;
  /** UUID. */
  readonly monitorId?: string;
}

/** Live events for subscribers. */
export interface MonitorEvents {
  /**
   * Opens a feed of changes in the order of the log, each once.
   * @throws AppError MONITOR_NOT_FOUND for a monitor of another key, CURSOR_TOO_OLD, INVALID_INPUT for a position that does not exist
   */
  changes(filter: ChangeFilter): Promise<EventFeed<Change>>;
  /** Opens a feed of new updates of deliveries. @throws AppError MONITOR_NOT_FOUND for a monitor of another key */
  deliveries(filter: DeliveryFilter): Promise<EventFeed<Delivery>>;
  /** Number of started subscribers. */
  subscribers(): number;
  /** Position up to which this process has read the change log; null without subscribers. */
  position(): number | null;
  close(): Promise<void>;
}

export function createMonitorEvents(deps: Pick<ServiceDeps, 'db' | 'log' | 'now'>): MonitorEvents {
  const changes = new EventStreamReader<Change>(changesAfter, deps);
  const deliveries = new DeliveryUpdates(deps);

  /** Checks ownership once the feed is open, so that no event is missed between the check and the start. */
  async function requireOwn<T>(feed: EventFeed<T>, keyId: string, monitorIds: readonly string[]): Promise<EventFeed<T>> {
    const queries = monitorIds.map((id) => ({ keyId, id }));
    try {
      const found = queries.length === 0 ? [] : await findMonitors(deps.db, queries);
      if (found.includes(null)) throw new AppError('MONITOR_NOT_FOUND', monitorMessages.noSuchMonitor());
      return feed;
    } catch (error) {
      await feed.return();
      throw error;
    }
  }

  return {
    async changes({ keyId, monitorIds, companies, after, cursorOf }) {
      const monitors = monitorIds && new Set(monitorIds);
      const watched = companies && new Set(companies.map(companyKeyText));
      const matches = (change: Change): boolean =>
        change.keyId === keyId && (monitors?.has(change.monitorId) ?? true) && (watched?.has(companyKeyText(change.company)) ?? true);
      return requireOwn(await changes.subscribe({ keyId, matches, after, cursorOf }), keyId, monitorIds ?? []);
    },
    async deliveries({ keyId, monitorId }) {
      const matches = (delivery: Delivery): boolean =>
        delivery.ownerKind === MONITOR && (monitorId === undefined || delivery.endpointId === monitorId);
      return requireOwn(await deliveries.subscribe({ keyId, matches }), keyId, monitorId === undefined ? [] : [monitorId]);
    },
    subscribers: () => changes.subscribers + deliveries.subscribers,
    position: () => changes.position,
    async close() {
      await Promise.all([changes.close(), deliveries.close()]);
    },
  };
}

/** The table is polled at this interval while there are subscribers, in case a notification was lost. */
const POLL_MS = SECOND_MS;
/** Rows of one read, by the reader or by a subscriber that catches up. */
const READER_ROWS = 200;
const SUBSCRIBER_ROWS = 100;
/** Maximum number of concurrent reads by subscribers; leaves database connections for other requests. */
const CONCURRENT_READS = 4;

/** Reads the rows of a stream's table after a position, oldest first; only those of `keyId` when it is given. */
export type RowsAfter<T> = (db: Knex, after: number, page: { readonly limit: number; readonly keyId?: string }) => Promise<readonly T[]>;

export interface SubscribeOptions<T> {
  readonly keyId: string;
  readonly matches: (event: T) => boolean;
  /** The feed begins with the events after this position; without it, with new events. */
  readonly after?: LogPosition;
  /** Converts a position to the cursor for resuming. */
  readonly cursorOf: (at: LogPosition) => string;
}

/**
 * Reads a stream once per process and distributes its events to subscribers. Notifications and polls only trigger a read of the table,
 * which has the events. Nothing is read while there are no subscribers.
 */
class EventStreamReader<T extends StreamEvent> {
  readonly #deps: Pick<ServiceDeps, 'db' | 'log' | 'now'>;
  readonly #rowsAfter: RowsAfter<T>;
  readonly #recent = new RecentEvents<T>();
  readonly #subscribers = new Map<string, Set<Subscriber<T>>>();
  readonly #reads = bulkhead(CONCURRENT_READS, Number.POSITIVE_INFINITY);
  /** Epochs of the stream when reading started. A new one begins only while no process runs. */
  #epochs: StreamHead['epochs'] = [];
  #starting: Promise<void> | null = null;
  #running = false;
  #listening: Listening | null = null;
  #pollTimer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | null = null;
  #readAgain = false;

  constructor(rowsAfter: RowsAfter<T>, deps: Pick<ServiceDeps, 'db' | 'log' | 'now'>) {
    this.#rowsAfter = rowsAfter;
    this.#deps = deps;
  }

  /** Number of started subscribers. */
  get subscribers(): number {
    return this.#all().filter(({ started }) => started).length;
  }

  /** Position up to which it has read; null without subscribers. */
  get position(): number | null {
    return this.#running ? this.#recent.to : null;
  }

  /** @throws AppError CURSOR_TOO_OLD; INVALID_INPUT for a position that does not exist; SERVICE_UNAVAILABLE without a database */
  async subscribe({ keyId, matches, after, cursorOf }: SubscribeOptions<T>): Promise<EventFeed<T>> {
    const subscriber: Subscriber<T> = new Subscriber<T>({
      keyId,
      matches,
      recent: this.#recent,
      readPage: (position) => this.#readPage(position, keyId, cursorOf),
      now: this.#deps.now,
      cursorOf: (position) => cursorOf(atPosition(position, { epochs: this.#epochs })),
      onReadError: (err) => this.#deps.log.warn({ err }, 'missed events could not be read; retrying'),
      onEnd: () => this.#remove(subscriber),
    });
    this.#add(subscriber);
    try {
      if (!this.#running) await this.#start();
      if (after) requireKept(after, await readStreamHead(this.#deps.db), cursorOf);
      subscriber.start(after?.position ?? this.#recent.to);
      return subscriber;
    } catch (error) {
      await subscriber.return();
      if (error instanceof AppError) throw error;
      throw new AppError('SERVICE_UNAVAILABLE', requestMessages.eventsUnread(), { retryAfterSeconds: 2 }, { cause: error });
    }
  }

  async close(): Promise<void> {
    for (const subscriber of this.#all()) await subscriber.return();
    await this.#listening?.stop();
    await this.#reading;
  }

  #all(): readonly Subscriber<T>[] {
    return [...this.#subscribers.values()].flatMap((subscribers) => [...subscribers]);
  }

  #add(subscriber: Subscriber<T>): void {
    const ofKey = this.#subscribers.get(subscriber.keyId) ?? new Set();
    this.#subscribers.set(subscriber.keyId, ofKey.add(subscriber));
  }

  #remove(subscriber: Subscriber<T>): void {
    const ofKey = this.#subscribers.get(subscriber.keyId);
    ofKey?.delete(subscriber);
    if (ofKey?.size === 0) this.#subscribers.delete(subscriber.keyId);
    if (this.#subscribers.size > 0) return;
    clearInterval(this.#pollTimer);
    this.#running = false;
  }

  /** Starts reading at the end of the stream. */
  #start(): Promise<void> {
    this.#starting ??= (async () => {
      const { position, epochs } = await readStreamHead(this.#deps.db);
      this.#epochs = epochs;
      this.#recent.restart(position);
      if (this.#subscribers.size === 0) return;
      this.#running = true;
      clearInterval(this.#pollTimer);
      this.#pollTimer = setInterval(() => this.#poll(), POLL_MS).unref();
      this.#listening ??= listen(this.#deps.db, CHANNEL, { onNotify: () => this.#read(), log: this.#deps.log });
    })().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  #poll(): void {
    this.#read();
    for (const subscriber of this.#all()) subscriber.evictIfLagging();
  }

  /** Reads new events. A call during a read makes it repeat once. */
  #read(): void {
    this.#readAgain = true;
    this.#reading ??= (async () => {
      while (this.#readAgain && this.#running) {
        this.#readAgain = false;
        while (await this.#readBatch());
      }
    })()
      .catch((err: unknown) => this.#deps.log.warn({ err }, 'new events could not be read; retrying'))
      .finally(() => {
        this.#reading = null;
      });
  }

  /** @returns true when there may be more rows */
  async #readBatch(): Promise<boolean> {
    const after = this.#recent.to;
    const rows = await this.#rowsAfter(this.#deps.db, after, { limit: READER_ROWS });
    if (!this.#running || this.#recent.to !== after) return false; // all subscribers left during the read, and new ones came
    for (const event of rows) {
      this.#recent.push(event);
      for (const subscriber of this.#subscribers.get(event.keyId) ?? []) subscriber.notify(event);
    }
    for (const keyId of new Set(rows.map((event) => event.keyId))) {
      for (const subscriber of this.#subscribers.get(keyId) ?? []) subscriber.evictIfLagging();
    }
    return rows.length === READER_ROWS;
  }

  async #readPage(after: number, keyId: string, cursorOf: SubscribeOptions<T>['cursorOf']): Promise<EventPage<T>> {
    return this.#reads.execute(async () => {
      const known = this.#recent.to;
      const rows = await this.#rowsAfter(this.#deps.db, after, { limit: SUBSCRIBER_ROWS, keyId });
      const at = atPosition(after, { epochs: this.#epochs });
      requireKept(at, await readStreamHead(this.#deps.db), cursorOf); // read last: rows deleted during the read are missing from the page
      const last = rows.at(-1)?.position ?? after;
      return { rows, upTo: rows.length < SUBSCRIBER_ROWS ? Math.max(known, last) : last };
    });
  }
}
