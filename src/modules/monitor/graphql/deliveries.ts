import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { defineNode } from '../../../graphql/relay.ts';
import type { Attempt } from '../domain/delivery.ts';
import { attemptsLoader, changeLoader, deliveryLoader, monitorLoader } from '../loaders.ts';
import { ownedBy } from './arguments.ts';
import { ChangeType } from './change-type.ts';
import { DeliveryAttemptType, DeliveryType } from './delivery-type.ts';
import { MonitorType } from './monitor-type.ts';

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
    description: 'What it tells; null for a test event, and once the change is no longer in the log.',
  })
  async change(@Root() { delivery: { keyId, changeId } }: DeliveryType, @Ctx() ctx: RequestContext): Promise<ChangeType | null> {
    const change = changeId && (await ctx.read(changeLoader, { keyId, id: changeId }));
    return change ? new ChangeType(change) : null;
  }

  @FieldResolver(() => MonitorType, { description: 'The monitor whose webhook is told.' })
  async monitor(@Root() { delivery: { keyId, monitorId } }: DeliveryType, @Ctx() ctx: RequestContext): Promise<MonitorType> {
    const monitor = await ctx.read(monitorLoader, { keyId, id: monitorId });
    if (!monitor) throw new Error('a delivery without its monitor');
    return new MonitorType(monitor);
  }

  @FieldResolver(() => [DeliveryAttemptType], { description: 'Every request that was made, in order.' })
  attempts(@Root() { delivery: { keyId, id } }: DeliveryType, @Ctx() ctx: RequestContext): Promise<readonly Attempt[]> {
    return ctx.read(attemptsLoader, { keyId, id });
  }
}
