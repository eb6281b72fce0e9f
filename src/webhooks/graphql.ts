import { Field, Int, ObjectType } from 'type-graphql';
import { defineEnum } from '../graphql/enums.ts';
import { DateTimeScalar } from '../graphql/scalars.ts';
import type { WebhookFormat } from './domain/chat-message.ts';
import type { Attempt, DeliveryState } from './domain/delivery.ts';

export const DeliveryStatusEnum = defineEnum<DeliveryState>('DeliveryStatus', 'State of a delivery.', {
  pending: 'It waits for its first or next attempt.',
  sending: 'An attempt is running.',
  delivered: 'The receiver answered 2xx.',
  failed: 'The last attempt failed, and no further attempt follows.',
  dropped:
    'It is not sent any more, because its monitor was cancelled, was disabled or lost its webhook, or its screening was deleted. Attempts may have been made before.',
});

export const WebhookFormatEnum = defineEnum<WebhookFormat>('WebhookFormat', 'Format of the events that are sent to a webhook.', {
  standard: 'The signed JSON of this API, for programs.',
  slack: 'A message to an incoming webhook of Slack.',
  teams: 'An Adaptive Card to a webhook of the workflows of Microsoft Teams.',
});

@ObjectType('DeliveryAttempt', { description: 'One HTTP request of a delivery.', simpleResolvers: true })
export class DeliveryAttemptType implements Attempt {
  @Field(() => Int, { description: 'Number of the attempt, from 1; manual attempts are included.' }) number!: number;
  @Field(() => DateTimeScalar, { description: 'When it started.' }) startedAt!: number;
  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds until the response headers; null while the attempt is running, and if the process ended during it.',
  })
  latencyMs!: number | null;
  @Field(() => Int, { nullable: true, description: 'HTTP status; null without a response.' }) status!: number | null;
  @Field(() => String, { nullable: true, description: 'Reason of the failure, in one word such as `timeout`; null for a success.' })
  error!: string | null;
  @Field(() => String, { nullable: true, description: 'First 1 KiB of the response body; null without a response.' }) answer!:
    | string
    | null;
}
