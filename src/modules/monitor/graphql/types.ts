import { Field, ID, Int, ObjectType } from 'type-graphql';
import { toPublicId } from '../../../domain/public-ids.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connectionOf } from '../../../graphql/connection.ts';
import { CountryEnum, defineEnum, LanguageEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { Cost } from '../../../graphql/limits/cost.ts';
import { NodeType } from '../../../graphql/relay.ts';
import { DateTimeScalar, UrlScalar } from '../../../graphql/scalars.ts';
import type { Delivery, EndpointState, RetryPolicy } from '../../../webhooks/domain/delivery.ts';
import { DeliveryStatusEnum, WebhookFormatEnum } from '../../../webhooks/graphql.ts';
import type { Change, ChangedField, FieldChange } from '../domain/change.ts';
import { toChangeCursor } from '../domain/log-position.ts';
import type { CheckProgress, Monitor, MonitorRow } from '../domain/monitor.ts';

const MonitorStatusEnum = defineEnum<Monitor['status']>('MonitorStatus', 'State of a monitor.', {
  active: 'The monitor is active.',
  cancelled: 'The monitor is cancelled: it watches no company and sends no event. Its events can still be read.',
});

export const RetryPolicyEnum = defineEnum<RetryPolicy>('RetryPolicy', 'Retries when a receiver does not accept an event.', {
  none: 'No retry: one attempt per delivery.',
  standard: 'Further attempts after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h.',
});

const EndpointStateEnum = defineEnum<EndpointState>('EndpointState', 'State of a webhook endpoint.', {
  active: 'Webhooks are sent; it has not failed repeatedly.',
  failing: 'It failed repeatedly; all events are still sent.',
  disabled: 'It failed for so long that no event is sent until `enableMonitor`.',
});

export const ChangeFieldEnum = defineEnum<ChangedField>('ChangeField', 'Field of a company that can change.', {
  status: 'Registration status at the tax registry (CO: in the commercial register): ACTIVE, INACTIVE or NOT_FOUND.',
  size: 'SMALL, LARGE or UNKNOWN.',
  activity: 'Main economic activity.',
  name: 'Legal name.',
  owners:
    'Partners and officers that joined or left. BR; for CL owners with their shares, by the yearly file of owners; for CO the legal representative.',
  capital: 'Share capital. BR only.',
  address: 'Municipality and state. BR only.',
  special_situation: 'Special situation, such as a judicial reorganisation. BR only.',
  last_renewed_year: 'Year for which the registration was last renewed. CO only.',
  sanctions: 'Number of entries of a sanctions list that name the company.',
  debarment: 'Number of entries of CEIS, CNEP or a list that the account has chosen that name the company.',
  labor: 'Number of entries of the forced-labour list that name the company.',
  contract_fines: 'Number of fines on SECOP I or SECOP II that name the company as contractor. CO only. A fine is no ban.',
  candidate: "Number of parties of a sanctions list with a name similar to the company's. Only for monitors with `candidateNews`.",
});

@ObjectType('Monitor', {
  implements: NodeType,
  description: 'A subscription to the changes of a set of companies: the same object as in `/v1/monitor/subscriptions`.',
  simpleResolvers: true,
})
export class MonitorType implements NodeType {
  @Field(() => ID, { description: 'The `subscription_id` of webhooks and of `/v1`, `mon_…`.' })
  get id(): string {
    return toPublicId('monitor', this.monitor.id);
  }
  @Cost(1)
  @Field(() => [String], { description: 'Tax ids of its companies, as the caller wrote them, each company once.' })
  readonly identifiers!: readonly string[];
  @Field(() => CountryEnum, { description: 'Country of all its companies.' })
  get country(): Monitor['country'] {
    return this.monitor.country;
  }
  @Field(() => UrlScalar, {
    nullable: true,
    description: 'Webhook URL; null if changes are read by query and subscription only.',
  })
  get webhookUrl(): string | null {
    return this.monitor.webhookUrl;
  }
  @Field(() => MonitorStatusEnum, { description: 'State of the monitor.' })
  get status(): Monitor['status'] {
    return this.monitor.status;
  }
  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  get createdAt(): number {
    return this.monitor.createdAt;
  }
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was cancelled; null while it is active.' })
  get cancelledAt(): number | null {
    return this.monitor.cancelledAt;
  }
  @Field(() => RetryPolicyEnum, { description: 'Retries when its receiver does not accept an event.' })
  get retryPolicy(): Monitor['retryPolicy'] {
    return this.monitor.retryPolicy;
  }
  @Field(() => WebhookFormatEnum, { description: 'Format of the events that are sent to its webhook.' })
  get webhookFormat(): Monitor['webhookFormat'] {
    return this.monitor.webhookFormat;
  }
  @Field(() => LanguageEnum, { description: 'Language of the events if people read them: `SLACK` and `TEAMS`.' })
  get webhookLanguage(): Monitor['webhookLanguage'] {
    return this.monitor.webhookLanguage;
  }
  @Field(() => Boolean, {
    description: 'True: changes of lists are sent to its webhook, too. Queries and subscriptions always return them.',
  })
  get listNews(): boolean {
    return this.monitor.listNews;
  }
  @Field(() => Boolean, {
    description:
      'True: changes of name, owners, capital, address and special situation are sent to its webhook and listed in `/v1/changes`, too. Queries and subscriptions always return them.',
  })
  get recordNews(): boolean {
    return this.monitor.recordNews;
  }
  @Field(() => Boolean, {
    description:
      'True: the monitor also reports new and changed records of sanctions lists with a name similar to that of a company. They are list changes.',
  })
  get candidateNews(): boolean {
    return this.monitor.candidateNews;
  }
  @Field(() => EndpointStateEnum, { description: 'State of its webhook endpoint.' })
  get endpointState(): Monitor['endpointState'] {
    return this.monitor.endpointState;
  }
  @Field(() => Int, {
    description:
      'Changes of its companies that are held: a value that became empty, until a second check confirms it, at least an hour later; a change of too many companies, until an operator decides. 0 for a cancelled monitor.',
  })
  get heldChanges(): number {
    return this.monitor.heldChanges;
  }
  /** The row in the database. The monitor of a change has its tax ids, too. */
  readonly monitor: MonitorRow | Monitor;

  constructor(monitor: MonitorRow | Monitor) {
    this.monitor = monitor;
  }
}

@ObjectType('MonitorChecks', {
  description: 'Progress of the checks of the companies of a monitor. They are read at their tax registry, one by one over an interval.',
  simpleResolvers: true,
})
export class MonitorChecksType implements CheckProgress {
  @Field(() => Int, { description: 'Seconds between two checks of a company.' }) intervalSeconds!: number;
  @Field(() => Int, { description: 'Companies that the monitor watches. All counts are 0 for a cancelled monitor.' }) companies!: number;
  @Field(() => Int, { description: 'Companies that were checked successfully within the last interval.' }) checked!: number;
  @Field(() => Int, { description: 'Companies whose check is late by more than a minute.' }) overdue!: number;
  @Field(() => Int, { description: 'Companies whose last check failed; they are checked again after 1 to 30 minutes.' }) failing!: number;
  @Field(() => DateTimeScalar, { nullable: true, description: 'Time of the newest successful check; null before the first one.' })
  lastCheckedAt!: number | null;
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Time of the earliest check that is due; in the past while that check waits or runs. Null for a cancelled monitor.',
  })
  nextCheckAt!: number | null;
}

@ObjectType('MonitorConnection', { description: 'Monitors, newest first.', simpleResolvers: true })
export class MonitorConnectionType extends connectionOf('Monitor', MonitorType, 'monitors') {}

@ObjectType('FieldChange', { description: 'A changed field of a company.', simpleResolvers: true })
export class FieldChangeType implements FieldChange {
  @Field(() => ChangeFieldEnum, { description: 'The field.' }) field!: FieldChange['field'];
  @Field(() => String, {
    nullable: true,
    description:
      'Previous value; null if it was not known. STATUS: a value of RegistrationStatus. SIZE: a value of CompanySize. ACTIVITY, NAME, ADDRESS (`CAMPINAS/SP`), SPECIAL_SITUATION: the text of the registry. OWNERS: the partners that left, with masked CPFs, separated by `; `; empty if there were none before; the number of partners for a company with more than 100. CAPITAL: a decimal number in BRL. LAST_RENEWED_YEAR: a year. CANDIDATE: a number of listed parties. CONTRACT_FINES: a number of fines. Others: a number of entries.',
  })
  from!: string | null;
  @Field(() => String, {
    nullable: true,
    description:
      'New value, in the form of `from`; null if it is not known any more. OWNERS: the partners that joined; empty if there are none any more.',
  })
  to!: string | null;
  @Field(() => SourceNameEnum, {
    nullable: true,
    description: 'The list that names the company or has candidates for it; null for the fields of the registry.',
  })
  list?: FieldChange['list'];
}

/** Converts statuses and sizes to the values of their enums; webhooks and REST have them in lower case. */
export const inEnumWords = ({ from, to, ...change }: FieldChange): FieldChange =>
  change.field === 'status' || change.field === 'size'
    ? { ...change, from: from?.toUpperCase() ?? null, to: to?.toUpperCase() ?? null }
    : { ...change, from, to };

@ObjectType('Change', {
  implements: NodeType,
  description: 'One event: the changed fields of one company, for one monitor. Its id is the same on every transport.',
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
    return toChangeCursor(this.change);
  }
  @Field(() => String, { description: 'Tax id of the company, as the creator of the monitor wrote it.' })
  get identifier(): string {
    return this.change.identifier;
  }
  @Field(() => SourceNameEnum, { description: 'The registry or list that reported the change.' })
  get source(): Change['source'] {
    return this.change.source;
  }
  @Field(() => [FieldChangeType], { description: 'The changed fields, at least one.' })
  get changedFields(): readonly FieldChangeType[] {
    return this.change.fields.map(inEnumWords);
  }
  @Field(() => DateTimeScalar, { description: 'When the change was detected.' })
  get detectedAt(): number {
    return this.change.detectedAt;
  }
  @Field(() => ID, {
    description:
      '`obs_…`, the same for all monitors that report this observation: use it to drop duplicates if two monitors watch one company.',
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
  @Field(() => ID, { description: 'The `webhook-id`, the same for every attempt. For a change it is the id of the change.' })
  get eventId(): string {
    return this.delivery.eventId;
  }
  @Field(() => Boolean, { description: 'True for the event of `testMonitor`, which reports no change.' })
  get test(): boolean {
    return this.delivery.reportedId === null;
  }
  @Field(() => DeliveryStatusEnum, { description: 'State of the delivery.' })
  get status(): Delivery['state'] {
    return this.delivery.state;
  }
  @Field(() => DateTimeScalar, { description: 'When it was put into the queue.' })
  get createdAt(): number {
    return this.delivery.createdAt;
  }
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was delivered, finally failed or was dropped; null before.' })
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
  description: 'Companies that a monitor watches, in the order of its `identifiers`.',
  simpleResolvers: true,
})
export class CompanyConnectionType extends connectionOf('Company', CompanyType, 'companies') {}
