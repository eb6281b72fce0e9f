import { Field, ID, ObjectType } from 'type-graphql';
import type { SourceName } from '../../../domain/catalogue.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { defineEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { defineNode, NodeType } from '../../../graphql/relay.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import type { Outcome, Review, WaitingReview } from '../domain/review.ts';
import { findReview } from '../loaders/reviews.ts';
import { ID_KINDS } from '../service/reviews.ts';

@ObjectType('Decider', { description: 'The API key that decided about a candidate, or approved a decision.', simpleResolvers: true })
class DeciderType {
  @Field(() => ID, { description: 'Id of the key.' }) keyId!: string;
  @Field(() => String, {
    description: 'Name of the key at the time of the decision: that of the person, if each person has a key of their own.',
  })
  name!: string;
}

/** The fields that a dismissal and a confirmation have. */
@ObjectType({ simpleResolvers: true })
abstract class ReviewedMatchType extends NodeType {
  @Field(() => CompanyType, {
    description: 'The company that it is a candidate of, or the company of the owner that it is a candidate of.',
  })
  readonly company: CompanyType;
  @Field(() => SourceNameEnum, { description: 'The list of the party.' }) readonly list: SourceName;
  @Field(() => String, { description: "The list's own id of the party or record: OFAC uid, UN DATAID." }) readonly entityId: string;
  @Field(() => String, { description: 'Main name of the party at the time of the decision, as listed.' }) readonly entryName: string;
  @Field(() => String, { description: 'The given reason.' }) readonly reason: string;
  @Field(() => DeciderType, { description: 'Who decided.' }) readonly decidedBy: DeciderType;
  @Field(() => DeciderType, { nullable: true, description: 'Who approved it; null where no approval was needed, and while it waits.' })
  readonly approvedBy: DeciderType | null;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was approved; null as `approvedBy`.' })
  readonly approvedAt: number | null;
  @Field(() => Boolean, { description: 'True while it waits for a second person to approve it. It has no effect until then.' })
  readonly isWaiting: boolean;
  @Field(() => String, {
    description: 'SHA-256 of the record of the list at the time of the decision. When the record changes, the decision no longer applies.',
  })
  readonly recordDigest: string;

  constructor(review: Review) {
    super();
    this.company = new CompanyType(review.company);
    this.list = review.list;
    this.entityId = review.entityId;
    this.entryName = review.entryName;
    this.reason = review.reason;
    this.decidedBy = { keyId: review.keyId, name: review.keyName };
    this.approvedBy = review.approval && { keyId: review.approval.keyId, name: review.approval.keyName };
    this.approvedAt = review.approval?.approvedAt ?? null;
    this.isWaiting = review.isWaiting;
    this.recordDigest = review.recordDigest;
  }
}

@ObjectType('DismissedMatch', {
  implements: NodeType,
  description: 'A candidate that a person of the account judged to be another party. It is hidden until the record of the list changes.',
  simpleResolvers: true,
})
export class DismissedMatchType extends ReviewedMatchType {
  @Field(() => ID, { description: '`dsm_…`.' }) override readonly id: string;
  @Field(() => ID, { nullable: true, description: '`id` of the owner that it was a candidate of; null for a candidate of the company.' })
  readonly ownerId: string | null;
  @Field(() => ID, { description: 'Id of the API key that dismissed it.' }) readonly dismissedBy: string;
  @Field(() => DateTimeScalar, { description: 'When it was dismissed last.' }) readonly dismissedAt: number;

  constructor(review: Review) {
    super(review);
    this.id = toPublicId('dismissal', review.id);
    this.ownerId = review.ownerId;
    this.dismissedBy = review.keyId;
    this.dismissedAt = review.decidedAt;
  }
}

@ObjectType('ConfirmedMatch', {
  implements: NodeType,
  description:
    'A candidate that a person of the account judged to be the company. It changes neither isSanctioned nor matches nor a risk level. It applies until the record of the list changes.',
  simpleResolvers: true,
})
export class ConfirmedMatchType extends ReviewedMatchType {
  @Field(() => ID, { description: '`cfm_…`.' }) override readonly id: string;
  @Field(() => ID, { description: 'Id of the API key that confirmed it.' }) readonly confirmedBy: string;
  @Field(() => DateTimeScalar, { description: 'When it was confirmed last.' }) readonly confirmedAt: number;

  constructor(review: Review) {
    super(review);
    this.id = toPublicId('confirmation', review.id);
    this.confirmedBy = review.keyId;
    this.confirmedAt = review.decidedAt;
  }
}

const MatchOutcomeEnum = defineEnum<Outcome>('MatchOutcome', 'Decision of a person about a candidate.', {
  dismissed: 'It is another party.',
  confirmed: 'It is the company.',
});

@ObjectType('WaitingDecision', {
  description: 'A decision about a candidate that waits for a second person to approve it. It has no effect until then.',
  simpleResolvers: true,
})
export class WaitingDecisionType {
  @Field(() => ID, { description: 'Id of the dismissal, `dsm_…`, or of the confirmation, `cfm_…`.' }) readonly id: string;
  @Field(() => MatchOutcomeEnum, { description: 'The decision.' }) readonly outcome: Outcome;
  @Field(() => String, { description: 'The given reason.' }) readonly reason: string;
  @Field(() => DeciderType, { description: 'Who decided.' }) readonly decidedBy: DeciderType;
  @Field(() => DateTimeScalar, { description: 'When it was decided.' }) readonly decidedAt: number;

  constructor({ id, outcome, reason, keyId, keyName, decidedAt }: WaitingReview) {
    this.id = toPublicId(ID_KINDS[outcome], id);
    this.outcome = outcome;
    this.reason = reason;
    this.decidedBy = { keyId, name: keyName };
    this.decidedAt = decidedAt;
  }
}

/** Description of the field `waitingDecision` of a candidate. */
export const WAITING_DECISION = 'The decision about it that waits for a second person; null in an account that needs no approval.';

/** The GraphQL types of decisions. */
export const NODES = { dismissed: DismissedMatchType, confirmed: ConfirmedMatchType } as const;
for (const [outcome, prefix] of [
  ['dismissed', 'dsm_'],
  ['confirmed', 'cfm_'],
] as const) {
  defineNode({
    prefix,
    async find(id, ctx) {
      const uuid = fromPublicId(ID_KINDS[outcome], id);
      const review = uuid && (await findReview(ctx, outcome, uuid));
      return review ? new NODES[outcome](review) : null;
    },
  });
}
