import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { EventFeed } from '../../../domain/event-feed.ts';
import { Access } from '../../../graphql/access.ts';
import { feedService } from '../service/events.ts';
import type { Change } from '../store/change-log.ts';
import type { DeliveryNews } from '../store/delivery-log.ts';
import { changeCursor, changePosition, companyKey, monitorUuid, narrowed } from './arguments.ts';
import { ChangeType, DeliveryType } from './types.ts';

interface ChangedArgs {
  readonly monitorIds?: readonly string[] | null;
  readonly identifiers?: readonly string[] | null;
  readonly after?: string | null;
}

@Resolver()
export class MonitorSubscriptions {
  @Access('monitor')
  @Subscription(() => ChangeType, {
    description: "Changes on the key's monitors, as they are found, optionally narrowed. With `after`, what was missed comes first.",
    subscribe: ({ args, context }) => followChanges(args, context),
  })
  companyChanged(
    @Root() change: Change,
    @Arg('monitorIds', () => [ID], { nullable: true, description: 'Of these monitors only, at most 500.' }) _monitorIds?: string[],
    @Arg('identifiers', () => [String], { nullable: true, description: 'Of the companies with these tax ids only, at most 500.' })
    _identifiers?: string[],
    @Arg('after', () => String, {
      nullable: true,
      description: 'Cursor of the last change received: what came after it is sent first, then what happens from now on.',
    })
    _after?: string,
  ): ChangeType {
    return new ChangeType(change);
  }

  @Access('monitor')
  @Subscription(() => DeliveryType, {
    description: "Webhook deliveries of the key's monitors, whenever something happens to one: queued, tried, settled.",
    subscribe: ({ args, context }) => followDeliveries(args, context),
  })
  deliveryUpdated(
    @Root() news: DeliveryNews,
    @Arg('monitorId', () => ID, { nullable: true, description: 'Of this monitor only.' }) _monitorId?: string,
  ): DeliveryType {
    return new DeliveryType(news);
  }
}

async function followChanges({ monitorIds, identifiers, after }: ChangedArgs, ctx: RequestContext): Promise<EventFeed<Change>> {
  return ctx.open(feedService).changes({
    keyId: ctx.caller.keyId,
    monitorIds: narrowed('monitorIds', monitorIds)?.map(monitorUuid),
    companies: narrowed('identifiers', identifiers)?.map(companyKey),
    after: after ? changePosition(after) : undefined,
    cursorOf: changeCursor,
  });
}

async function followDeliveries({ monitorId }: { monitorId?: string | null }, ctx: RequestContext): Promise<EventFeed<DeliveryNews>> {
  return ctx.open(feedService).deliveries({ keyId: ctx.caller.keyId, monitorId: monitorId ? monitorUuid(monitorId) : undefined });
}
