import { Arg, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Country } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import type { LimitedAction } from '../../../domain/plan.ts';
import { Access } from '../../../graphql/access.ts';
import { CountryEnum } from '../../../graphql/enums.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import { fromPublicId } from '../domain/ids.ts';
import type { RetryPolicy } from '../domain/monitor.ts';
import { deliveryLoader } from '../loader.ts';
import { monitorService } from '../service/monitor.ts';
import { monitorUuid, parseChangeCursor } from './arguments.ts';
import { readLog } from './queries.ts';
import { DeliveryType, MonitorType, RetryPolicyEnum } from './types.ts';

@InputType('CreateMonitorInput', { description: 'What a monitor is made of.' })
class CreateMonitorInput {
  @Field(() => [String], { description: '1 to 500 tax ids; punctuation is free. A company named twice is watched once.' })
  identifiers!: string[];
  @Field(() => CountryEnum, { description: 'Of all of them: BR or CL.' }) country!: Country;
  @Field(() => String, { description: 'Where changes are sent: https, on a public host.' }) webhookUrl!: string;
  @Field(() => RetryPolicyEnum, { defaultValue: 'none', description: 'What follows when the receiver does not take an event.' })
  retryPolicy!: RetryPolicy;
  @Field(() => Boolean, { defaultValue: false, description: 'True: the webhook is told of list news (sanctions, debarment, labour), too.' })
  listNews!: boolean;
}

@ObjectType('CreateMonitorPayload', { description: 'A new monitor.', simpleResolvers: true })
class CreateMonitorPayloadType {
  @Field(() => MonitorType, { description: 'The monitor; its first check, which is the baseline, follows at once.' }) monitor!: MonitorType;
  @Field(() => String, { description: 'Signs its webhooks, `whsec_…`. Shown this once.' }) secret!: string;
}

@ObjectType('RotateMonitorSecretPayload', { description: 'A monitor with a new secret.', simpleResolvers: true })
class RotateMonitorSecretPayloadType {
  @Field(() => MonitorType, { description: 'The monitor.' }) monitor!: MonitorType;
  @Field(() => String, { description: 'Signs its webhooks from now on, `whsec_…`. Shown this once.' }) secret!: string;
  @Field(() => DateTimeScalar, { description: 'Until then webhooks are signed with the secret before this one, too.' })
  oldSecretValidUntil!: number;
}

@ObjectType('ReplayMonitorPayload', { description: 'What is sent again.', simpleResolvers: true })
class ReplayMonitorPayloadType {
  @Field(() => Int, { description: 'Deliveries that were put into the queue; those that wait in it anyway do not count.' }) queued!: number;
}

const NULL_BESIDE = 'Null beside an error: MODULE_NOT_ENABLED';
/** Deliveries that a caller asks for, since each is a request to a host of the caller's choice. */
const RESEND: LimitedAction = { name: 'webhook_resend', rate: { perMinute: 30, burst: 30 } };
const MONITOR_ID = { description: '`mon_…`.' };

@Resolver()
export class MonitorMutations {
  @Access('monitor')
  @Mutation(() => CreateMonitorPayloadType, {
    nullable: true,
    description: `Begins to watch companies. ${NULL_BESIDE}, INVALID_INPUT, UNSUPPORTED_COUNTRY or PLAN_LIMIT_REACHED.`,
  })
  async createMonitor(
    @Arg('input', () => CreateMonitorInput, { description: 'What it is made of.' }) input: CreateMonitorInput,
    @Ctx() ctx: RequestContext,
  ): Promise<CreateMonitorPayloadType> {
    const { monitor, secret } = await ctx.open(monitorService).monitors.create(ctx.caller, input, ctx.watch).catch(toGraphqlField);
    return { monitor: new MonitorType(monitor), secret };
  }

  @Access('monitor')
  @Mutation(() => MonitorType, {
    nullable: true,
    description: `Ends a monitor: nothing is sent any more. ${NULL_BESIDE} or SUBSCRIPTION_NOT_FOUND, also for one that is cancelled.`,
  })
  async cancelMonitor(@Arg('id', () => ID, MONITOR_ID) id: string, @Ctx() ctx: RequestContext): Promise<MonitorType> {
    return new MonitorType(await ctx.open(monitorService).monitors.cancel(ctx.caller, id));
  }

  @Access('monitor')
  @Mutation(() => RotateMonitorSecretPayloadType, {
    nullable: true,
    description: `Replaces the secret that signs a monitor's webhooks; the old one signs beside it for 24 h. ${NULL_BESIDE} or SUBSCRIPTION_NOT_FOUND.`,
  })
  async rotateMonitorSecret(
    @Arg('id', () => ID, MONITOR_ID) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<RotateMonitorSecretPayloadType> {
    const { monitor, ...secrets } = await ctx.open(monitorService).monitors.rotateSecret(ctx.caller, id);
    return { monitor: new MonitorType(monitor), ...secrets };
  }

  @Access('monitor')
  @Mutation(() => MonitorType, {
    nullable: true,
    description: `Sends again to a receiver that was given up, from the next change on. ${NULL_BESIDE} or SUBSCRIPTION_NOT_FOUND.`,
  })
  async enableMonitor(@Arg('id', () => ID, MONITOR_ID) id: string, @Ctx() ctx: RequestContext): Promise<MonitorType> {
    return new MonitorType(await ctx.open(monitorService).monitors.enable(ctx.caller, id));
  }
}

@Resolver()
export class DeliveryMutations {
  @Access('monitor')
  @Mutation(() => DeliveryType, {
    nullable: true,
    description: `Sends a signed event that tells of no change: the first company, \`changed_fields\` empty. ${NULL_BESIDE}, SUBSCRIPTION_NOT_FOUND, RATE_LIMITED after 30 in a minute, or INVALID_INPUT for a monitor that is cancelled or disabled.`,
  })
  async testMonitor(@Arg('id', () => ID, MONITOR_ID) id: string, @Ctx() ctx: RequestContext): Promise<DeliveryType | null> {
    await ctx.limitAction(RESEND);
    return deliveryOf(await ctx.open(monitorService).redelivery.sendTest({ keyId: ctx.caller.keyId, id: monitorUuid(id) }), ctx);
  }

  @Access('monitor')
  @Mutation(() => DeliveryType, {
    nullable: true,
    description: `Sends a delivery again, under the same event id; one that waits or is being sent is left to that. ${NULL_BESIDE}, DELIVERY_NOT_FOUND, RATE_LIMITED after 30 in a minute, or INVALID_INPUT for a monitor that is cancelled or disabled.`,
  })
  async redeliver(
    @Arg('deliveryId', () => ID, { description: '`dlv_…`.' }) deliveryId: string,
    @Ctx() ctx: RequestContext,
  ): Promise<DeliveryType | null> {
    const id = deliveryUuid(deliveryId);
    await ctx.limitAction(RESEND);
    await ctx.open(monitorService).redelivery.redeliver({ keyId: ctx.caller.keyId, id });
    return deliveryOf(id, ctx);
  }

  @Access('monitor')
  @Mutation(() => ReplayMonitorPayloadType, {
    nullable: true,
    description: `Sends again what a monitor was told after a cursor, in its order and under the same event ids. ${NULL_BESIDE}, SUBSCRIPTION_NOT_FOUND, CURSOR_TOO_OLD, RATE_LIMITED after 30 in a minute, or INVALID_INPUT.`,
  })
  async replayMonitor(
    @Arg('id', () => ID, MONITOR_ID) id: string,
    @Arg('after', () => String, { description: 'Cursor of the last change that arrived.' }) after: string,
    @Ctx() ctx: RequestContext,
  ): Promise<ReplayMonitorPayloadType> {
    const position = parseChangeCursor(after);
    await ctx.limitAction(RESEND);
    await readLog({ first: 1, after: position }, ctx); // its CURSOR_TOO_OLD names the oldest usable cursor
    return { queued: await ctx.open(monitorService).redelivery.replay({ keyId: ctx.caller.keyId, id: monitorUuid(id) }, position) };
  }
}

/** Public id of a delivery → UUID. @throws AppError DELIVERY_NOT_FOUND for any other text */
function deliveryUuid(id: string): string {
  const uuid = fromPublicId('delivery', id);
  if (uuid === null) throw new AppError('DELIVERY_NOT_FOUND', 'This key has no such delivery.');
  return uuid;
}

async function deliveryOf(id: string, ctx: RequestContext): Promise<DeliveryType | null> {
  const delivery = await ctx.read(deliveryLoader, { keyId: ctx.caller.keyId, id });
  return delivery && new DeliveryType(delivery);
}

/** Renames the field of an error from `/v1` to GraphQL. */
function toGraphqlField(error: unknown): never {
  if (error instanceof AppError && error.facts.field === 'webhook_url') throw invalidInput('webhookUrl', error.message);
  throw error;
}
