import { stringify } from 'csv-stringify/sync';
import { Arg, Args, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Page } from '../../../db/paging.ts';
import type { Country } from '../../../domain/company.ts';
import { AppError } from '../../../domain/errors.ts';
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
import { defineNode, NodeType } from '../../../graphql/relay.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import { type Dismissal, MAX_REASON } from '../domain/dismissal.ts';
import { SANCTIONS_LISTS, type SanctionsList } from '../domain.ts';
import { readScreenedName, sanctionsCandidatesLoader } from '../loaders/candidates.ts';
import { dismissalLoader, dismissalsLoader, screenCompany } from '../loaders/dismissals.ts';
import { dismissalService, REVIEW } from '../service/dismissals.ts';

@ObjectType('DismissedMatch', {
  implements: NodeType,
  description: 'A candidate that a person of the account judged to be another party. It is hidden until the record of the list changes.',
  simpleResolvers: true,
})
export class DismissedMatchType extends NodeType {
  @Field(() => ID, { description: '`dsm_…`.' }) override readonly id: string;
  @Field(() => CompanyType, { description: 'The company that it was a candidate of.' }) readonly company: CompanyType;
  @Field(() => SourceNameEnum, { description: `${SANCTIONS_LISTS.join(' or ')}.` }) readonly list: SanctionsList;
  @Field(() => String, { description: "The list's own id of the party: OFAC uid, UN DATAID." }) readonly entityId: string;
  @Field(() => String, { description: 'Main name of the party when it was dismissed, as listed.' }) readonly entryName: string;
  @Field(() => String, { description: 'The given reason.' }) readonly reason: string;
  @Field(() => ID, { description: 'Id of the API key that dismissed it.' }) readonly dismissedBy: string;
  @Field(() => DateTimeScalar, { description: 'When it was dismissed last.' }) readonly dismissedAt: number;
  @Field(() => String, {
    description:
      'SHA-256 of the record of the list at the time of the dismissal. When the record changes, the candidate is returned again.',
  })
  readonly recordDigest: string;
  /** The row in the database. */
  readonly dismissal: Dismissal;

  constructor(dismissal: Dismissal) {
    super();
    this.id = toPublicId('dismissal', dismissal.id);
    this.company = new CompanyType(dismissal.company);
    this.list = dismissal.list;
    this.entityId = dismissal.entityId;
    this.entryName = dismissal.entryName;
    this.reason = dismissal.reason;
    this.dismissedBy = dismissal.keyId;
    this.dismissedAt = dismissal.dismissedAt;
    this.recordDigest = dismissal.recordDigest;
    this.dismissal = dismissal;
  }
}

defineNode({
  prefix: 'dsm_',
  async find(id, ctx) {
    const uuid = fromPublicId('dismissal', id);
    const dismissal = uuid && (await ctx.read(dismissalLoader, { accountId: ctx.caller.accountId, id: uuid }));
    return dismissal ? new DismissedMatchType(dismissal) : null;
  },
});

@ObjectType('DismissedMatchConnection', { description: 'Dismissed candidates of the account, newest first.', simpleResolvers: true })
class DismissedMatchConnectionType extends connectionOf('DismissedMatch', DismissedMatchType, 'dismissed candidates') {
  @Field(() => String, {
    description: 'This page as CSV (RFC 4180). The first page has a header row, so the texts of all pages in a row are one file.',
  })
  csv!: string;
}

@InputType('DismissMatchInput', { description: 'A candidate that is not the company.' })
class DismissMatchInput {
  @Field(() => String, { description: 'Tax id of the company, with or without punctuation.' }) identifier!: string;
  @Field(() => CountryEnum, { nullable: true, description: 'Detected from the form of the tax id when omitted.' }) country?: Country | null;
  @Field(() => String, { nullable: true, description: 'The `name` argument with which the candidate was found, if one was given.' })
  name?: string | null;
  @Field(() => SourceNameEnum, { description: '`list` of the candidate.' }) list!: string;
  @Field(() => String, { description: '`entityId` of the candidate.' }) entityId!: string;
  @Field(() => String, { description: `Why it is another party: 1 to ${MAX_REASON} characters.` }) reason!: string;
}

@InputType('ReopenMatchInput', { description: 'The dismissal to delete.' })
class ReopenMatchInput {
  @Field(() => ID, { description: '`dsm_…`.' }) id!: string;
}

/** Creates a payload type of a dismissal. */
function dismissalPayload(name: string, description: string, member: string) {
  @ObjectType(name, { description, simpleResolvers: true })
  class DismissalPayloadType {
    @Field(() => DismissedMatchType, { description: member }) dismissedMatch!: DismissedMatchType;
  }
  return DismissalPayloadType;
}
const DismissMatchPayload = dismissalPayload('DismissMatchPayload', 'A dismissed candidate.', 'The dismissal.');
const ReopenMatchPayload = dismissalPayload('ReopenMatchPayload', 'A reopened candidate.', 'The dismissal, which is deleted.');

interface DismissalPayload {
  readonly dismissedMatch: DismissedMatchType;
}

const NULL_BESIDE = 'Null beside an error: MODULE_NOT_ENABLED';

@Resolver()
export class DismissalsResolver {
  @Access('sanctions')
  @Query(() => DismissedMatchConnectionType, {
    nullable: true,
    description: `The candidates that the account has dismissed, newest first. Module sanctions. ${NULL_BESIDE} or INVALID_INPUT.`,
  })
  async dismissedMatches(@Args(() => PageArgs) page: PageArgs, @Ctx() ctx: RequestContext): Promise<DismissedMatchConnectionType> {
    const request = pageRequestOf(page, (cursor) => parseTimeCursor('dismissal', cursor));
    return toConnection(await ctx.read(dismissalsLoader, { accountId: ctx.caller.accountId, ...request }), page.after);
  }

  @Access('sanctions')
  @Mutation(() => DismissMatchPayload, {
    nullable: true,
    description: `Dismisses a candidate of a company: it is hidden from all keys of the account until the record of the list changes. Dismissing it again replaces the reason. Module sanctions. ${NULL_BESIDE}, INVALID_INPUT, MATCH_NOT_FOUND, PLAN_LIMIT_REACHED after 10,000, RATE_LIMITED after 120 in a minute, or SOURCE_UNAVAILABLE.`,
  })
  async dismissMatch(
    @Arg('input', () => DismissMatchInput, { description: 'Company, candidate and reason.' }) input: DismissMatchInput,
    @Ctx() ctx: RequestContext,
  ): Promise<DismissalPayload> {
    const company = parseCompany(input.identifier, input.country ?? null);
    const request = { company, name: readScreenedName(input.name) };
    await ctx.limitAction(REVIEW);
    const candidates = await screenCompany(sanctionsCandidatesLoader, request, ctx, { includeDismissed: true });
    const candidate = candidates?.find(({ list, entityId }) => list === input.list && entityId === input.entityId);
    if (!candidate)
      throw new AppError(
        'MATCH_NOT_FOUND',
        'The company has no such candidate now; give its list, its entityId and the name that you searched with.',
      );
    const dismissal = await ctx.open(dismissalService).dismiss(ctx.caller, company, candidate, input.reason);
    return { dismissedMatch: new DismissedMatchType(dismissal) };
  }

  @Access('sanctions')
  @Mutation(() => ReopenMatchPayload, {
    nullable: true,
    description: `Deletes a dismissal: the candidate is returned again. Module sanctions. ${NULL_BESIDE}, DISMISSAL_NOT_FOUND or RATE_LIMITED after 120 in a minute.`,
  })
  async reopenMatch(
    @Arg('input', () => ReopenMatchInput, { description: 'Id of the dismissal.' }) { id }: ReopenMatchInput,
    @Ctx() ctx: RequestContext,
  ): Promise<DismissalPayload> {
    await ctx.limitAction(REVIEW);
    return { dismissedMatch: new DismissedMatchType(await ctx.open(dismissalService).reopen(ctx.caller, id)) };
  }
}

function toConnection(
  { items, hasMore }: Page<Dismissal>,
  after: string | null,
): Connection<DismissedMatchType> & { readonly csv: string } {
  const nodeOf = (dismissal: Dismissal) => new DismissedMatchType(dismissal);
  const cursorOf = ({ dismissedAt, id }: Dismissal) => toTimeCursor('dismissal', { createdAt: dismissedAt, id });
  const connection = connect(items, { hasMore, after, nodeOf, cursorOf });
  return Object.assign(connection, { csv: csvOf(items.map(nodeOf), { header: !after }) });
}

const CSV_COLUMNS = [
  'id',
  'country',
  'identifier',
  'list',
  'entity_id',
  'entry_name',
  'reason',
  'dismissed_by',
  'dismissed_at',
  'record_digest',
];

/** CSV of dismissals. Text that a spreadsheet would read as a formula is prefixed. */
const csvOf = (dismissals: readonly DismissedMatchType[], { header }: { readonly header: boolean }): string =>
  stringify(
    dismissals.map((one) => ({
      id: one.id,
      country: one.company.country,
      identifier: one.company.formattedIdentifier,
      list: one.list,
      entity_id: one.entityId,
      entry_name: one.entryName,
      reason: one.reason,
      dismissed_by: one.dismissedBy,
      dismissed_at: isoWithOffset(one.dismissedAt),
      record_digest: one.recordDigest,
    })),
    { header, columns: CSV_COLUMNS, record_delimiter: '\r\n', quote_record_delimiter: true, escape_formulas: true },
  );
