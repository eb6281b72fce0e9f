import { z } from 'zod';
import { toPublicId } from '../domain/public-ids.ts';
import { isoOrNull, isoWithOffset } from '../domain/time.ts';
import { datetime } from '../rest/fields.ts';
import type { Attempt, Delivery, DeliveryState } from './domain/delivery.ts';

export const DELIVERY_STATES = ['pending', 'sending', 'delivered', 'failed', 'dropped'] as const satisfies readonly DeliveryState[];

/** One delivery with its attempts. */
export const deliveryReply = z
  .object({
    delivery_id: z.string(),
    event_id: z.string().describe('The webhook-id'),
    test: z.boolean().describe('True for a test event'),
    status: z.enum(DELIVERY_STATES),
    created_at: datetime,
    settled_at: datetime.nullable().describe('When it was delivered, finally failed or was dropped; null before'),
    next_attempt_at: datetime.nullable().describe('Null once the delivery is delivered, failed or dropped'),
    attempts: z.array(
      z.object({
        number: z.int().describe('From 1'),
        started_at: datetime,
        latency_ms: z.int().nullable().describe('Milliseconds until the response headers; null while the attempt is running'),
        status: z.int().nullable().describe('HTTP status; null without a response'),
        error: z.string().nullable().describe('Reason of the failure, in one word; null for a success'),
        answer: z.string().nullable().describe('First 1 KiB of the response'),
      }),
    ),
  })
  .meta({ id: 'Delivery' });

export const toDeliveryReply = (delivery: Delivery, attempts: readonly Attempt[]) => ({
  delivery_id: toPublicId('delivery', delivery.id),
  event_id: delivery.eventId,
  test: delivery.reportedId === null,
  status: delivery.state,
  created_at: isoWithOffset(delivery.createdAt),
  settled_at: isoOrNull(delivery.settledAt),
  next_attempt_at: isoOrNull(delivery.nextAttemptAt),
  attempts: attempts.map(toAttemptReply),
});

/** Returns an attempt as the replies of the API and the JSON of the command line show it. */
export const toAttemptReply = ({ number, startedAt, latencyMs, status, error, answer }: Attempt) => ({
  number,
  started_at: isoWithOffset(startedAt),
  latency_ms: latencyMs,
  status,
  error,
  answer,
});
