import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { Access } from '../../../graphql/access.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connect, PageArgs } from '../../../graphql/connection.ts';
import { defineNode } from '../../../graphql/relay.ts';
import type { DeliveryState } from '../domain/delivery.ts';
import { monitorChangesLoader, monitorDeliveriesLoader, monitorLoader, monitorsLoader, watchedLoader, watchingLoader } from '../loaders.ts';
import type { Owned } from '../store/questions.ts';
import { changeCursor, changePosition, numberCursor, numberOf, ownedBy, timedCursor, timedPlace } from './arguments.ts';
import { ChangeConnectionType, ChangeType } from './change-type.ts';
import { CompanyConnectionType, stretchOf } from './connections.ts';
import { DeliveryConnectionType, DeliveryType } from './delivery-type.ts';
import { DeliveryStatusEnum } from './enums.ts';
import { MonitorConnectionType, MonitorType } from './monitor-type.ts';

@ArgsType()
class DeliveriesArgs extends PageArgs {
  @Field(() => DeliveryStatusEnum, { nullable: true, description: 'Only those that are so far; all when left out.' })
  status!: DeliveryState | null;
}

const findMonitor = async (id: string, ctx: RequestContext): Promise<MonitorType | null> => {
  const owned = ownedBy(ctx, 'monitor', id);
  const monitor = owned && (await ctx.read(monitorLoader, owned));
  return monitor && new MonitorType(monitor);
};
defineNode({ prefix: 'mon_', find: findMonitor });

const rowOf = ({ monitor: { keyId, id } }: MonitorType): Owned => ({ keyId, id });

@Resolver(() => MonitorType)
export class MonitorResolver {
  @Access('monitor')
  @Query(() => MonitorConnectionType, {
    nullable: true,
    description: "The key's active monitors, newest first. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.",
  })
  async monitors(@Args(() => PageArgs) page: PageArgs, @Ctx() ctx: RequestContext): Promise<MonitorConnectionType> {
    const asked = { keyId: ctx.caller.keyId, ...stretchOf(page, (cursor) => timedPlace('monitor', cursor)) };
    const { items, hasMore } = await ctx.read(monitorsLoader, asked);
    const nodes = items.map((monitor) => new MonitorType(monitor));
    return connect(nodes, { hasMore, after: page.after, cursorOf: ({ monitor }) => timedCursor('monitor', monitor) });
  }

  @Access('monitor')
  @Query(() => MonitorType, { nullable: true, description: 'A monitor of the key, a cancelled one too; null for no such monitor.' })
  monitor(
    @Arg('id', () => ID, { description: '`mon_…`: the `subscription_id` of `/v1`.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<MonitorType | null> {
    return findMonitor(id, ctx);
  }

  @FieldResolver(() => CompanyConnectionType, { description: 'The companies that it watches, or watched, in the order of `identifiers`.' })
  async companies(
    @Root() monitor: MonitorType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<CompanyConnectionType> {
    const asked = { ...rowOf(monitor), ...stretchOf(page, (cursor) => numberOf('watched', cursor)) };
    const { items, hasMore } = await ctx.read(watchedLoader, asked);
    const nodes = items.map((company) => new CompanyType(company));
    return connect(nodes, { hasMore, after: page.after, cursorOf: (_, i) => numberCursor('watched', items[i]?.place ?? 0) });
  }

  @FieldResolver(() => ChangeConnectionType, { description: 'What it was told, newest first, as far back as the change log reaches.' })
  async changes(
    @Root() monitor: MonitorType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<ChangeConnectionType> {
    const { items, hasMore } = await ctx.read(monitorChangesLoader, { ...rowOf(monitor), ...stretchOf(page, changePosition) });
    const nodes = items.map((change) => new ChangeType(change));
    return connect(nodes, { hasMore, after: page.after, cursorOf: ({ change }) => changeCursor(change.position) });
  }

  @FieldResolver(() => DeliveryConnectionType, { description: 'What was sent to its webhook, newest first, for 30 days.' })
  async deliveries(
    @Root() monitor: MonitorType,
    @Args(() => DeliveriesArgs) { status, ...page }: DeliveriesArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<DeliveryConnectionType> {
    const stretch = stretchOf(page, (cursor) => timedPlace('delivery', cursor));
    const { items, hasMore } = await ctx.read(monitorDeliveriesLoader, { ...rowOf(monitor), ...stretch, state: status ?? null });
    const nodes = items.map((delivery) => new DeliveryType(delivery));
    return connect(nodes, { hasMore, after: page.after, cursorOf: ({ delivery }) => timedCursor('delivery', delivery) });
  }
}

@Resolver(() => CompanyType)
export class CompanyMonitorsResolver {
  @Access('monitor')
  @FieldResolver(() => [MonitorType], {
    nullable: true,
    description:
      "The key's active monitors that watch this company, newest first. Module monitor. Null beside an error: MODULE_NOT_ENABLED.",
  })
  async monitors(@Root() { country, taxId }: CompanyType, @Ctx() ctx: RequestContext): Promise<readonly MonitorType[]> {
    const monitors = await ctx.read(watchingLoader, { keyId: ctx.caller.keyId, country, taxId });
    return monitors.map((monitor) => new MonitorType(monitor));
  }
}
