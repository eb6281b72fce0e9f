import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import { AppError } from '../../../domain/errors.ts';
import type { EventFeed } from '../../../domain/event-feed.ts';
import { defineService, type ServiceDeps } from '../../../service.ts';
import { type Change, changesAfter } from '../store/change-log.ts';
import { type DeliveryNews, deliveriesAfter } from '../store/delivery-log.ts';
import { findMonitors } from '../store/monitors.ts';
import { Tail } from './event-stream-reader.ts';

/** Whose changes, and which of them; a list that is left out narrows nothing. */
export interface ChangesWanted {
  readonly keyId: string;
  /** UUIDs. */
  readonly monitorIds?: readonly string[];
  readonly companies?: readonly CompanyKey[];
  /** A position of the change log: what came after it comes first. */
  readonly after?: number;
  /** Position → what callers resume with. */
  readonly cursorOf: (position: number) => string;
}

export interface DeliveriesWanted {
  readonly keyId: string;
  /** UUID. */
  readonly monitorId?: string;
}

/** What happens, as it happens, for any number of readers. */
export interface Feed {
  /**
   * Changes in the order of the log, each once; from now on, or from `after` on.
   * @throws AppError SUBSCRIPTION_NOT_FOUND for a monitor of another key, CURSOR_TOO_OLD, INVALID_INPUT for a position never given out
   */
  changes(wanted: ChangesWanted): Promise<EventFeed<Change>>;
  /** Deliveries whenever something happens to them, from now on. @throws AppError SUBSCRIPTION_NOT_FOUND */
  deliveries(wanted: DeliveriesWanted): Promise<EventFeed<DeliveryNews>>;
  /** Readers that are being fed. */
  followers(): number;
  /** Position of the change log up to which this process has read; null while nobody follows. */
  position(): number | null;
  close(): Promise<void>;
}

export const feedService = defineService<Feed>({ name: 'feed', module: 'monitor', create: createFeed });

function createFeed(deps: ServiceDeps): Feed {
  const changes = new Tail<Change>('changes', changesAfter, deps);
  const deliveries = new Tail<DeliveryNews>('deliveries', deliveriesAfter, deps);

  /** Asked when the feed is open already, so that nothing falls between. */
  async function requireOwn<T>(feed: EventFeed<T>, keyId: string, monitorIds: readonly string[]): Promise<EventFeed<T>> {
    const asked = monitorIds.map((id) => ({ keyId, id }));
    try {
      const found = asked.length === 0 ? [] : await findMonitors(deps.db, asked);
      if (found.includes(null)) throw new AppError('SUBSCRIPTION_NOT_FOUND', 'There is no such monitor.');
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
      return requireOwn(await changes.follow({ keyId, matches, after, cursorOf }), keyId, monitorIds ?? []);
    },
    async deliveries({ keyId, monitorId }) {
      const matches = (news: DeliveryNews): boolean => news.keyId === keyId && (monitorId === undefined || news.monitorId === monitorId);
      return requireOwn(await deliveries.follow({ keyId, matches }), keyId, monitorId === undefined ? [] : [monitorId]);
    },
    followers: () => changes.followers + deliveries.followers,
    position: () => changes.position,
    async close() {
      await Promise.all([changes.close(), deliveries.close()]);
    },
  };
}
