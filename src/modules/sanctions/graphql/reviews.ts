import { stringify } from 'csv-stringify/sync';
import { Arg, Args, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import type { Country } from '../../../domain/company.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import { Access } from '../../../graphql/access.ts';
import { CompanyType, parseCompany } from '../../../graphql/company.ts';
import {
  type Connection,
  connect,
  connectionOf,
  PageArgs,
  pageRequestOf,
  parseTimeCursor,
  toTimeCursor,
} from '../../../graphql/connection.ts';
import { CountryEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { Cost } from '../../../graphql/limits/cost.ts';
import { defineNode, NodeType } from '../../../graphql/relay.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import { reviewMessages } from '../../../messages/reviews.ts';
import { MAX_REASON, type Outcome, type Review } from '../domain/review.ts';
import { listsOfDecision, readScreenedName, sanctionsCandidatesLoader } from '../loaders/candidates.ts';
import { requireCandidate, reviewLoaders, reviewPageLoaders, screenCompany } from '../loaders/reviews.ts';
import { ID_KINDS, REVIEW, reviewService } from '../service/reviews.ts';

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

const NODES = { dismissed: DismissedMatchType, confirmed: ConfirmedMatchType } as const;
for (const [outcome, prefix] of [
  ['dismissed', 'dsm_'],
  ['confirmed', 'cfm_'],
] as const) {
  defineNode({
    prefix,
    async find(id, ctx) {
      const uuid = fromPublicId(ID_KINDS[outcome], id);
      const review = uuid && (await ctx.read(reviewLoaders[outcome], { accountId: ctx.caller.accountId, id: uuid }));
      return review ? new NODES[outcome](review) : null;
    },
  });
}

const CSV_FIELD = {
  description: 'This page as CSV (RFC 4180). The first page has a header row, so the texts of all pages in a row are one file.',
};

@ObjectType('DismissedMatchConnection', { description: 'Dismissed candidates of the account, newest first.', simpleResolvers: true })
class DismissedMatchConnectionType extends connectionOf('DismissedMatch', DismissedMatchType, 'dismissed candidates') {
  @Cost(10)
  @Field(() => String, CSV_FIELD)
  csv!: string;
}

@ObjectType('ConfirmedMatchConnection', { description: 'Confirmed candidates of the account, newest first.', simpleResolvers: true })
class ConfirmedMatchConnectionType extends connectionOf('ConfirmedMatch', ConfirmedMatchType, 'confirmed candidates') {
  @Cost(10)
  @Field(() => String, CSV_FIELD)
  csv!: string;
}

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

export const NO_SUCH_CANDIDATE = reviewMessages.noCandidate();

export const NULL_BESIDE = 'Null beside an error: MODULE_NOT_ENABLED';
export const NULL_BESIDE_DECISION = `${NULL_BESIDE}, INVALID_INPUT, MATCH_NOT_FOUND, PLAN_LIMIT_REACHED after 10,000, RATE_LIMITED after 120 in a minute, or SOURCE_UNAVAILABLE.`;

@Resolver()
export class ReviewsResolver {
  @Access('sanctions')
  @Query(() => DismissedMatchConnectionType, {
    nullable: true,
    description: `The candidates that the account has dismissed, newest first. Module sanctions. ${NULL_BESIDE} or INVALID_INPUT.`,
  })
  dismissedMatches(@Args(() => PageArgs) page: PageArgs, @Ctx() ctx: RequestContext): Promise<DismissedMatchConnectionType> {
    return readPage('dismissed', page, ctx);
  }

  @Access('sanctions')
  @Query(() => ConfirmedMatchConnectionType, {
    nullable: true,
    description: `The candidates that the account has confirmed, newest first. Module sanctions. ${NULL_BESIDE} or INVALID_INPUT.`,
  })
  confirmedMatches(@Args(() => PageArgs) page: PageArgs, @Ctx() ctx: RequestContext): Promise<ConfirmedMatchConnectionType> {
    return readPage('confirmed', page, ctx);
  }

  @Access('sanctions')
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
    const request = { company, name: readScreenedName(input.name), lists: listsOfDecision(input.list as SourceName) };
    const candidates = await screenCompany(sanctionsCandidatesLoader, request, ctx, { includeDismissed: true });
    const candidate = requireCandidate(candidates, input, NO_SUCH_CANDIDATE);
    const review = await ctx.open(reviewService).decide(ctx.caller, 'confirmed', { ...candidate, company, ownerId: null }, input.reason);
    return { confirmedMatch: new ConfirmedMatchType(review) };
  }

  @Access('sanctions')
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

  @Access('sanctions')
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

async function readPage<O extends Outcome>(
  outcome: O,
  page: PageArgs,
  ctx: RequestContext,
): Promise<Connection<InstanceType<(typeof NODES)[O]>> & { readonly csv: string }> {
  const kind = ID_KINDS[outcome];
  const request = pageRequestOf(page, (cursor) => parseTimeCursor(kind, cursor));
  const { items, hasMore } = await ctx.read(reviewPageLoaders[outcome], { accountId: ctx.caller.accountId, ...request });
  const nodeOf = (review: Review) => new NODES[outcome](review) as InstanceType<(typeof NODES)[O]>;
  const cursorOf = ({ decidedAt, id }: Review) => toTimeCursor(kind, { createdAt: decidedAt, id });
  const connection = connect(items, { hasMore, after: page.after, nodeOf, cursorOf });
  return Object.assign(connection, { csv: csvOf(outcome, items, { header: !page.after }) });
}

/** Writes decisions as CSV. A text that a spreadsheet would read as a formula is prefixed. */
function csvOf(outcome: Outcome, reviews: readonly Review[], { header }: { readonly header: boolean }): string {
  const columns = [
    'id',
    'country',
    'identifier',
    'list',
    'entity_id',
    'entry_name',
    'reason',
    `${outcome}_by`,
    `${outcome}_at`,
    'record_digest',
    ...(outcome === 'dismissed' ? ['owner_id'] : []), // only candidates of companies are confirmed
  ];
  const ownerOf = ({ ownerId }: Review) => (outcome === 'dismissed' ? [ownerId ?? ''] : []);
  const rows = reviews.map((one) => {
    const { country, formattedIdentifier } = new CompanyType(one.company);
    const who = [one.keyId, isoWithOffset(one.decidedAt)];
    const party = [one.list, one.entityId, one.entryName, one.reason];
    return [toPublicId(ID_KINDS[outcome], one.id), country, formattedIdentifier, ...party, ...who, one.recordDigest, ...ownerOf(one)];
  });
  return stringify(rows, { header, columns, record_delimiter: '\r\n', quote_record_delimiter: true, escape_formulas: true });
}
