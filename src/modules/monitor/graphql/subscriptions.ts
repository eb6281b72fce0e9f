import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { EventFeed, SubscriptionStart } from '../../../event-feed.ts';
import { Access } from '../../../graphql/access.ts';
import type { Delivery } from '../../../webhooks/domain/delivery.ts';
import type { Change } from '../domain/change.ts';
import { parseChangeCursor, toChangeCursor } from '../domain/log-position.ts';
import { monitorService } from '../service/monitor.ts';
import { companyKeys, monitorUuid, optionalFilter } from './arguments.ts';
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
    description:
      "Changes that the key's monitors report, when they are detected. With `after`, missed changes are sent first. " +
      'A client that reconnects by itself, as graphql-ws does, repeats its first `after` and so misses or repeats changes: switch its retries ' +
      'off and subscribe again with the last `cursor`. Server-sent events carry the cursor as `id`, and `Last-Event-ID` resumes there.',
    subscribe: ({ args, context, source }) => subscribeToChanges(args, context, source),
  })
  companyChanged(
    @Root() change: Change,
    @Arg('monitorIds', () => [ID], { nullable: true, description: 'Only changes of these monitors, at most 500.' }) _monitorIds?: string[],
    @Arg('identifiers', () => [String], { nullable: true, description: 'Only changes of the companies with these tax ids, at most 500.' })
    _identifiers?: string[],
    @Arg('after', () => String, {
      nullable: true,
      description: 'Cursor of the last change received: the changes after it are sent first, then new ones.',
    })
    _after?: string,
  ): ChangeType {
    return new ChangeType(change);
  }

  @Access('monitor')
  @Subscription(() => DeliveryType, {
    description:
      "Webhook deliveries of the key's monitors, whenever one was queued, attempted or settled: within about a second, in its latest state.",
    subscribe: ({ args, context }) => subscribeToDeliveries(args, context),
  })
  deliveryUpdated(
    @Root() update: Delivery,
    @Arg('monitorId', () => ID, { nullable: true, description: 'Only deliveries of this monitor.' }) _monitorId?: string,
  ): DeliveryType {
    return new DeliveryType(update);
  }
}

async function subscribeToChanges(
  { monitorIds, identifiers, ...args }: ChangedArgs,
  ctx: RequestContext,
  { lastEventId }: SubscriptionStart,
): Promise<EventFeed<Change>> {
  const after = lastEventId || args.after;
  return ctx.open(monitorService).events.changes({
    keyId: ctx.caller.keyId,
    monitorIds: optionalFilter('monitorIds', monitorIds)?.map(monitorUuid),
    companies: optionalFilter('identifiers', identifiers)?.flatMap(companyKeys),
    after: after ? parseChangeCursor(after) : undefined,
    cursorOf: toChangeCursor,
  });
}

async function subscribeToDeliveries({ monitorId }: { monitorId?: string | null }, ctx: RequestContext): Promise<EventFeed<Delivery>> {
  return ctx.open(monitorService).events.deliveries({ keyId: ctx.caller.keyId, monitorId: monitorId ? monitorUuid(monitorId) : undefined });
}
