import { Arg, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { AppError } from '../../../domain/errors.ts';
import { fromPublicId } from '../../../domain/public-ids.ts';
import { unlessWebhook, unlessWebhookChanges } from '../../../domain/roles.ts';
import { Access } from '../../../graphql/access.ts';
import { toGraphqlField } from '../../../graphql/errors.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import { monitorMessages } from '../../../messages/monitors.ts';
import { RESEND } from '../../../webhooks/service/messages.ts';
import { parseChangeCursor } from '../domain/log-position.ts';
import { deliveryLoader } from '../loader.ts';
import { readLog } from '../loaders/log-page.ts';
import { monitorService } from '../service/monitor.ts';
import { monitorUuid } from './arguments.ts';
import { CreateMonitorInput, UpdateMonitorInput } from './monitor-inputs.ts';
import { DeliveryType, MonitorType } from './types.ts';

/** Creates an input type of a monitor's id. */
function monitorIdInput(name: string, description: string) {
  @InputType(name, { description })
  class MonitorIdInput {
    @Field(() => ID, { description: '`mon_…`.' }) id!: string;
  }
  return MonitorIdInput;
}
const CancelMonitorInput = monitorIdInput('CancelMonitorInput', 'The monitor to cancel.');
const RotateMonitorSecretInput = monitorIdInput('RotateMonitorSecretInput', 'The monitor that gets a new secret.');
const EnableMonitorInput = monitorIdInput('EnableMonitorInput', 'The monitor whose webhook is enabled again.');
const TestMonitorInput = monitorIdInput('TestMonitorInput', 'The monitor whose webhook is tested.');

@InputType('RedeliverInput', { description: 'The delivery to send again.' })
class RedeliverInput {
  @Field(() => ID, { description: '`dlv_…`.' }) deliveryId!: string;
}

@InputType('ReplayMonitorInput', { description: 'The changes to send again.' })
class ReplayMonitorInput {
  @Field(() => ID, { description: '`mon_…`.' }) id!: string;
  @Field(() => String, { description: 'Cursor of the last change that arrived.' }) after!: string;
}

@ObjectType('CreateMonitorPayload', { description: 'A new monitor.', simpleResolvers: true })
class CreateMonitorPayloadType {
  @Field(() => MonitorType, { description: 'The monitor. Its first check, the baseline, starts at once.' }) monitor!: MonitorType;
  @Field(() => String, {
    description: 'Secret that signs its webhooks, `whsec_…`, also for a URL that is set later. It is returned only once.',
  })
  secret!: string;
}

/** Creates a payload type of a monitor. */
function monitorPayload(name: string, description: string) {
  @ObjectType(name, { description, simpleResolvers: true })
  class MonitorPayloadType {
    @Field(() => MonitorType, { description: 'The monitor.' }) monitor!: MonitorType;
  }
  return MonitorPayloadType;
}
const UpdateMonitorPayload = monitorPayload('UpdateMonitorPayload', 'A changed monitor.');
const CancelMonitorPayload = monitorPayload('CancelMonitorPayload', 'A cancelled monitor.');
const EnableMonitorPayload = monitorPayload('EnableMonitorPayload', 'A monitor whose webhook is enabled.');

@ObjectType('RotateMonitorSecretPayload', { description: 'A monitor with a new secret.', simpleResolvers: true })
class RotateMonitorSecretPayloadType {
  @Field(() => MonitorType, { description: 'The monitor.' }) monitor!: MonitorType;
  @Field(() => String, { description: 'New secret that signs its webhooks, `whsec_…`. It is returned only once.' }) secret!: string;
  @Field(() => DateTimeScalar, { description: 'Until then webhooks are signed with the secret before this one, too.' })
  oldSecretValidUntil!: number;
}

/** Creates a payload type of a delivery. */
function deliveryPayload(name: string, description: string) {
  @ObjectType(name, { description, simpleResolvers: true })
  class DeliveryPayloadType {
    @Field(() => DeliveryType, { description: 'The delivery, which waits to be sent.' }) delivery!: DeliveryType;
  }
  return DeliveryPayloadType;
}
const TestMonitorPayload = deliveryPayload('TestMonitorPayload', 'A test event.');
const RedeliverPayload = deliveryPayload('RedeliverPayload', 'A delivery that is sent again.');

@ObjectType('ReplayMonitorPayload', { description: 'Deliveries that a replay added to the queue.', simpleResolvers: true })
class ReplayMonitorPayloadType {
  @Field(() => Int, { description: 'Number of deliveries added to the queue, without those that were in the queue already.' })
  queued!: number;
}

interface MonitorPayload {
  readonly monitor: MonitorType;
}
interface DeliveryPayload {
  readonly delivery: DeliveryType;
}

const NULL_BESIDE = 'Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED';
const NOT_SENT = 'INVALID_INPUT for a monitor that is cancelled, disabled or without a webhook';

@Resolver()
export class MonitorMutations {
  @Access('monitor', unlessWebhook('webhookUrl'))
  @Mutation(() => CreateMonitorPayloadType, {
    nullable: true,
    description: `Creates a monitor of companies. ${NULL_BESIDE}, INVALID_INPUT, UNSUPPORTED_COUNTRY or PLAN_LIMIT_REACHED.`,
  })
  async createMonitor(
    @Arg('input', () => CreateMonitorInput, { description: 'Settings of the monitor.' }) input: CreateMonitorInput,
    @Ctx() ctx: RequestContext,
  ): Promise<CreateMonitorPayloadType> {
    const wanted = { ...input, webhookUrl: input.webhookUrl ?? null };
    const { monitor, secret } = await ctx.open(monitorService).monitors.create(ctx.caller, wanted, ctx.watch).catch(toGraphqlField);
    return { monitor: new MonitorType(monitor), secret };
  }

  @Access('monitor', unlessWebhookChanges('webhookUrl', 'webhookFormat', 'webhookLanguage'))
  @Mutation(() => UpdateMonitorPayload, {
    nullable: true,
    description: `Changes a monitor: its companies, its webhook, its settings. ${NULL_BESIDE}, MONITOR_NOT_FOUND, also for one that is cancelled, INVALID_INPUT or PLAN_LIMIT_REACHED.`,
  })
  async updateMonitor(
    @Arg('input', () => UpdateMonitorInput, { description: 'Id of the monitor, and its new values.' }) {
      id,
      webhookUrl,
      ...input
    }: UpdateMonitorInput,
    @Ctx() ctx: RequestContext,
  ): Promise<MonitorPayload> {
    const given = {
      addIdentifiers: input.addIdentifiers ?? undefined,
      removeIdentifiers: input.removeIdentifiers ?? undefined,
      retryPolicy: input.retryPolicy ?? undefined,
      webhookFormat: input.webhookFormat ?? undefined,
      webhookLanguage: input.webhookLanguage ?? undefined,
      listNews: input.listNews ?? undefined,
      recordNews: input.recordNews ?? undefined,
      candidateNews: input.candidateNews ?? undefined,
      webhookUrl,
    };
    return {
      monitor: new MonitorType(await ctx.open(monitorService).monitors.update(ctx.caller, id, given, ctx.watch).catch(toGraphqlField)),
    };
  }

  @Access('monitor', 'decide')
  @Mutation(() => CancelMonitorPayload, {
    nullable: true,
    description: `Cancels a monitor: no new event is sent. ${NULL_BESIDE} or MONITOR_NOT_FOUND, also for one that is cancelled.`,
  })
  async cancelMonitor(
    @Arg('input', () => CancelMonitorInput, { description: 'Id of the monitor.' }) { id }: MonitorId,
    @Ctx() ctx: RequestContext,
  ): Promise<MonitorPayload> {
    return { monitor: new MonitorType(await ctx.open(monitorService).monitors.cancel(ctx.caller, id)) };
  }

  @Access('monitor', 'administer')
  @Mutation(() => RotateMonitorSecretPayloadType, {
    nullable: true,
    description: `Replaces the secret that signs a monitor's webhooks; webhooks are signed with both secrets for 24 h. ${NULL_BESIDE} or MONITOR_NOT_FOUND.`,
  })
  async rotateMonitorSecret(
    @Arg('input', () => RotateMonitorSecretInput, { description: 'Id of the monitor.' }) { id }: MonitorId,
    @Ctx() ctx: RequestContext,
  ): Promise<RotateMonitorSecretPayloadType> {
    const { monitor, ...secrets } = await ctx.open(monitorService).monitors.rotateSecret(ctx.caller, id);
    return { monitor: new MonitorType(monitor), ...secrets };
  }

  @Access('monitor', 'administer')
  @Mutation(() => EnableMonitorPayload, {
    nullable: true,
    description: `Enables a disabled webhook again, from the next change on. ${NULL_BESIDE} or MONITOR_NOT_FOUND.`,
  })
  async enableMonitor(
    @Arg('input', () => EnableMonitorInput, { description: 'Id of the monitor.' }) { id }: MonitorId,
    @Ctx() ctx: RequestContext,
  ): Promise<MonitorPayload> {
    return { monitor: new MonitorType(await ctx.open(monitorService).monitors.enable(ctx.caller, id)) };
  }
}

interface MonitorId {
  readonly id: string;
}

@Resolver()
export class DeliveryMutations {
  @Access('monitor', 'administer')
  @Mutation(() => TestMonitorPayload, {
    nullable: true,
    description: `Sends a signed test event to the webhook: it names the first company, and its \`changed_fields\` are empty. ${NULL_BESIDE}, MONITOR_NOT_FOUND, RATE_LIMITED after 30 in a minute, or ${NOT_SENT}.`,
  })
  async testMonitor(
    @Arg('input', () => TestMonitorInput, { description: 'Id of the monitor.' }) { id }: MonitorId,
    @Ctx() ctx: RequestContext,
  ): Promise<DeliveryPayload | null> {
    await ctx.limitAction(RESEND);
    return payloadOf(await ctx.open(monitorService).redelivery.sendTest({ keyId: ctx.caller.keyId, id: monitorUuid(id) }), ctx);
  }

  @Access('monitor', 'administer')
  @Mutation(() => RedeliverPayload, {
    nullable: true,
    description: `Sends a delivery again, under the same event id. A delivery that waits or is being sent is not changed. ${NULL_BESIDE}, DELIVERY_NOT_FOUND, RATE_LIMITED after 30 in a minute, or ${NOT_SENT}.`,
  })
  async redeliver(
    @Arg('input', () => RedeliverInput, { description: 'Id of the delivery.' }) { deliveryId }: RedeliverInput,
    @Ctx() ctx: RequestContext,
  ): Promise<DeliveryPayload | null> {
    const id = deliveryUuid(deliveryId);
    await ctx.limitAction(RESEND);
    await ctx.open(monitorService).redelivery.redeliver({ keyId: ctx.caller.keyId, id });
    return payloadOf(id, ctx);
  }

  @Access('monitor', 'administer')
  @Mutation(() => ReplayMonitorPayloadType, {
    nullable: true,
    description: `Sends the changes of a monitor after a cursor again, in the order of the change log and under the same event ids. ${NULL_BESIDE}, MONITOR_NOT_FOUND, CURSOR_TOO_OLD, RATE_LIMITED after 30 in a minute, or INVALID_INPUT.`,
  })
  async replayMonitor(
    @Arg('input', () => ReplayMonitorInput, { description: 'Id of the monitor, and the cursor.' }) { id, after }: ReplayMonitorInput,
    @Ctx() ctx: RequestContext,
  ): Promise<ReplayMonitorPayloadType> {
    const start = parseChangeCursor(after);
    await ctx.limitAction(RESEND);
    await readLog({ first: 1, after: start }, ctx); // its CURSOR_TOO_OLD names the oldest usable cursor
    return { queued: await ctx.open(monitorService).redelivery.replay({ keyId: ctx.caller.keyId, id: monitorUuid(id) }, start.position) };
  }
}

/** Converts the public id of a delivery to its UUID. @throws AppError DELIVERY_NOT_FOUND for any other text */
function deliveryUuid(id: string): string {
  const uuid = fromPublicId('delivery', id);
  if (uuid === null) throw new AppError('DELIVERY_NOT_FOUND', monitorMessages.noDelivery());
  return uuid;
}

async function payloadOf(id: string, ctx: RequestContext): Promise<DeliveryPayload | null> {
  const delivery = await ctx.read(deliveryLoader, { keyId: ctx.caller.keyId, id });
  return delivery && { delivery: new DeliveryType(delivery) };
}
