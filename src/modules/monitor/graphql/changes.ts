import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { Access } from '../../../graphql/access.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connect, PageArgs, requireFirst } from '../../../graphql/connection.ts';
import { defineNode } from '../../../graphql/relay.ts';
import { changeDeliveriesLoader, changeLoader, companyChangesLoader, monitorLoader } from '../loaders.ts';
import type { Owned } from '../store/questions.ts';
import { changeCursor, changePosition, companyKey, monitorUuid, narrowed, noSuchMonitor, ownedBy } from './arguments.ts';
import { ChangeConnectionType, ChangeType } from './change-type.ts';
import { stretchOf } from './connections.ts';
import { DeliveryType } from './delivery-type.ts';
import { readLog } from './log.ts';
import { MonitorType } from './monitor-type.ts';

@ArgsType()
class LogArgs extends PageArgs {
  @Field(() => [ID], { nullable: true, description: 'Of these monitors only, at most 500.' }) monitorIds!: string[] | null;
  @Field(() => [String], { nullable: true, description: 'Of the companies with these tax ids only, at most 500.' })
  identifiers!: string[] | null;
}

defineNode({
  prefix: 'evt_',
  async find(id, ctx) {
    const owned = ownedBy(ctx, 'change', id);
    const change = owned && (await ctx.read(changeLoader, owned));
    return change && new ChangeType(change);
  },
});

const rowOf = ({ change: { keyId, id } }: ChangeType): Owned => ({ keyId, id });

@Resolver(() => ChangeType)
export class ChangeResolver {
  @Access('monitor')
  @Query(() => ChangeConnectionType, {
    nullable: true,
    description:
      'The change log of the key, oldest first: what the subscription `companyChanged` tells, for those who poll. `pageInfo.endCursor` is where to go on, on an empty page too. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, SUBSCRIPTION_NOT_FOUND, or CURSOR_TOO_OLD when what came after `after` is no longer kept.',
  })
  async changes(@Args(() => LogArgs) page: LogArgs, @Ctx() ctx: RequestContext): Promise<ChangeConnectionType> {
    const first = requireFirst(page.first);
    const monitorIds = narrowed('monitorIds', page.monitorIds)?.map(monitorUuid);
    const companies = narrowed('identifiers', page.identifiers)?.map(companyKey);
    const after = page.after ? changePosition(page.after) : null;
    await requireMonitors(monitorIds ?? [], ctx);
    const { items, hasMore, position } = await readLog({ first, after, monitorIds, companies }, ctx);
    const nodes = items.map((change) => new ChangeType(change));
    const connection = connect(nodes, { hasMore, after: page.after, cursorOf: ({ cursor }) => cursor });
    return hasMore ? connection : { ...connection, pageInfo: { ...connection.pageInfo, endCursor: changeCursor(position) } };
  }

  @FieldResolver(() => CompanyType, { description: 'The company that changed.' })
  company(@Root() { change }: ChangeType): CompanyType {
    return new CompanyType(change.company);
  }

  @FieldResolver(() => MonitorType, { description: 'The monitor that is told.' })
  async monitor(@Root() { change: { keyId, monitorId } }: ChangeType, @Ctx() ctx: RequestContext): Promise<MonitorType> {
    const monitor = await ctx.read(monitorLoader, { keyId, id: monitorId });
    if (!monitor) throw new Error('a change without its monitor');
    return new MonitorType(monitor);
  }

  @FieldResolver(() => [DeliveryType], { description: 'What was sent of it by webhook, for 30 days; none where its webhook is not told.' })
  async deliveries(@Root() change: ChangeType, @Ctx() ctx: RequestContext): Promise<readonly DeliveryType[]> {
    const deliveries = await ctx.read(changeDeliveriesLoader, rowOf(change));
    return deliveries.map((delivery) => new DeliveryType(delivery));
  }
}

@Resolver(() => CompanyType)
export class CompanyChangesResolver {
  @Access('monitor')
  @FieldResolver(() => ChangeConnectionType, {
    nullable: true,
    description:
      "What the key's monitors were told of this company, newest first, as far back as the change log reaches; two monitors, two changes. Module monitor. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.",
  })
  async changes(
    @Root() { country, taxId }: CompanyType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<ChangeConnectionType> {
    const asked = { keyId: ctx.caller.keyId, country, taxId, ...stretchOf(page, changePosition) };
    const { items, hasMore } = await ctx.read(companyChangesLoader, asked);
    const nodes = items.map((change) => new ChangeType(change));
    return connect(nodes, { hasMore, after: page.after, cursorOf: ({ cursor }) => cursor });
  }
}

/** @throws AppError SUBSCRIPTION_NOT_FOUND unless all are monitors of the key */
async function requireMonitors(ids: readonly string[], ctx: RequestContext): Promise<void> {
  const { keyId } = ctx.caller;
  const found = await Promise.all(ids.map((id) => ctx.read(monitorLoader, { keyId, id })));
  if (found.includes(null)) throw noSuchMonitor();
}
