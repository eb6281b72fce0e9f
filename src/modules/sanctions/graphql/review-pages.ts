import { Arg, Args, Ctx, Field, FieldResolver, InputType, ObjectType, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import type { Country } from '../../../domain/company.ts';
import type { CsvDelimiter } from '../../../domain/csv.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { parseTimeCursor, toTimeCursor } from '../../../domain/paging.ts';
import { storable } from '../../../domain/text.ts';
import { Access } from '../../../graphql/access.ts';
import { type Connection, connect, connectionOf, PageArgs, pageRequestOf } from '../../../graphql/connection.ts';
import { CountryEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { Cost } from '../../../graphql/limits/cost.ts';
import type { Language } from '../../../messages/message.ts';
import { reviewMessages } from '../../../messages/reviews.ts';
import { MAX_FILTER_TEXT, type Outcome, type Review, type ReviewFilter } from '../domain/review.ts';
import { reviewPageLoaders, waitingPageLoaders } from '../loaders/reviews.ts';
import { ID_KINDS } from '../service/reviews.ts';
import { CsvDelimiterEnum, CsvLanguageEnum, csvOf } from './review-csv.ts';
import { ConfirmedMatchType, DismissedMatchType, NODES } from './review-types.ts';

@InputType('DecisionFilter', { description: 'Selects decisions about candidates. A field that is omitted or null selects all.' })
class DecisionFilterInput {
  @Field(() => [SourceNameEnum], { nullable: true, description: 'The lists of the parties.' }) lists?: readonly SourceName[] | null;
  @Field(() => CountryEnum, { nullable: true, description: 'The country of the companies.' }) country?: Country | null;
  @Field(() => Boolean, { nullable: true, description: 'True: those that wait for approval, instead of those in force.' })
  isWaiting?: boolean | null;
  @Field(() => String, {
    nullable: true,
    description: `Part of the tax id, of the listed name, of the reason or of the name of the key, in any letter case and with or without accents; up to ${MAX_FILTER_TEXT} characters.`,
  })
  text?: string | null;
}

/** The page that the CSV of a connection has. */
interface PageOfReviews {
  readonly reviews: readonly Review[];
  readonly isFirst: boolean;
}

@ObjectType('DismissedMatchConnection', { description: 'Dismissed candidates of the account, newest first.', simpleResolvers: true })
class DismissedMatchConnectionType extends connectionOf('DismissedMatch', DismissedMatchType, 'dismissed candidates') {
  readonly page!: PageOfReviews;
}

@ObjectType('ConfirmedMatchConnection', { description: 'Confirmed candidates of the account, newest first.', simpleResolvers: true })
class ConfirmedMatchConnectionType extends connectionOf('ConfirmedMatch', ConfirmedMatchType, 'confirmed candidates') {
  readonly page!: PageOfReviews;
}

const CSV_FIELD = {
  description: 'This page as CSV (RFC 4180). The first page has a header row, so the texts of all pages in a row are one file.',
};
const LANGUAGE_ARG = {
  nullable: true,
  description:
    'Columns for people, with headers in this language; the columns of dismissals and confirmations are the same. Columns for programs when omitted.',
};
const DELIMITER_ARG = { defaultValue: 'comma', description: 'Separator of the columns.' };

@Resolver(() => DismissedMatchConnectionType)
export class DismissedMatchCsvResolver {
  @Cost(10)
  @FieldResolver(() => String, CSV_FIELD)
  csv(
    @Root() { page: { reviews, isFirst } }: DismissedMatchConnectionType,
    @Arg('language', () => CsvLanguageEnum, LANGUAGE_ARG) language: Language | null,
    @Arg('delimiter', () => CsvDelimiterEnum, DELIMITER_ARG) delimiter: CsvDelimiter,
  ): string {
    return csvOf({ outcome: 'dismissed', reviews, header: isFirst }, { language: language ?? null, delimiter });
  }
}

@Resolver(() => ConfirmedMatchConnectionType)
export class ConfirmedMatchCsvResolver {
  @Cost(10)
  @FieldResolver(() => String, CSV_FIELD)
  csv(
    @Root() { page: { reviews, isFirst } }: ConfirmedMatchConnectionType,
    @Arg('language', () => CsvLanguageEnum, LANGUAGE_ARG) language: Language | null,
    @Arg('delimiter', () => CsvDelimiterEnum, DELIMITER_ARG) delimiter: CsvDelimiter,
  ): string {
    return csvOf({ outcome: 'confirmed', reviews, header: isFirst }, { language: language ?? null, delimiter });
  }
}

const FILTER_ARG = { nullable: true, description: 'The decisions to return; all when omitted.' };

@Resolver()
export class ReviewPagesResolver {
  @Access('sanctions')
  @Query(() => DismissedMatchConnectionType, {
    nullable: true,
    description:
      'The candidates that the account has dismissed, newest first. Module sanctions. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.',
  })
  dismissedMatches(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => DecisionFilterInput, FILTER_ARG) filter: DecisionFilterInput | null,
    @Ctx() ctx: RequestContext,
  ): Promise<DismissedMatchConnectionType> {
    return readPage('dismissed', page, filter, ctx);
  }

  @Access('sanctions')
  @Query(() => ConfirmedMatchConnectionType, {
    nullable: true,
    description:
      'The candidates that the account has confirmed, newest first. Module sanctions. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.',
  })
  confirmedMatches(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => DecisionFilterInput, FILTER_ARG) filter: DecisionFilterInput | null,
    @Ctx() ctx: RequestContext,
  ): Promise<ConfirmedMatchConnectionType> {
    return readPage('confirmed', page, filter, ctx);
  }
}

async function readPage<O extends Outcome>(
  outcome: O,
  page: PageArgs,
  filter: DecisionFilterInput | null,
  ctx: RequestContext,
): Promise<Connection<InstanceType<(typeof NODES)[O]>> & { readonly page: PageOfReviews }> {
  const kind = ID_KINDS[outcome];
  const request = pageRequestOf(page, (cursor) => parseTimeCursor(kind, cursor));
  const query = { accountId: ctx.caller.accountId, ...request, ...readFilter(filter) };
  const { items, hasMore } = await ctx.read((query.isWaiting ? waitingPageLoaders : reviewPageLoaders)[outcome], query);
  const nodeOf = (review: Review) => new NODES[outcome](review) as InstanceType<(typeof NODES)[O]>;
  const cursorOf = ({ decidedAt, id }: Review) => toTimeCursor(kind, { createdAt: decidedAt, id });
  const connection = connect(items, { hasMore, after: page.after, nodeOf, cursorOf });
  return Object.assign(connection, { page: { reviews: items, isFirst: !page.after } });
}

/** @throws AppError INVALID_INPUT on `text` */
function readFilter(filter: DecisionFilterInput | null): ReviewFilter {
  const text = storable(filter?.text ?? '').trim();
  if (text.length > MAX_FILTER_TEXT) throw invalidInput('text', reviewMessages.longFilter({ max: MAX_FILTER_TEXT }));
  return { lists: filter?.lists ?? null, country: filter?.country ?? null, isWaiting: filter?.isWaiting ?? false, text: text || null };
}
