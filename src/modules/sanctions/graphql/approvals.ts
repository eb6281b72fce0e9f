import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { Access } from '../../../graphql/access.ts';
import { REVIEW, reviewService } from '../service/reviews.ts';
import { ConfirmedMatchType, DismissedMatchType } from './review-types.ts';

@InputType('ApproveDismissalInput', { description: 'The waiting dismissal to approve.' })
class ApproveDismissalInput {
  @Field(() => ID, { description: '`dsm_…`.' }) id!: string;
}

@InputType('ApproveConfirmationInput', { description: 'The waiting confirmation to approve.' })
class ApproveConfirmationInput {
  @Field(() => ID, { description: '`cfm_…`.' }) id!: string;
}

@ObjectType('ApproveDismissalPayload', { description: 'An approved dismissal.', simpleResolvers: true })
class ApproveDismissalPayload {
  @Field(() => DismissedMatchType, { description: 'The dismissal, which is in force.' }) dismissedMatch!: DismissedMatchType;
}

@ObjectType('ApproveConfirmationPayload', { description: 'An approved confirmation.', simpleResolvers: true })
class ApproveConfirmationPayload {
  @Field(() => ConfirmedMatchType, { description: 'The confirmation, which is in force.' }) confirmedMatch!: ConfirmedMatchType;
}

const NULL_BESIDE =
  'Module sanctions. Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED, SECOND_PERSON_NEEDED for a decision of this key or of another key of its name, PLAN_LIMIT_REACHED, RATE_LIMITED after 120 in a minute';

@Resolver()
export class ApprovalsResolver {
  @Access('sanctions', 'decide')
  @Mutation(() => ApproveDismissalPayload, {
    nullable: true,
    description: `Approves a dismissal of another person of the account, which takes effect. To reject it, use reopenMatch. ${NULL_BESIDE}, or DISMISSAL_NOT_FOUND.`,
  })
  async approveDismissal(
    @Arg('input', () => ApproveDismissalInput, { description: 'Id of the dismissal.' }) { id }: ApproveDismissalInput,
    @Ctx() ctx: RequestContext,
  ): Promise<ApproveDismissalPayload> {
    await ctx.limitAction(REVIEW);
    return { dismissedMatch: new DismissedMatchType(await ctx.open(reviewService).approve(ctx.caller, 'dismissed', id)) };
  }

  @Access('sanctions', 'decide')
  @Mutation(() => ApproveConfirmationPayload, {
    nullable: true,
    description: `Approves a confirmation of another person of the account, which takes effect. To reject it, use unconfirmMatch. ${NULL_BESIDE}, or CONFIRMATION_NOT_FOUND.`,
  })
  async approveConfirmation(
    @Arg('input', () => ApproveConfirmationInput, { description: 'Id of the confirmation.' }) { id }: ApproveConfirmationInput,
    @Ctx() ctx: RequestContext,
  ): Promise<ApproveConfirmationPayload> {
    await ctx.limitAction(REVIEW);
    return { confirmedMatch: new ConfirmedMatchType(await ctx.open(reviewService).approve(ctx.caller, 'confirmed', id)) };
  }
}
