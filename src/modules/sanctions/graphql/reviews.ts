import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey, Country } from '../../../domain/company.ts';
import { Access } from '../../../graphql/access.ts';
import { parseCompany } from '../../../graphql/company.ts';
import { CountryEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { reviewMessages } from '../../../messages/reviews.ts';
import { MAX_REASON } from '../domain/review.ts';
import { listsOfDecision, readScreenedName, sanctionsCandidatesLoader } from '../loaders/candidates.ts';
import { requireCandidate, screenCompany } from '../loaders/reviews.ts';
import { type JudgedCandidate, REVIEW, reviewService } from '../service/reviews.ts';
import { ConfirmedMatchType, DismissedMatchType } from './review-types.ts';

/** The fields that name a candidate of a company. */
@InputType()
export abstract class CandidateInput {
  @Field(() => String, { description: 'Tax id of the company, with or without punctuation.' }) identifier!: string;
  @Field(() => CountryEnum, { nullable: true, description: 'Detected from the form of the tax id when omitted.' }) country?: Country | null;
  @Field(() => String, {
    nullable: true,
    description: 'The `name` argument with which the candidate of the company was found, if one was given.',
  })
  name?: string | null;
  @Field(() => SourceNameEnum, { description: '`list` of the candidate.' }) list!: string;
  @Field(() => String, { description: '`entityId` of the candidate.' }) entityId!: string;
}

@InputType('ConfirmMatchInput', { description: 'A candidate that is the company.' })
class ConfirmMatchInput extends CandidateInput {
  @Field(() => String, { description: `Reason for which it is the company: 1 to ${MAX_REASON} characters.` }) reason!: string;
}

@InputType('ReopenMatchInput', { description: 'The dismissal to delete.' })
class ReopenMatchInput {
  @Field(() => ID, { description: '`dsm_…`.' }) id!: string;
}

@InputType('UnconfirmMatchInput', { description: 'The confirmation to delete.' })
class UnconfirmMatchInput {
  @Field(() => ID, { description: '`cfm_…`.' }) id!: string;
}

@ObjectType('DismissMatchPayload', { description: 'A dismissed candidate.', simpleResolvers: true })
export class DismissMatchPayload {
  @Field(() => DismissedMatchType, { description: 'The dismissal.' }) dismissedMatch!: DismissedMatchType;
}

@ObjectType('ReopenMatchPayload', { description: 'A reopened candidate.', simpleResolvers: true })
class ReopenMatchPayload {
  @Field(() => DismissedMatchType, { description: 'The dismissal, which is deleted.' }) dismissedMatch!: DismissedMatchType;
}

@ObjectType('ConfirmMatchPayload', { description: 'A confirmed candidate.', simpleResolvers: true })
class ConfirmMatchPayload {
  @Field(() => ConfirmedMatchType, { description: 'The confirmation.' }) confirmedMatch!: ConfirmedMatchType;
}

@ObjectType('UnconfirmMatchPayload', { description: 'A reopened candidate.', simpleResolvers: true })
class UnconfirmMatchPayload {
  @Field(() => ConfirmedMatchType, { description: 'The confirmation, which is deleted.' }) confirmedMatch!: ConfirmedMatchType;
}

const NO_SUCH_CANDIDATE = reviewMessages.noCandidate();

/** Loads the candidate of a company that an input names. @throws AppError INVALID_INPUT, MATCH_NOT_FOUND, SOURCE_UNAVAILABLE */
export async function findCandidate(company: CompanyKey, input: CandidateInput, ctx: RequestContext): Promise<JudgedCandidate> {
  const request = { company, name: readScreenedName(input.name), lists: listsOfDecision(input.list as SourceName) };
  const candidates = await screenCompany(sanctionsCandidatesLoader, request, ctx, { includeDismissed: true });
  return { ...requireCandidate(candidates, input, NO_SUCH_CANDIDATE), company, ownerId: null };
}

const NULL_BESIDE = 'Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED';
export const NULL_BESIDE_DECISION = `${NULL_BESIDE}, INVALID_INPUT, MATCH_NOT_FOUND, PLAN_LIMIT_REACHED after 10,000, RATE_LIMITED after 120 in a minute, or SOURCE_UNAVAILABLE.`;

@Resolver()
export class ReviewsResolver {
  @Access('sanctions', 'decide')
  @Mutation(() => ConfirmMatchPayload, {
    nullable: true,
    description: `Confirms that a candidate is the company: it is shown with its \`confirmation\` to all keys of the account until the record of the list changes. Confirming it again replaces the reason; a dismissal of it is deleted. It changes neither isSanctioned nor matches nor a risk level. Module sanctions. ${NULL_BESIDE_DECISION}`,
  })
  async confirmMatch(
    @Arg('input', () => ConfirmMatchInput, { description: 'Company, candidate and reason.' }) input: ConfirmMatchInput,
    @Ctx() ctx: RequestContext,
  ): Promise<ConfirmMatchPayload> {
    const company = parseCompany(input.identifier, input.country ?? null);
    await ctx.limitAction(REVIEW);
    const review = await ctx.open(reviewService).decide(ctx.caller, 'confirmed', await findCandidate(company, input, ctx), input.reason);
    return { confirmedMatch: new ConfirmedMatchType(review) };
  }

  @Access('sanctions', 'decide')
  @Mutation(() => ReopenMatchPayload, {
    nullable: true,
    description: `Deletes a dismissal: the candidate is returned again. Module sanctions. ${NULL_BESIDE}, DISMISSAL_NOT_FOUND or RATE_LIMITED after 120 in a minute.`,
  })
  async reopenMatch(
    @Arg('input', () => ReopenMatchInput, { description: 'Id of the dismissal.' }) { id }: ReopenMatchInput,
    @Ctx() ctx: RequestContext,
  ): Promise<ReopenMatchPayload> {
    await ctx.limitAction(REVIEW);
    return { dismissedMatch: new DismissedMatchType(await ctx.open(reviewService).withdraw(ctx.caller, 'dismissed', id)) };
  }

  @Access('sanctions', 'decide')
  @Mutation(() => UnconfirmMatchPayload, {
    nullable: true,
    description: `Deletes a confirmation: the candidate is open again. Module sanctions. ${NULL_BESIDE}, CONFIRMATION_NOT_FOUND or RATE_LIMITED after 120 in a minute.`,
  })
  async unconfirmMatch(
    @Arg('input', () => UnconfirmMatchInput, { description: 'Id of the confirmation.' }) { id }: UnconfirmMatchInput,
    @Ctx() ctx: RequestContext,
  ): Promise<UnconfirmMatchPayload> {
    await ctx.limitAction(REVIEW);
    return { confirmedMatch: new ConfirmedMatchType(await ctx.open(reviewService).withdraw(ctx.caller, 'confirmed', id)) };
  }
}
