import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Owned, Page } from '../../../db/paging.ts';
import type { JsonTexts } from '../../../domain/json-texts.ts';
import { parseNumberCursor, parseTimeCursor, requireFirst, toNumberCursor, toTimeCursor } from '../../../domain/paging.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import { Access, Served } from '../../../graphql/access.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connect, PageArgs, pageRequestOf } from '../../../graphql/connection.ts';
import { defineNode, ownedBy } from '../../../graphql/relay.ts';
import type { Attempt } from '../../../webhooks/domain/delivery.ts';
import { DeliveryAttemptType } from '../../../webhooks/graphql.ts';
import type { Change } from '../domain/change.ts';
import { endCursorOf, parseChangeCursor, toChangeCursor } from '../domain/log-position.ts';
import { type MonitorRow, OVERDUE_MS, WATCHED_COUNTRIES } from '../domain/monitor.ts';
import {
  attemptsLoader,
  changeDeliveriesLoader,
  changeLoader,
  checkProgressLoader,
  companyChangesLoader,
  deliveryLoader,
  identifiersLoader,
  monitorChangesLoader,
  monitorDeliveriesLoader,
  monitorLoader,
  monitorsLoader,
  watchedLoader,
  watchingLoader,
} from '../loader.ts';
import { readLog } from '../loaders/log-page.ts';
import { monitorService } from '../service/monitor.ts';
import { companyKeys, DeliveriesArgs, LogArgs, monitorUuid, noSuchMonitor, optionalFilter, requireMonitors } from './arguments.ts';
import {
  ChangeConnectionType,
  ChangeType,
  CompanyConnectionType,
  DeliveryConnectionType,
  DeliveryType,
  MonitorChecksType,
  MonitorConnectionType,
  MonitorType,
} from './types.ts';

const findMonitor = async (id: string, ctx: RequestContext): Promise<MonitorType | null> => {
  const owned = ownedBy(ctx, 'monitor', id);
  const monitor = owned && (await ctx.read(monitorLoader, owned));
  return monitor && new MonitorType(monitor);
};
defineNode({ prefix: 'mon_', find: findMonitor });

function monitorPage({ items, hasMore }: Page<MonitorRow>, { after }: PageArgs): MonitorConnectionType {
  const nodeOf = (monitor: MonitorRow) => new MonitorType(monitor);
  return connect(items, { hasMore, after, nodeOf, cursorOf: (monitor) => toTimeCursor('monitor', monitor) });
}

const ofChanges = {
  nodeOf: (change: Change) => new ChangeType(change),
  cursorOf: (change: Change) => toChangeCursor(change),
};

/** Returns the position of a cursor, which is the sort key of lists that begin with the newest change. */
const positionOf = (cursor: string): number => parseChangeCursor(cursor).position;

const monitorRowOf = ({ monitor: { keyId, id } }: MonitorType): Owned => ({ keyId, id });

@Resolver(() => MonitorType)
export class MonitorResolver {
  @Access('monitor')
  @Query(() => MonitorConnectionType, {
    nullable: true,
    description: "The key's active monitors, newest first. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.",
  })
  async monitors(@Args(() => PageArgs) page: PageArgs, @Ctx() ctx: RequestContext): Promise<MonitorConnectionType> {
    const query = { keyId: ctx.caller.keyId, ...pageRequestOf(page, (cursor) => parseTimeCursor('monitor', cursor)) };
    return monitorPage(await ctx.read(monitorsLoader, query), page);
  }

  @Access('monitor')
  @Query(() => MonitorType, {
    nullable: true,
    description: 'A monitor of the key, active or cancelled; null if the key has none with this id.',
  })
  monitor(
    @Arg('id', () => ID, { description: '`mon_…`: the `subscription_id` of `/v1`.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<MonitorType | null> {
    return findMonitor(id, ctx);
  }

  @FieldResolver()
  identifiers(@Root() type: MonitorType, @Ctx() ctx: RequestContext): readonly string[] | Promise<JsonTexts> {
    return 'identifiers' in type.monitor ? type.monitor.identifiers : ctx.read(identifiersLoader, monitorRowOf(type));
  }

  @FieldResolver(() => CompanyConnectionType, {
    description: 'The companies that it watches, or watched before it was cancelled, in the order of `identifiers`.',
  })
  async companies(
    @Root() monitor: MonitorType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<CompanyConnectionType> {
    const query = { ...monitorRowOf(monitor), ...pageRequestOf(page, (cursor) => parseNumberCursor('watched', cursor)) };
    const { items, hasMore } = await ctx.read(watchedLoader, query);
    return connect(items, {
      hasMore,
      after: page.after,
      nodeOf: (company) => new CompanyType(company),
      cursorOf: ({ ordinal }) => toNumberCursor('watched', ordinal),
    });
  }

  @FieldResolver(() => MonitorChecksType, { description: 'When its companies were checked last and are checked next.' })
  async checks(@Root() monitor: MonitorType, @Ctx() ctx: RequestContext): Promise<MonitorChecksType> {
    const { intervalMs } = ctx.open(monitorService).checks;
    const now = ctx.now();
    const since = new Date(now - intervalMs).toISOString();
    const overdueBefore = new Date(now - OVERDUE_MS).toISOString();
    const progress = await ctx.read(checkProgressLoader, { ...monitorRowOf(monitor), since, overdueBefore });
    if (!progress) throw noSuchMonitor();
    return { ...progress, intervalSeconds: intervalMs / SECOND_MS };
  }

  @FieldResolver(() => ChangeConnectionType, { description: 'Its changes, newest first, as far back as the change log reaches.' })
  async changes(
    @Root() monitor: MonitorType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<ChangeConnectionType> {
    const { items, hasMore } = await ctx.read(monitorChangesLoader, {
      ...monitorRowOf(monitor),
      ...pageRequestOf(page, positionOf),
    });
    return connect(items, { hasMore, after: page.after, ...ofChanges });
  }

  @FieldResolver(() => DeliveryConnectionType, { description: 'Deliveries to its webhook in the last 30 days, newest first.' })
  async deliveries(
    @Root() monitor: MonitorType,
    @Args(() => DeliveriesArgs) { status, ...page }: DeliveriesArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<DeliveryConnectionType> {
    const request = pageRequestOf(page, (cursor) => parseTimeCursor('delivery', cursor));
    const { items, hasMore } = await ctx.read(monitorDeliveriesLoader, { ...monitorRowOf(monitor), ...request, state: status ?? null });
    return connect(items, {
      hasMore,
      after: page.after,
      nodeOf: (delivery) => new DeliveryType(delivery),
      cursorOf: (delivery) => toTimeCursor('delivery', delivery),
    });
  }
}

@Resolver(() => CompanyType)
export class CompanyMonitorsResolver {
  @Served(WATCHED_COUNTRIES)
  @Access('monitor')
  @FieldResolver(() => MonitorConnectionType, {
    nullable: true,
    description:
      "The key's active monitors that watch this company, newest first. Module monitor. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.",
  })
  async monitors(
    @Root() { country, taxId }: CompanyType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<MonitorConnectionType> {
    const request = pageRequestOf(page, (cursor) => parseTimeCursor('monitor', cursor));
    return monitorPage(await ctx.read(watchingLoader, { keyId: ctx.caller.keyId, country, taxId, ...request }), page);
  }
}

defineNode({
  prefix: 'evt_',
  async find(id, ctx) {
    const owned = ownedBy(ctx, 'change', id);
    const change = owned && (await ctx.read(changeLoader, owned));
    return change && new ChangeType(change);
  },
});

const changeRowOf = ({ change: { keyId, id } }: ChangeType): Owned => ({ keyId, id });

@Resolver(() => ChangeType)
export class ChangeResolver {
  @Access('monitor')
  @Query(() => ChangeConnectionType, {
    nullable: true,
    description:
      'The change log of the key, oldest first: the events of the subscription `companyChanged`, for clients that poll. Continue after `pageInfo.endCursor`, also after an empty page. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, MONITOR_NOT_FOUND, or CURSOR_TOO_OLD when changes after `after` have been deleted, or the service was restored to a moment before it.',
  })
  async changes(@Args(() => LogArgs) page: LogArgs, @Ctx() ctx: RequestContext): Promise<ChangeConnectionType> {
    const first = requireFirst(page.first);
    const monitorIds = optionalFilter('monitorIds', page.monitorIds)?.map(monitorUuid);
    const companies = optionalFilter('identifiers', page.identifiers)?.flatMap(companyKeys);
    const after = page.after ? parseChangeCursor(page.after) : null;
    await requireMonitors(monitorIds ?? [], ctx);
    const { items, hasMore, ...head } = await readLog({ first, after, monitorIds, companies }, ctx);
    return connect(items, { hasMore, after: page.after, ...ofChanges, ...(hasMore ? {} : { endCursor: endCursorOf(head) }) });
  }

  @FieldResolver(() => CompanyType, { description: 'The company that changed.' })
  company(@Root() { change }: ChangeType): CompanyType {
    return new CompanyType(change.company);
  }

  @FieldResolver(() => MonitorType, { description: 'The monitor that the event is for.' })
  async monitor(@Root() { change: { keyId, monitorId } }: ChangeType, @Ctx() ctx: RequestContext): Promise<MonitorType> {
    const monitor = await ctx.read(monitorLoader, { keyId, id: monitorId });
    if (!monitor) throw new Error('a change without its monitor');
    return new MonitorType(monitor);
  }

  @FieldResolver(() => [DeliveryType], {
    description: 'Webhook deliveries of this change in the last 30 days; empty if its monitor sends no webhook for it.',
  })
  async deliveries(@Root() change: ChangeType, @Ctx() ctx: RequestContext): Promise<readonly DeliveryType[]> {
    const deliveries = await ctx.read(changeDeliveriesLoader, changeRowOf(change));
    return deliveries.map((delivery) => new DeliveryType(delivery));
  }
}

@Resolver(() => CompanyType)
export class CompanyChangesResolver {
  @Served(WATCHED_COUNTRIES)
  @Access('monitor')
  @FieldResolver(() => ChangeConnectionType, {
    nullable: true,
    description:
      "Changes of this company that the key's monitors reported, newest first, as far back as the change log reaches. If two monitors watch it, each change is listed twice. Module monitor. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.",
  })
  async changes(
    @Root() { country, taxId }: CompanyType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<ChangeConnectionType> {
    const query = { keyId: ctx.caller.keyId, country, taxId, ...pageRequestOf(page, positionOf) };
    const { items, hasMore } = await ctx.read(companyChangesLoader, query);
    return connect(items, { hasMore, after: page.after, ...ofChanges });
  }
}

defineNode({
  prefix: 'dlv_',
  async find(id, ctx) {
    const owned = ownedBy(ctx, 'delivery', id);
    const delivery = owned && (await ctx.read(deliveryLoader, owned));
    return delivery && new DeliveryType(delivery);
  },
});

@Resolver(() => DeliveryType)
export class DeliveryResolver {
  @FieldResolver(() => ChangeType, {
    nullable: true,
    description: 'The change that it reports; null for a test event, and once the change is no longer in the log.',
  })
  async change(@Root() { delivery: { keyId, reportedId } }: DeliveryType, @Ctx() ctx: RequestContext): Promise<ChangeType | null> {
    const change = reportedId && (await ctx.read(changeLoader, { keyId, id: reportedId }));
    return change ? new ChangeType(change) : null;
  }

  @FieldResolver(() => MonitorType, { description: 'The monitor whose webhook it is sent to.' })
  async monitor(@Root() { delivery: { keyId, endpointId } }: DeliveryType, @Ctx() ctx: RequestContext): Promise<MonitorType> {
    const monitor = await ctx.read(monitorLoader, { keyId, id: endpointId });
    if (!monitor) throw new Error('a delivery without its monitor');
    return new MonitorType(monitor);
  }

  @FieldResolver(() => [DeliveryAttemptType], { description: 'Every request that was made, in order.' })
  attempts(@Root() { delivery: { keyId, id } }: DeliveryType, @Ctx() ctx: RequestContext): Promise<readonly Attempt[]> {
    return ctx.read(attemptsLoader, { keyId, id });
  }
}
