import { Field, ID, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../../../graphql/connection.ts';
import { NodeType } from '../../../graphql/relay.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import type { Attempt, Delivery } from '../domain/delivery.ts';
import { toPublicId } from '../domain/ids.ts';
import { DeliveryStatusEnum } from './enums.ts';

@ObjectType('DeliveryAttempt', { description: 'One request to a receiver.', simpleResolvers: true })
export class DeliveryAttemptType implements Attempt {
  @Field(() => Int, { description: 'Counted from 1, those by hand included.' }) number!: number;
  @Field(() => DateTimeScalar, { description: 'When it was begun.' }) startedAt!: number;
  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds until the headers; null while under way, and for one that was cut off by an end of ours.',
  })
  latencyMs!: number | null;
  @Field(() => Int, { nullable: true, description: 'HTTP status; null where none came.' }) status!: number | null;
  @Field(() => String, { nullable: true, description: 'Why it failed, in one word such as `timeout`; null for a success.' })
  error!: string | null;
  @Field(() => String, { nullable: true, description: "First 1 KiB of the answer's body; null where no answer came." }) answer!:
    | string
    | null;
}

@ObjectType('Delivery', {
  implements: NodeType,
  description: "One event on its way to a monitor's webhook, however often it is tried. Kept for 30 days.",
  simpleResolvers: true,
})
export class DeliveryType extends NodeType {
  @Field(() => ID, { description: '`dlv_…`.' }) override readonly id: string;
  @Field(() => ID, { description: 'The `webhook-id`: of a change its id, the same for every attempt.' }) readonly eventId: string;
  @Field(() => Boolean, { description: 'True for the event of `testMonitor`, which tells of no change.' }) readonly test: boolean;
  @Field(() => DeliveryStatusEnum, { description: 'How far it is.' }) readonly status: Delivery['state'];
  @Field(() => DateTimeScalar, { description: 'When it was put into the queue.' }) readonly createdAt: number;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was delivered, given up or dropped; null before.' })
  readonly settledAt: number | null;
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When it is tried next, or was for the attempt under way; null once settled.',
  })
  readonly nextAttemptAt: number | null;
  /** The row behind it. */
  readonly delivery: Delivery;

  constructor(delivery: Delivery) {
    super();
    this.delivery = delivery;
    this.id = toPublicId('delivery', delivery.id);
    this.eventId = delivery.eventId;
    this.test = delivery.changeId === null;
    this.status = delivery.state;
    this.createdAt = delivery.createdAt;
    this.settledAt = delivery.settledAt;
    this.nextAttemptAt = delivery.nextAttemptAt;
  }
}

@ObjectType('DeliveryConnection', { description: 'Deliveries, newest first.', simpleResolvers: true })
export class DeliveryConnectionType extends connectionOf('Delivery', DeliveryType, 'deliveries') {}
