import { Field, ID, Int, ObjectType } from 'type-graphql';
import { toPublicId } from '../../../domain/public-ids.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connectionOf } from '../../../graphql/connection.ts';
import { CountryEnum, defineEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { NodeType } from '../../../graphql/relay.ts';
import { DateTimeScalar, UrlScalar } from '../../../graphql/scalars.ts';
import type { Change, ChangedField, FieldChange } from '../domain/change.ts';
import type { Attempt, Delivery, DeliveryState } from '../domain/delivery.ts';
import type { CheckProgress, EndpointState, Monitor, RetryPolicy } from '../domain/monitor.ts';
import { toChangeCursor } from './arguments.ts';

export const MonitorStatusEnum = defineEnum<Monitor['status']>('MonitorStatus', 'State of a monitor.', {
  active: 'The monitor is active.',
  cancelled: 'The monitor is cancelled: it watches no company and sends no event. Its events can still be read.',
});

export const RetryPolicyEnum = defineEnum<RetryPolicy>('RetryPolicy', 'Retries when a receiver does not accept an event.', {
  none: 'No retry: one attempt per delivery.',
  standard: 'Further attempts after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h.',
});

export const EndpointStateEnum = defineEnum<EndpointState>('EndpointState', 'State of a webhook endpoint.', {
  active: 'Webhooks are sent; it has not failed repeatedly.',
  failing: 'It failed repeatedly; all events are still sent.',
  disabled: 'It failed for so long that no event is sent until `enableMonitor`.',
});

export const DeliveryStatusEnum = defineEnum<DeliveryState>('DeliveryStatus', 'State of a delivery.', {
  pending: 'To be sent, for the first time or again.',
  sending: 'An attempt is under way.',
  delivered: 'The receiver answered 2xx.',
  failed: 'The receiver did not take it, and there is no further attempt.',
  dropped: 'Given up, because its monitor was cancelled or disabled; attempts may have come before.',
});

export const ChangeFieldEnum = defineEnum<ChangedField>('ChangeField', 'Field of a company that can change.', {
  status: 'Standing at the tax registry: ACTIVE, INACTIVE or NOT_FOUND.',
  size: 'SMALL, LARGE or UNKNOWN.',
  activity: 'Main economic activity.',
  sanctions: 'Entries of a sanctions list that name the company; the values count them.',
  debarment: 'Entries of CEIS or CNEP that name the company; the values count them.',
  labor: 'Entries of the forced-labour registry that name the company; the values count them.',
});

@ObjectType('Monitor', {
  implements: NodeType,
  description: 'A subscription to the changes of some companies: `/v1/monitor/subscriptions` shows the same.',
  simpleResolvers: true,
})
export class MonitorType implements NodeType {
  @Field(() => ID, { description: 'The `subscription_id` of webhooks and of `/v1`, `mon_…`.' })
  get id(): string {
    return toPublicId('monitor', this.monitor.id);
  }
  @Field(() => [String], { description: 'Tax ids as its maker wrote them, each company once.' })
  get identifiers(): readonly string[] {
    return this.monitor.identifiers;
  }
  @Field(() => CountryEnum, { description: 'Of all its companies: BR or CL.' })
  get country(): Monitor['country'] {
    return this.monitor.country;
  }
  @Field(() => UrlScalar, {
    nullable: true,
    description: 'Where changes are sent; null where they are read by query and subscription only.',
  })
  get webhookUrl(): string | null {
    return this.monitor.webhookUrl;
  }
  @Field(() => MonitorStatusEnum, { description: 'State of the monitor.' })
  get status(): Monitor['status'] {
    return this.monitor.status;
  }
  @Field(() => DateTimeScalar, { description: 'When it was made.' })
  get createdAt(): number {
    return this.monitor.createdAt;
  }
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was cancelled; null while it watches.' })
  get cancelledAt(): number | null {
    return this.monitor.cancelledAt;
  }
  @Field(() => RetryPolicyEnum, { description: 'Retries when its receiver does not accept an event.' })
  get retryPolicy(): Monitor['retryPolicy'] {
    return this.monitor.retryPolicy;
  }
  @Field(() => Boolean, { description: 'True: changes of lists are sent to its webhook, too. Queries and subscriptions always have them.' })
  get listNews(): boolean {
    return this.monitor.listNews;
  }
  @Field(() => EndpointStateEnum, { description: 'State of its webhook endpoint.' })
  get endpointState(): Monitor['endpointState'] {
    return this.monitor.endpointState;
  }
  @Field(() => Int, {
    description:
      'Changes of its companies that are held back: a lost value until a second check confirms it, an hour later at the earliest; the same change of many companies until an operator decides. 0 once it is cancelled.',
  })
  get heldChanges(): number {
    return this.monitor.heldChanges;
  }
  /** The row in the database. */
  readonly monitor: Monitor;

  constructor(monitor: Monitor) {
    this.monitor = monitor;
  }
}

@ObjectType('MonitorChecks', {
  description: 'Where the checks of the companies of a monitor stand. They are read at their tax registry, one by one over an interval.',
  simpleResolvers: true,
})
export class MonitorChecksType implements CheckProgress {
  @Field(() => Int, { description: 'Seconds between two checks of a company.' }) intervalSeconds!: number;
  @Field(() => Int, { description: 'Companies that it watches; 0 once it is cancelled, as all other counts.' }) companies!: number;
  @Field(() => Int, { description: 'Companies that were checked successfully within the last interval.' }) checked!: number;
  @Field(() => Int, { description: 'Companies whose check is late by more than a minute.' }) overdue!: number;
  @Field(() => Int, { description: 'Companies whose last check failed; they are checked again after 1 to 30 minutes.' }) failing!: number;
  @Field(() => DateTimeScalar, { nullable: true, description: 'The newest successful check; null before the first one.' })
  lastCheckedAt!: number | null;
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'The earliest check that is due: in the past while it waits or runs. Null once the monitor is cancelled.',
  })
  nextCheckAt!: number | null;
}

@ObjectType('MonitorConnection', { description: 'Monitors, newest first.', simpleResolvers: true })
export class MonitorConnectionType extends connectionOf('Monitor', MonitorType, 'monitors') {}

@ObjectType('FieldChange', { description: 'A changed field of a company.', simpleResolvers: true })
class FieldChangeType implements FieldChange {
  @Field(() => ChangeFieldEnum, { description: 'The field.' }) field!: FieldChange['field'];
  @Field(() => String, {
    nullable: true,
    description:
      'What it was; null where nothing was known. STATUS: a name of RegistrationStatus. SIZE: a name of CompanySize. ACTIVITY: the words of the registry. Others: a number of entries.',
  })
  from!: string | null;
  @Field(() => String, { nullable: true, description: 'What it is, as in `from`; null where nothing is known any more.' }) to!:
    | string
    | null;
  @Field(() => SourceNameEnum, { nullable: true, description: 'The list that names the company; null for status, size and activity.' })
  list?: FieldChange['list'];
}

/** Statuses and sizes as their enums spell them; webhooks and REST have them in lower case. */
const inEnumWords = ({ from, to, ...change }: FieldChange): FieldChange =>
  change.field === 'status' || change.field === 'size'
    ? { ...change, from: from?.toUpperCase() ?? null, to: to?.toUpperCase() ?? null }
    : { ...change, from, to };

@ObjectType('Change', {
  implements: NodeType,
  description: 'One event: what changed of one company, for one monitor. The same id on every transport.',
  simpleResolvers: true,
})
export class ChangeType implements NodeType {
  @Field(() => ID, { description: 'The `webhook-id` of its delivery, `evt_…`.' })
  get id(): string {
    return toPublicId('change', this.change.id);
  }
  @Field(() => String, {
    description:
      'Opaque cursor in the order of the change log. Pass it as `after` to `companyChanged` or `changes` to continue without a gap.',
  })
  get cursor(): string {
    return toChangeCursor(this.change.position);
  }
  @Field(() => String, { description: "The company's tax id as the monitor's maker wrote it." })
  get identifier(): string {
    return this.change.identifier;
  }
  @Field(() => SourceNameEnum, { description: 'The registry or list that said so.' })
  get source(): Change['source'] {
    return this.change.source;
  }
  @Field(() => [FieldChangeType], { description: 'What changed, at least one field.' })
  get changedFields(): readonly FieldChangeType[] {
    return this.change.fields.map(inEnumWords);
  }
  @Field(() => DateTimeScalar, { description: 'When it was found.' })
  get detectedAt(): number {
    return this.change.detectedAt;
  }
  @Field(() => ID, {
    description:
      'The same for every monitor that reports this observation, `obs_…`: drop repeats by it where two monitors watch one company.',
  })
  get observationId(): string {
    return toPublicId('observation', this.change.observationId);
  }
  /** The row in the database. */
  readonly change: Change;

  constructor(change: Change) {
    this.change = change;
  }
}

@ObjectType('ChangeConnection', { description: 'Changes in the order that the field states.', simpleResolvers: true })
export class ChangeConnectionType extends connectionOf('Change', ChangeType, 'changes') {}

@ObjectType('DeliveryAttempt', { description: 'One request to a receiver.', simpleResolvers: true })
export class DeliveryAttemptType implements Attempt {
  @Field(() => Int, { description: 'Number of the attempt, from 1; manual attempts are included.' }) number!: number;
  @Field(() => DateTimeScalar, { description: 'When it was begun.' }) startedAt!: number;
  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds until the headers of the answer; null while the attempt is running, and if the process ended during it.',
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
  description: 'One event to be sent to the webhook of a monitor, with all its attempts. Kept for 30 days.',
  simpleResolvers: true,
})
export class DeliveryType implements NodeType {
  @Field(() => ID, { description: '`dlv_…`.' })
  get id(): string {
    return toPublicId('delivery', this.delivery.id);
  }
  @Field(() => ID, { description: 'The `webhook-id`: of a change its id, the same for every attempt.' })
  get eventId(): string {
    return this.delivery.eventId;
  }
  @Field(() => Boolean, { description: 'True for the event of `testMonitor`, which reports no change.' })
  get test(): boolean {
    return this.delivery.changeId === null;
  }
  @Field(() => DeliveryStatusEnum, { description: 'State of the delivery.' })
  get status(): Delivery['state'] {
    return this.delivery.state;
  }
  @Field(() => DateTimeScalar, { description: 'When it was put into the queue.' })
  get createdAt(): number {
    return this.delivery.createdAt;
  }
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was delivered, given up or dropped; null before.' })
  get settledAt(): number | null {
    return this.delivery.settledAt;
  }
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Time of the next attempt, or of the running one; null once the delivery is delivered, failed or dropped.',
  })
  get nextAttemptAt(): number | null {
    return this.delivery.nextAttemptAt;
  }
  /** The row in the database. */
  readonly delivery: Delivery;

  constructor(delivery: Delivery) {
    this.delivery = delivery;
  }
}

@ObjectType('DeliveryConnection', { description: 'Deliveries, newest first.', simpleResolvers: true })
export class DeliveryConnectionType extends connectionOf('Delivery', DeliveryType, 'deliveries') {}

@ObjectType('CompanyConnection', {
  description: 'Companies that a monitor watches, in the order in which its maker named them.',
  simpleResolvers: true,
})
export class CompanyConnectionType extends connectionOf('Company', CompanyType, 'companies') {}
