import { Field, ID, ObjectType } from 'type-graphql';
import { connectionOf } from '../../../graphql/connection.ts';
import { CountryEnum } from '../../../graphql/enums.ts';
import { NodeType } from '../../../graphql/relay.ts';
import { DateTimeScalar, UrlScalar } from '../../../graphql/scalars.ts';
import { toPublicId } from '../domain/ids.ts';
import type { Monitor } from '../domain/monitor.ts';
import { EndpointStateEnum, MonitorStatusEnum, RetryPolicyEnum } from './enums.ts';

@ObjectType('Monitor', {
  implements: NodeType,
  description: 'A subscription to the changes of some companies: `/v1/monitor/subscriptions` shows the same.',
  simpleResolvers: true,
})
export class MonitorType extends NodeType {
  @Field(() => ID, { description: 'The `subscription_id` of webhooks and of `/v1`, `mon_…`.' }) override readonly id: string;
  @Field(() => [String], { description: 'Tax ids as its maker wrote them, each company once.' })
  readonly identifiers: readonly string[];
  @Field(() => CountryEnum, { description: 'Of all its companies: BR or CL.' }) readonly country: Monitor['country'];
  @Field(() => UrlScalar, { description: 'Where changes are sent.' }) readonly webhookUrl: string;
  @Field(() => MonitorStatusEnum, { description: 'Whether it still watches.' }) readonly status: Monitor['status'];
  @Field(() => DateTimeScalar, { description: 'When it was made.' }) readonly createdAt: number;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was cancelled; null while it watches.' })
  readonly cancelledAt: number | null;
  @Field(() => RetryPolicyEnum, { description: 'What follows when its receiver does not take an event.' })
  readonly retryPolicy: Monitor['retryPolicy'];
  @Field(() => Boolean, { description: 'True: its webhook is told of list news, too. Queries and subscriptions always are.' })
  readonly listNews: boolean;
  @Field(() => EndpointStateEnum, { description: 'How its receiver has been answering.' })
  readonly endpointState: Monitor['endpointState'];
  /** The row behind it. */
  readonly monitor: Monitor;

  constructor(monitor: Monitor) {
    super();
    this.monitor = monitor;
    this.id = toPublicId('monitor', monitor.id);
    this.identifiers = monitor.identifiers;
    this.country = monitor.country;
    this.webhookUrl = monitor.webhookUrl;
    this.status = monitor.status;
    this.createdAt = monitor.createdAt;
    this.cancelledAt = monitor.cancelledAt;
    this.retryPolicy = monitor.retryPolicy;
    this.listNews = monitor.listNews;
    this.endpointState = monitor.endpointState;
  }
}

@ObjectType('MonitorConnection', { description: 'Monitors, newest first.', simpleResolvers: true })
export class MonitorConnectionType extends connectionOf('Monitor', MonitorType, 'monitors') {}
