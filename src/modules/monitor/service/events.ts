import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import { AppError } from '../../../domain/errors.ts';
import type { EventFeed } from '../../../domain/event-feed.ts';
import type { ServiceDeps } from '../../../service.ts';
import type { Change } from '../domain/change.ts';
import type { LogPosition } from '../domain/cursor.ts';
import type { Delivery } from '../domain/delivery.ts';
import { changesAfter } from '../store/change-log.ts';
import { findMonitors } from '../store/monitors.ts';
import { DeliveryUpdates } from './delivery-updates.ts';
import { EventStreamReader } from './event-stream-reader.ts';

/** Selects changes of a key. A list that is left out does not restrict. */
export interface ChangeFilter {
  readonly keyId: string;
  /** UUIDs. */
  readonly monitorIds?: readonly string[];
  readonly companies?: readonly CompanyKey[];
  /** Start with the changes after it. Left out: only new changes. */
  readonly after?: LogPosition;
  /** Position → cursor for resuming. */
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
   * Changes in the order of the log, each once.
   * @throws AppError MONITOR_NOT_FOUND for a monitor of another key, CURSOR_TOO_OLD, INVALID_INPUT for a position that does not exist
   */
  changes(filter: ChangeFilter): Promise<EventFeed<Change>>;
  /** New updates of deliveries. @throws AppError MONITOR_NOT_FOUND for a monitor of another key */
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
      if (found.includes(null)) throw new AppError('MONITOR_NOT_FOUND', 'There is no such monitor.');
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
      const matches = (delivery: Delivery): boolean => monitorId === undefined || delivery.monitorId === monitorId;
      return requireOwn(await deliveries.subscribe({ keyId, matches }), keyId, monitorId === undefined ? [] : [monitorId]);
    },
    subscribers: () => changes.subscribers + deliveries.subscribers,
    position: () => changes.position,
    async close() {
      await Promise.all([changes.close(), deliveries.close()]);
    },
  };
}
