import { Field, ID, Int, ObjectType } from 'type-graphql';
import { toPublicId } from '../../../domain/public-ids.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connectionOf } from '../../../graphql/connection.ts';
import { defineEnum, ModuleEnum, RegistrationStatusEnum } from '../../../graphql/enums.ts';
import { NodeType } from '../../../graphql/relay.ts';
import { DateTimeScalar, UrlScalar } from '../../../graphql/scalars.ts';
import type { Language } from '../../../messages/message.ts';
import { storedReasonIn } from '../../../messages/stored-reasons.ts';
import type { Delivery, DeliveryState } from '../../../webhooks/domain/delivery.ts';
import { DeliveryStatusEnum } from '../../../webhooks/graphql.ts';
import { CompletenessEnum, RiskLevelEnum } from '../../compliance/graphql.ts';
import type { RejectedRow, StoredRejectedRow } from '../domain/portfolio.ts';
import type { Findings, ResultGroup, Screening, ScreeningResult, ScreeningState } from '../domain/screening.ts';

const ScreeningStateEnum = defineEnum<ScreeningState>('ScreeningState', 'State of a screening.', {
  queued: 'No company is checked yet.',
  running: 'Its companies are being checked.',
  done: 'Every company has its result.',
  cancelled: 'Ended before every company was checked; the results so far are kept.',
});

const RejectedKindEnum = defineEnum<RejectedRow['kind']>('RejectedRowKind', 'Reason for which a row of a portfolio is not checked.', {
  invalid: 'It has no valid tax id, or one of a country that the modules do not serve.',
  duplicate: 'An earlier row has the same company.',
});

@ObjectType('Screening', { implements: NodeType, description: 'Checks of a portfolio in the background.', simpleResolvers: true })
export class ScreeningType extends NodeType {
  @Field(() => ID, { description: '`scr_…`.' }) override readonly id: string;
  @Field(() => String, { nullable: true, description: 'Name that the caller gave it; null for no name.' }) readonly name: string | null;
  @Field(() => [ModuleEnum], { description: 'Modules that each company is checked with, as far as they serve its country.' })
  readonly modules: Screening['modules'];
  @Field(() => ScreeningStateEnum, { description: 'State of the screening.' }) readonly state: ScreeningState;
  @Field(() => Int, { description: 'Number of companies, each counted once.' }) readonly total: number;
  @Field(() => Int, { description: 'Companies with an answer.' }) readonly done: number;
  @Field(() => Int, { description: 'Companies without any answer after three attempts.' }) readonly failed: number;
  @Field(() => Int, { description: 'Rows without a valid tax id of a supported country; see `rejectedRows`.' }) readonly invalid: number;
  @Field(() => Int, { description: 'Rows that repeat the company of an earlier row; see `rejectedRows`.' }) readonly duplicates: number;
  @Field(() => [String], {
    nullable: true,
    description:
      "Names of the caller's own columns, which a result file of all rows has; null unless the screening was started with `keep_columns`.",
  })
  readonly ownColumns: Screening['ownColumns'];
  @Field(() => DateTimeScalar, { description: 'When it was started.' }) readonly createdAt: number;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was done or cancelled; null before.' })
  readonly finishedAt: number | null;
  @Field(() => UrlScalar, { nullable: true, description: 'URL to which its end is sent; null for none.' })
  readonly webhookUrl: string | null;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When the webhook was delivered; null before.' })
  readonly webhookDeliveredAt: number | null;
  @Field(() => String, {
    nullable: true,
    description:
      'Reason for which the last attempt of the webhook failed, such as `timeout` or `http_status 500`; null before it and after a delivery.',
  })
  readonly webhookError: string | null;
  /** The row in the database. */
  readonly screening: Screening;

  constructor(screening: Screening) {
    super();
    this.screening = screening;
    this.id = toPublicId('screening', screening.id);
    this.name = screening.name;
    this.modules = screening.modules;
    this.state = screening.state;
    this.total = screening.total;
    this.done = screening.done;
    this.failed = screening.failed;
    this.invalid = screening.invalid;
    this.duplicates = screening.duplicates;
    this.ownColumns = screening.ownColumns;
    this.createdAt = screening.createdAt;
    this.finishedAt = screening.finishedAt;
    this.webhookUrl = screening.webhookUrl;
    this.webhookDeliveredAt = screening.webhookDeliveredAt;
    this.webhookError = screening.webhookError;
  }
}

@ObjectType('ScreeningDelivery', {
  description: 'The end of a screening as it is sent to its webhook, with all attempts. Kept for 30 days.',
  simpleResolvers: true,
})
export class ScreeningDeliveryType {
  @Field(() => ID, { description: '`dlv_…`: a key for caches; `node` does not find it.' }) readonly id: string;
  @Field(() => ID, { description: 'The `webhook-id`, the same for every attempt: the id of the screening.' }) readonly eventId: string;
  @Field(() => DeliveryStatusEnum, { description: 'State of the delivery.' }) readonly status: DeliveryState;
  @Field(() => DateTimeScalar, { description: 'When it was put into the queue.' }) readonly createdAt: number;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was delivered, finally failed or was dropped; null before.' })
  readonly settledAt: number | null;
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Time of the next attempt, or of the running one; null once the delivery is delivered, failed or dropped.',
  })
  readonly nextAttemptAt: number | null;
  /** The row in the database. */
  readonly delivery: Delivery;

  constructor(delivery: Delivery) {
    this.delivery = delivery;
    this.id = toPublicId('delivery', delivery.id);
    this.eventId = delivery.eventId;
    this.status = delivery.state;
    this.createdAt = delivery.createdAt;
    this.settledAt = delivery.settledAt;
    this.nextAttemptAt = delivery.nextAttemptAt;
  }
}

@ObjectType('ScreeningConnection', { description: 'Screenings, newest first.', simpleResolvers: true })
export class ScreeningConnectionType extends connectionOf('Screening', ScreeningType, 'screenings') {}

@ObjectType('ScreeningResult', {
  description:
    'Result of a screening for one company. A finding is null if the screening has no module that provides it, or if that module failed.',
  simpleResolvers: true,
})
export class ScreeningResultType implements Findings {
  @Field(() => Int, { description: 'Row of the portfolio, counted from 1.' }) readonly row: number;
  @Field(() => CompanyType, { description: 'The company. Its fields are loaded by this request and counted.' })
  readonly company: CompanyType;
  @Field(() => String, { nullable: true, description: 'Official legal name.' }) readonly name!: string | null;
  @Field(() => RegistrationStatusEnum, { nullable: true, description: 'Registration status at the tax registry.' })
  readonly registrationStatus!: Findings['registrationStatus'];
  @Field(() => RiskLevelEnum, { nullable: true, description: 'Risk level of the consolidated check, BR.' })
  readonly riskLevel!: Findings['riskLevel'];
  @Field(() => CompletenessEnum, {
    nullable: true,
    description: 'Completeness of the consolidated check, BR; interpret `riskLevel` together with it.',
  })
  readonly completeness!: Findings['completeness'];
  @Field(() => [String], {
    nullable: true,
    description: 'Reasons of the consolidated check: `<check>.<code>: <sentence>`, with the sentence in the language of `Accept-Language`.',
  })
  readonly riskReasons!: readonly string[] | null;
  @Field(() => Boolean, { nullable: true, description: 'True for an exact tax id on a sanctions list.' })
  readonly isSanctioned!: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'BR: true for a record of CEIS or CNEP.' }) readonly isDebarred!: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'BR: true for a record of the forced-labour registry.' })
  readonly hasLaborViolations!: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'CL: true for an entry of the list of tax debtors.' })
  readonly isTaxDebtor!: boolean | null;
  @Field(() => Int, {
    nullable: true,
    description:
      'Number of registered owners and officers. CL: the people whom the file does not name are none. CO: legal representatives, because partners are not published.',
  })
  readonly ownerCount!: number | null;
  @Field(() => [ModuleEnum], { description: 'Modules without an answer after three attempts; empty for none.' })
  readonly failedModules: ScreeningResult['failedModules'];
  @Field(() => DateTimeScalar, { description: 'When the company was checked.' }) readonly checkedAt: number;
  @Field(() => [String], { nullable: true, description: 'Cells of `Screening.ownColumns`; null unless they are kept.' })
  readonly ownCells: ScreeningResult['ownCells'];

  constructor({ row, company, findings, failedModules, checkedAt, ownCells }: ScreeningResult, language: Language) {
    Object.assign(this, findings);
    if (findings.riskReasons) this.riskReasons = findings.riskReasons.map((reason) => storedReasonIn(reason, language));
    this.row = row;
    this.company = new CompanyType(company);
    this.failedModules = failedModules;
    this.checkedAt = checkedAt;
    this.ownCells = ownCells;
  }
}

@ObjectType('ScreeningResultConnection', { description: 'Results in the order of the portfolio.', simpleResolvers: true })
export class ScreeningResultConnectionType extends connectionOf('ScreeningResult', ScreeningResultType, 'results') {}

@ObjectType('ScreeningResultGroup', {
  description: 'Number of results with the same level, completeness and outcome.',
  simpleResolvers: true,
})
export class ResultGroupType implements ResultGroup {
  @Field(() => RiskLevelEnum, { nullable: true, description: 'Risk level; null without a consolidated check.' })
  riskLevel!: ResultGroup['riskLevel'];
  @Field(() => CompletenessEnum, { nullable: true, description: 'Completeness; null without a consolidated check.' })
  completeness!: ResultGroup['completeness'];
  @Field(() => Boolean, { description: 'False for companies without any answer after three attempts.' }) answered!: boolean;
  @Field(() => Int, { description: 'Number of companies.' }) companies!: number;
}

@ObjectType('RejectedRow', { description: 'A row of a portfolio that is not checked.', simpleResolvers: true })
class RejectedRowType implements StoredRejectedRow {
  @Field(() => Int, { description: 'Row of the portfolio, counted from 1.' }) row!: number;
  @Field(() => RejectedKindEnum, { description: 'Reason as a code.' }) kind!: RejectedRow['kind'];
  @Field(() => String, { description: 'Reason as a sentence. The text of the tax id is not stored.' }) reason!: string;
  @Field(() => [String], { nullable: true, description: 'Cells of `Screening.ownColumns`; null unless they are kept.' })
  ownCells!: StoredRejectedRow['ownCells'];
}

@ObjectType('RejectedRowConnection', { description: 'Rejected rows in the order of the portfolio.', simpleResolvers: true })
export class RejectedRowConnectionType extends connectionOf('RejectedRow', RejectedRowType, 'rejected rows') {}
