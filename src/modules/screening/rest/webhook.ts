import { z } from 'zod';
import type { RequestContext } from '../../../context.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import { datetime } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { deliveryReply, toDeliveryReply } from '../../../webhooks/rest.ts';
import { RESEND } from '../../../webhooks/service/messages.ts';
import type { Screening } from '../domain/screening.ts';
import { attemptsLoader, screeningDeliveriesLoader } from '../loader.ts';
import { screeningService } from '../service/screening.ts';
import { screeningId } from './screenings.ts';

async function deliveriesOf({ keyId, id }: Screening, { read }: RequestContext) {
  const deliveries = await read(screeningDeliveriesLoader, { keyId, id });
  const attempts = await Promise.all(deliveries.map((delivery) => read(attemptsLoader, { keyId, id: delivery.id })));
  return deliveries.map((delivery, i) => toDeliveryReply(delivery, attempts[i] ?? []));
}

/** GET /v1/screenings/{id}/deliveries: the deliveries to its webhook. 404 for a screening that is unknown or of another key. */
const deliveriesRoute = defineRoute({
  method: 'GET',
  path: '/v1/screenings/:id/deliveries',
  module: 'screening',
  operationId: 'listScreeningDeliveries',
  summary: 'The webhook delivery of a screening, with every attempt. Empty before the screening is done, and without a webhook.',
  errors: ['SCREENING_NOT_FOUND'],
  body: z.object({ id: screeningId }),
  reply: z.object({ deliveries: z.array(deliveryReply) }),
  handle: async ({ id }, ctx) => ({
    deliveries: await deliveriesOf(await ctx.open(screeningService).screenings.find(ctx.caller, id), ctx),
  }),
});

/** POST /v1/screenings/{id}/redeliver: sends the webhook of a screening again. 422 for a screening that is not done, or has no webhook. */
const redeliverRoute = defineRoute({
  method: 'POST',
  path: '/v1/screenings/:id/redeliver',
  module: 'screening',
  role: 'administer',
  operationId: 'redeliverScreening',
  summary: 'Send the webhook of a screening again, under the same webhook-id.',
  errors: ['SCREENING_NOT_FOUND'],
  body: z.object({ id: screeningId }),
  reply: deliveryReply,
  async handle({ id }, ctx) {
    const { screenings } = ctx.open(screeningService);
    await ctx.limitAction(RESEND);
    const [delivery] = await deliveriesOf(await screenings.redeliver(ctx.caller, id), ctx);
    if (!delivery) throw new Error('a screening without its delivery');
    return delivery;
  },
});

/** POST /v1/screenings/{id}/rotate: replaces the secret of a webhook, which is signed with both secrets for 24 h. 422 without a webhook. */
const rotateRoute = defineRoute({
  method: 'POST',
  path: '/v1/screenings/:id/rotate',
  module: 'screening',
  role: 'administer',
  operationId: 'rotateScreeningSecret',
  summary: 'Replace the secret that signs the webhook of a screening.',
  errors: ['SCREENING_NOT_FOUND'],
  body: z.object({ id: screeningId }),
  reply: z.object({
    screening_id: z.string(),
    secret: z.string().describe('Secret that signs the webhook from now on; returned only once'),
    old_secret_valid_until: datetime.describe('Until then the webhook is also signed with the old secret'),
  }),
  async handle({ id }, ctx) {
    const { screening, secret, oldSecretValidUntil } = await ctx.open(screeningService).screenings.rotateSecret(ctx.caller, id);
    return { screening_id: toPublicId('screening', screening.id), secret, old_secret_valid_until: isoWithOffset(oldSecretValidUntil) };
  },
});

export const webhookRoutes = [deliveriesRoute, redeliverRoute, rotateRoute];
