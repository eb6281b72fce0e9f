import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { AppError, type ErrorCode, invalidInput } from '../../../domain/errors.ts';
import { Access } from '../../../graphql/access.ts';
import { parseCompany } from '../../../graphql/company.ts';
import { Cost } from '../../../graphql/limits/cost.ts';
import type { Language } from '../../../messages/message.ts';
import { reviewMessages } from '../../../messages/reviews.ts';
import { MAX_DECIDED_AT_ONCE, MAX_REASON, type Outcome, type Review } from '../domain/review.ts';
import { type JudgedCandidate, REVIEW, reviewService } from '../service/reviews.ts';
import { ConfirmedMatchType } from './review-types.ts';
import { CandidateInput, findCandidate } from './reviews.ts';

/** Price of a mutation that decides about several candidates, in points. */
export const BULK_COST = 100;

@InputType('CandidateToConfirm', { description: 'A candidate of a company.' })
class CandidateToConfirmInput extends CandidateInput {}

@InputType('ConfirmMatchesInput', { description: 'Candidates that are the companies.' })
class ConfirmMatchesInput {
  @Field(() => [CandidateToConfirmInput], { description: `1 to ${MAX_DECIDED_AT_ONCE} candidates, of one company or of several.` })
  matches!: readonly CandidateToConfirmInput[];
  @Field(() => String, { description: `Reason for which each is the company: 1 to ${MAX_REASON} characters.` }) reason!: string;
}

@ObjectType('DecisionError', { description: 'The reason for which a candidate was not decided about.', simpleResolvers: true })
export class DecisionErrorType {
  @Field(() => String, { description: 'Code, as in `extensions.code` of an error.' }) code!: ErrorCode;
  @Field(() => String, { description: 'A sentence that says what to do.' }) message!: string;
  @Field(() => String, { nullable: true, description: 'The field of the candidate that is wrong; null for other errors.' })
  field!: string | null;
}

@ObjectType('ConfirmMatchResult', { description: 'The result of one candidate: a confirmation or an error.', simpleResolvers: true })
class ConfirmMatchResultType {
  @Field(() => ConfirmedMatchType, { nullable: true, description: 'The confirmation; null beside an error.' })
  confirmedMatch!: ConfirmedMatchType | null;
  @Field(() => DecisionErrorType, { nullable: true, description: 'The error; null for a confirmed candidate.' })
  error!: DecisionErrorType | null;
}

@ObjectType('ConfirmMatchesPayload', { description: 'The results of several candidates.', simpleResolvers: true })
class ConfirmMatchesPayload {
  @Field(() => [ConfirmMatchResultType], { description: 'One result per candidate, in the order of `matches`.' })
  results!: readonly ConfirmMatchResultType[];
}

export const ONE_TRANSACTION = `The candidates that are found are decided about in one transaction: all of them are stored, or none. One that is not found, or is given wrongly, has an \`error\` and does not stop the others. One that is given several times has one decision, which each of its results returns. Module sanctions. Each candidate counts towards the 120 in a minute. Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED, INVALID_INPUT, PLAN_LIMIT_REACHED after 10,000, or RATE_LIMITED.`;

@Resolver()
export class BulkReviewsResolver {
  @Access('sanctions', 'decide')
  @Cost(BULK_COST)
  @Mutation(() => ConfirmMatchesPayload, {
    nullable: true,
    description: `Confirms that several candidates are the companies, for one reason. ${ONE_TRANSACTION}`,
  })
  async confirmMatches(
    @Arg('input', () => ConfirmMatchesInput, { description: 'Candidates and reason.' }) { matches, reason }: ConfirmMatchesInput,
    @Ctx() ctx: RequestContext,
  ): Promise<ConfirmMatchesPayload> {
    const find = async (match: CandidateToConfirmInput) => findCandidate(parseCompany(match.identifier, match.country ?? null), match, ctx);
    const results = await decideEach('confirmed', { matches, reason, find }, ctx);
    return { results: results.map(({ review, error }) => ({ confirmedMatch: review && new ConfirmedMatchType(review), error })) };
  }
}

/** Candidates to decide about for one reason. */
interface Bulk<I> {
  readonly matches: readonly I[];
  readonly reason: string;
  /** Loads a candidate. */
  readonly find: (match: I) => Promise<JudgedCandidate>;
}

/** The result of one candidate: one of both is null. */
interface Decided {
  readonly review: Review | null;
  readonly error: DecisionErrorType | null;
}

/** Decides about the candidates that are found. @returns one result per candidate, in their order */
export async function decideEach<I>(
  outcome: Outcome,
  { matches, reason, find }: Bulk<I>,
  ctx: RequestContext,
): Promise<readonly Decided[]> {
  const reviews = ctx.open(reviewService);
  if (matches.length === 0 || matches.length > MAX_DECIDED_AT_ONCE)
    throw invalidInput('matches', reviewMessages.countOfMatches({ max: MAX_DECIDED_AT_ONCE }));
  await ctx.limitAction(REVIEW, matches.length);
  const found = await Promise.all(matches.map((match) => find(match).catch((error: unknown) => errorOfOne(error, ctx.language))));
  const decided = await reviews.decideAll(ctx.caller, outcome, found.filter(isCandidate), reason);
  let next = 0;
  return found.map((one) => (isCandidate(one) ? { review: decided[next++] ?? null, error: null } : { review: null, error: one }));
}

const isCandidate = (one: JudgedCandidate | DecisionErrorType): one is JudgedCandidate => 'recordDigest' in one;

/** Codes of errors that concern one candidate. */
const OF_ONE: ReadonlySet<string> = new Set<ErrorCode>([
  'INVALID_INPUT',
  'UNSUPPORTED_COUNTRY',
  'MATCH_NOT_FOUND',
  'MODULE_NOT_ENABLED',
  'SOURCE_UNAVAILABLE',
]);

/** Converts an error that concerns one candidate. Any other error ends the mutation. */
function errorOfOne(error: unknown, language: Language): DecisionErrorType {
  if (!(error instanceof AppError && OF_ONE.has(error.code))) throw error;
  return { code: error.code, message: error.messageIn(language), field: error.facts.field ?? null };
}
