import { z } from 'zod';
import { toTimeCursor } from '../../../domain/paging.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import { datetime, nextAfter, pageAfter, pageEnd, pageSize } from '../../../rest/fields.ts';
import { defineRoute, type WebhookEvent } from '../../../rest/route.ts';
import { DELIVERY_STATES, deliveryReply, toDeliveryReply } from '../../../webhooks/rest.ts';
import { RESEND } from '../../../webhooks/service/messages.ts';
import { WATCHED_COUNTRIES } from '../domain/monitor.ts';
import type { WebhookPayload } from '../domain/webhook-payload.ts';
import { attemptsLoader, deliveryLoader, monitorDeliveriesLoader } from '../loader.ts';
import { monitorService } from '../service/monitor.ts';
import { readPosition } from './positions.ts';
import { subscriptionId, subscriptionReply, toReply } from './subscriptions.ts';

/** The event that the webhook of a monitor receives. */
export const changeWebhook: WebhookEvent = {
  name: 'CompanyChange',
  summary: 'Fields of a watched company changed. In a test event, changed_fields is empty.',
  payload: z.object({
    subscription_id: z.string().describe('The monitor, `mon_…`'),
    identifier: z.string().describe('Tax id as it was given for the subscription'),
    country: z.enum(WATCHED_COUNTRIES),
    changed_fields: z
      .record(z.string(), z.object({ from: z.string().nullable(), to: z.string().nullable() }))
      .describe('Field → its previous and its new value. A long value is cut and ends with `…`'),
    detected_at: datetime,
  }) satisfies z.ZodType<WebhookPayload>,
};

/**
 * GET /v1/monitor/subscriptions/{id}/deliveries: the deliveries to the webhook, newest first. 404 for a monitor that is unknown or of
 * another key.
 */
const deliveriesRoute = defineRoute({
  method: 'GET',
  path: '/v1/monitor/subscriptions/:id/deliveries',
  module: 'monitor',
  operationId: 'listDeliveries',
  summary: 'Webhook deliveries of a subscription, newest first, with every attempt.',
  errors: ['MONITOR_NOT_FOUND'],
  body: z.object({
    id: subscriptionId,
    status: z
      .enum(DELIVERY_STATES, 'Give pending, sending, delivered, failed or dropped.')
      .optional()
      .describe('Only deliveries in this state'),
    limit: pageSize,
    after: pageAfter.describe('next_after of the previous page, or the delivery_id of its last item; the first page when omitted'),
  }),
  reply: z.object({ deliveries: z.array(deliveryReply), ...pageEnd }),
  async handle({ id, status, limit, after }, ctx) {
    const { keyId } = ctx.caller;
    const monitor = await ctx.open(monitorService).monitors.find(ctx.caller, id);
    const cursor = await readPosition('delivery', after, (id) => ctx.read(deliveryLoader, { keyId, id }));
    const query = { keyId, id: monitor.id, state: status ?? null, first: Number(limit), after: cursor };
    const { items, hasMore } = await ctx.read(monitorDeliveriesLoader, query);
    const attempts = await Promise.all(items.map((delivery) => ctx.read(attemptsLoader, { keyId, id: delivery.id })));
    const next_after = nextAfter(items, (delivery) => toTimeCursor('delivery', delivery));
    return { deliveries: items.map((delivery, i) => toDeliveryReply(delivery, attempts[i] ?? [])), has_more: hasMore, next_after };
  },
});

/** POST /v1/monitor/subscriptions/{id}/test: sends a test event. 422 for a monitor that is cancelled, disabled or without a webhook. */
const testRoute = defineRoute({
  method: 'POST',
  path: '/v1/monitor/subscriptions/:id/test',
  module: 'monitor',
  role: 'administer',
  operationId: 'testSubscription',
  summary: 'Send a signed test event to the webhook of a subscription.',
  errors: ['MONITOR_NOT_FOUND'],
  body: z.object({ id: subscriptionId }),
  reply: deliveryReply,
  async handle({ id: publicId }, ctx) {
    const { keyId } = ctx.caller;
    const { monitors, redelivery } = ctx.open(monitorService);
    await ctx.limitAction(RESEND);
    const monitor = await monitors.find(ctx.caller, publicId);
    const id = await redelivery.sendTest({ keyId, id: monitor.id });
    const delivery = await ctx.read(deliveryLoader, { keyId, id });
    if (!delivery) throw new Error('a test event without its delivery');
    return toDeliveryReply(delivery, []);
  },
});

/** POST /v1/monitor/subscriptions/{id}/rotate: replaces the secret; webhooks are signed with both secrets for 24 h. */
const rotateRoute = defineRoute({
  method: 'POST',
  path: '/v1/monitor/subscriptions/:id/rotate',
  module: 'monitor',
  role: 'administer',
  operationId: 'rotateSubscriptionSecret',
  summary: 'Replace the secret that signs the webhooks of a subscription.',
  errors: ['MONITOR_NOT_FOUND'],
  body: z.object({ id: subscriptionId }),
  reply: z.object({
    subscription_id: z.string(),
    secret: z.string().describe('Secret that signs the webhooks from now on; returned only once'),
    old_secret_valid_until: datetime.describe('Until then webhooks are also signed with the old secret'),
  }),
  async handle({ id }, ctx) {
    const { monitor, secret, oldSecretValidUntil } = await ctx.open(monitorService).monitors.rotateSecret(ctx.caller, id);
    return { subscription_id: toPublicId('monitor', monitor.id), secret, old_secret_valid_until: isoWithOffset(oldSecretValidUntil) };
  },
});

/** POST /v1/monitor/subscriptions/{id}/enable: enables a disabled webhook, from the next change on. */
const enableRoute = defineRoute({
  method: 'POST',
  path: '/v1/monitor/subscriptions/:id/enable',
  module: 'monitor',
  role: 'administer',
  operationId: 'enableSubscription',
  summary: 'Enable a webhook again that was disabled after too many failures.',
  errors: ['MONITOR_NOT_FOUND'],
  body: z.object({ id: subscriptionId }),
  reply: subscriptionReply,
  handle: async ({ id }, ctx) => toReply(await ctx.open(monitorService).monitors.enable(ctx.caller, id)),
});

export const webhookRoutes = [deliveriesRoute, testRoute, rotateRoute, enableRoute];
