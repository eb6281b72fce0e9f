import { stringify } from 'csv-stringify/sync';
import { Arg, Args, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Page } from '../../../db/paging.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import { Access } from '../../../graphql/access.ts';
import { CompanyType } from '../../../graphql/company.ts';
import {
  type Connection,
  connect,
  connectionOf,
  PageArgs,
  pageRequestOf,
  parseTimeCursor,
  toTimeCursor,
} from '../../../graphql/connection.ts';
import { SourceNameEnum } from '../../../graphql/enums.ts';
import { defineNode, NodeType } from '../../../graphql/relay.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import type { Dismissal } from '../domain/dismissal.ts';
import { dismissalLoader, dismissalsLoader } from '../loaders/dismissals.ts';
import { dismissalService, REVIEW } from '../service/dismissals.ts';

@ObjectType('DismissedMatch', {
  implements: NodeType,
  description: 'A candidate that a person of the account judged to be another party. It is hidden until the record of the list changes.',
  simpleResolvers: true,
})
export class DismissedMatchType extends NodeType {
  @Field(() => ID, { description: '`dsm_…`.' }) override readonly id: string;
  @Field(() => CompanyType, {
    description: 'The company that it was a candidate of, or the company of the owner that it was a candidate of.',
  })
  readonly company: CompanyType;
  @Field(() => ID, { nullable: true, description: '`id` of the owner that it was a candidate of; null for a candidate of the company.' })
  readonly ownerId: string | null;
  @Field(() => SourceNameEnum, { description: 'The list of the party.' }) readonly list: SourceName;
  @Field(() => String, { description: "The list's own id of the party or record: OFAC uid, UN DATAID." }) readonly entityId: string;
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
    this.ownerId = dismissal.ownerId;
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
export const DismissMatchPayload = dismissalPayload('DismissMatchPayload', 'A dismissed candidate.', 'The dismissal.');
const ReopenMatchPayload = dismissalPayload('ReopenMatchPayload', 'A reopened candidate.', 'The dismissal, which is deleted.');

export interface DismissalPayload {
  readonly dismissedMatch: DismissedMatchType;
}

export const NULL_BESIDE = 'Null beside an error: MODULE_NOT_ENABLED';

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
  'owner_id',
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
      owner_id: one.ownerId ?? '',
    })),
    { header, columns: CSV_COLUMNS, record_delimiter: '\r\n', quote_record_delimiter: true, escape_formulas: true },
  );
