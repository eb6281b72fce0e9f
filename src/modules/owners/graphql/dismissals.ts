import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { COMPLIANCE_MODULE_OF } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { Access } from '../../../graphql/access.ts';
import { parseCompany } from '../../../graphql/company.ts';
import { Cost } from '../../../graphql/limits/cost.ts';
import { reviewMessages } from '../../../messages/reviews.ts';
import { MAX_DECIDED_AT_ONCE, MAX_REASON } from '../../sanctions/domain/review.ts';
import { BULK_COST, DecisionErrorType, decideEach, ONE_TRANSACTION } from '../../sanctions/graphql/bulk-reviews.ts';
import { DismissedMatchType } from '../../sanctions/graphql/review-types.ts';
import { CandidateInput, DismissMatchPayload, findCandidate, NULL_BESIDE_DECISION } from '../../sanctions/graphql/reviews.ts';
import { requireCandidate } from '../../sanctions/loaders/reviews.ts';
import { type JudgedCandidate, REVIEW, reviewService } from '../../sanctions/service/reviews.ts';
import { ownerIdOf } from '../loader.ts';
import { knownOwnersLoaders } from '../loaders/officers.ts';
import { isScreened, screenOwner } from '../loaders/screened-owners.ts';
import { complianceOwnerScreenings, ownerScreening } from '../loaders/screening.ts';

@InputType('CandidateToDismiss', { description: 'A candidate of a company, or of an owner of it.' })
class CandidateToDismissInput extends CandidateInput {
  @Field(() => ID, { nullable: true, description: '`id` of the owner, for a candidate of `Owner.screening`. Not together with `name`.' })
  ownerId?: string | null;
}

@InputType('DismissMatchInput', { description: 'A candidate that is not the company, or not the owner.' })
class DismissMatchInput extends CandidateToDismissInput {
  @Field(() => String, { description: `Reason for which it is another party: 1 to ${MAX_REASON} characters.` }) reason!: string;
}

@InputType('DismissMatchesInput', { description: 'Candidates that are not the companies, or not the owners.' })
class DismissMatchesInput {
  @Field(() => [CandidateToDismissInput], { description: `1 to ${MAX_DECIDED_AT_ONCE} candidates, of one company or of several.` })
  matches!: readonly CandidateToDismissInput[];
  @Field(() => String, { description: `Reason for which each is another party: 1 to ${MAX_REASON} characters.` }) reason!: string;
}

@ObjectType('DismissMatchResult', { description: 'The result of one candidate: a dismissal or an error.', simpleResolvers: true })
class DismissMatchResultType {
  @Field(() => DismissedMatchType, { nullable: true, description: 'The dismissal; null beside an error.' })
  dismissedMatch!: DismissedMatchType | null;
  @Field(() => DecisionErrorType, { nullable: true, description: 'The error; null for a dismissed candidate.' })
  error!: DecisionErrorType | null;
}

@ObjectType('DismissMatchesPayload', { description: 'The results of several candidates.', simpleResolvers: true })
class DismissMatchesPayload {
  @Field(() => [DismissMatchResultType], { description: 'One result per candidate, in the order of `matches`.' })
  results!: readonly DismissMatchResultType[];
}

/** The mutations are here because owners import the module of sanctions, which does not import owners. */
@Resolver()
export class DismissMatchResolver {
  @Access('sanctions', 'decide')
  @Mutation(() => DismissMatchPayload, {
    nullable: true,
    description: `Dismisses a candidate of a company, or of an owner of it: it is hidden from all keys of the account until the record of the list changes. Dismissing it again replaces the reason; a confirmation of it is deleted. Module sanctions; for an owner also owners or the module of the consolidated check of the country. ${NULL_BESIDE_DECISION}`,
  })
  async dismissMatch(
    @Arg('input', () => DismissMatchInput, { description: 'Company, candidate and reason.' }) input: DismissMatchInput,
    @Ctx() ctx: RequestContext,
  ): Promise<DismissMatchPayload> {
    const find = finderOf(input, ctx);
    await ctx.limitAction(REVIEW);
    const dismissal = await ctx.open(reviewService).decide(ctx.caller, 'dismissed', await find(), input.reason);
    return { dismissedMatch: new DismissedMatchType(dismissal) };
  }

  @Access('sanctions', 'decide')
  @Cost(BULK_COST)
  @Mutation(() => DismissMatchesPayload, {
    nullable: true,
    description: `Dismisses several candidates of companies or of their owners, for one reason. ${ONE_TRANSACTION}`,
  })
  async dismissMatches(
    @Arg('input', () => DismissMatchesInput, { description: 'Candidates and reason.' }) { matches, reason }: DismissMatchesInput,
    @Ctx() ctx: RequestContext,
  ): Promise<DismissMatchesPayload> {
    const find = async (match: CandidateToDismissInput) => finderOf(match, ctx)();
    const results = await decideEach('dismissed', { matches, reason, find }, ctx);
    return { results: results.map(({ review, error }) => ({ dismissedMatch: review && new DismissedMatchType(review), error })) };
  }
}

/** Reads the input, and returns the function that loads its candidate. @throws AppError INVALID_INPUT, UNSUPPORTED_COUNTRY */
function finderOf(input: CandidateToDismissInput, ctx: RequestContext): () => Promise<JudgedCandidate> {
  const company = parseCompany(input.identifier, input.country ?? null);
  const ownerId = input.ownerId ?? null;
  if (ownerId === null) return () => findCandidate(company, input, ctx);
  if (input.name != null) throw invalidInput('name', reviewMessages.ownerByName());
  return async () => {
    const candidate = requireCandidate(await candidatesOfOwner(company, ownerId, ctx), input, NO_SUCH_CANDIDATE_OF_OWNER);
    return { ...candidate, company, ownerId };
  };
}

/**
 * Loads the candidates of an owner; null for an owner that the company does not have.
 * @throws AppError MODULE_NOT_ENABLED, UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
async function candidatesOfOwner(
  company: CompanyKey,
  ownerId: string,
  ctx: RequestContext,
): Promise<readonly Omit<JudgedCandidate, 'company' | 'ownerId'>[] | null> {
  const module = COMPLIANCE_MODULE_OF[company.country];
  const screenedBy = ctx.caller.modules.has(module) ? complianceOwnerScreenings[module] : ownerScreening;
  const { value } = await ctx.ask(knownOwnersLoaders[screenedBy.module], company);
  const owner = value?.owners.find((one) => ownerIdOf(company.taxId, one) === ownerId);
  if (!owner || !isScreened(owner)) return null;
  return (await screenOwner({ ...owner, id: ownerId, ofCompany: company, screenedBy }, ctx, { includeDismissed: true })).candidates;
}

const NO_SUCH_CANDIDATE_OF_OWNER = reviewMessages.noCandidateOfOwner();
