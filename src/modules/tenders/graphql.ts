import { Args, ArgsType, Ctx, Field, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import type { Answer } from '../../domain/answer.ts';
import type { CompanyKey, Country } from '../../domain/company.ts';
import { AppError, invalidInput } from '../../domain/errors.ts';
import { parseCursor, requireFirst, toCursor } from '../../domain/paging.ts';
import { isIsoDate, isoDate, withOffset } from '../../domain/time.ts';
import { Access, Served } from '../../graphql/access.ts';
import { CompanyType } from '../../graphql/company.ts';
import { connect, PageArgs } from '../../graphql/connection.ts';
import { CountryEnum } from '../../graphql/enums.ts';
import { Cost } from '../../graphql/limits/cost.ts';
import { DateScalar } from '../../graphql/scalars.ts';
import { coverageIn } from '../../messages/coverage.ts';
import { fieldMessages } from '../../messages/fields.ts';
import { Message } from '../../messages/message.ts';
import { operationMessages } from '../../messages/operations.ts';
import {
  type AwardedContract,
  clampToToday,
  MARKETPLACES,
  type Marketplace,
  marketplaceDay,
  type NoticeCursor,
  paginateNotices,
  type RecordCursor,
  type SupplierRecords,
  type TenderNotice,
  type TenderOrder,
} from './domain.ts';
import {
  AwardedContractConnectionType,
  type AwardedContractType,
  TenderConnectionType,
  type TenderNoticeType,
  TenderOrderConnectionType,
  type TenderOrderType,
} from './graphql/types.ts';
import { AWARD_COUNTRIES, awardedContractsLoader, tenderOrdersLoader, tenderSearchLoader } from './loader.ts';

const MAX_KEYWORD = 200;

@ArgsType()
class SearchArgs extends PageArgs {
  @Field(() => CountryEnum, { description: 'Country of the marketplace to search.' }) country!: Country;
  @Field(() => String, {
    nullable: true,
    description:
      'Every word must occur in the title or the description; accents and case are ignored. All calls for tenders of the period when omitted.',
  })
  keyword!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'First day, in the time zone of the marketplace; the newest days when omitted.' })
  dateFrom!: Date | null;
  @Field(() => DateScalar, { nullable: true, description: 'Last day, inclusive; today when omitted.' }) dateTo!: Date | null;
}

@Resolver(() => CompanyType)
export class TendersResolver {
  @Access('tenders')
  @FieldResolver(() => TenderOrderConnectionType, {
    nullable: true,
    description:
      'Public purchase orders and contracts of the company as a supplier, newest first. Module tenders, BR, CL and CO. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT or SOURCE_UNAVAILABLE.',
  })
  async tenders(
    @Root() company: CompanyType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<TenderOrderConnectionType> {
    const request = { first: requireFirst(page.first), after: parseRecordCursor('order', page.after) };
    const { value, freshness } = await ctx.ask(tenderOrdersLoader, { key: company, ...request });
    return records('order', page, { value: { ...value, coverage: coverageIn(value, ctx.language) }, freshness }, (order) => order, toOrder);
  }

  @Served(AWARD_COUNTRIES)
  @Access('tenders')
  @FieldResolver(() => AwardedContractConnectionType, {
    nullable: true,
    description:
      'Tenders that the company won, newest first. Module tenders, CL. Null for other countries, and beside an error: MODULE_NOT_ENABLED, INVALID_INPUT or SOURCE_UNAVAILABLE.',
  })
  async awardedContracts(
    @Root() company: CompanyType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<AwardedContractConnectionType> {
    const request = { first: requireFirst(page.first), after: parseRecordCursor('award', page.after) };
    const { value, freshness } = await ctx.ask(awardedContractsLoader, { key: company, ...request });
    return records(
      'award',
      page,
      { value: { ...value, coverage: coverageIn(value, ctx.language) }, freshness },
      ({ awardedAt, code }) => ({ date: awardedAt, code }),
      (award, source) => toAward(award, source, company),
    );
  }

  @Cost(5)
  @Access('tenders')
  @Query(() => TenderConnectionType, {
    nullable: true,
    description:
      'Calls for tenders by words and dates, newest first. Module tenders. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, SOURCE_UNAVAILABLE or SOURCE_NOT_CONFIGURED.',
  })
  async searchTenders(
    @Args(() => SearchArgs) { country, keyword, dateFrom, dateTo, ...page }: SearchArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<TenderConnectionType> {
    const first = requireFirst(page.first);
    const after = parseNoticeCursor(page.after);
    const requested = { country, keyword: keywordOf(keyword), from: dayOf(dateFrom), to: dayOf(dateTo) };
    const search = clampToToday(requested, marketplaceDay(country, ctx.now()), { from: 'dateFrom', to: 'dateTo' });
    const { value, freshness } = await Promise.resolve(ctx.ask(tenderSearchLoader, search)).catch(renamed);
    const { items, position, hasMore } = paginateNotices(value.notices, first, after);
    const { source, from, to } = value;
    const coverage = coverageIn(value, ctx.language);
    const connection = connect(items, {
      hasMore,
      after: page.after,
      nodeOf: (notice) => toNotice(notice, country),
      cursorOf: ({ code }, i) => toCursor('notice', [code, String(position + i)]),
    });
    return Object.assign(connection, { totalCount: value.notices.length, source, coverage, dateFrom: from, dateTo: to, freshness });
  }
}

type Kind = 'order' | 'award';

const encodeCursor = (kind: Kind, { date, code }: RecordCursor): string => toCursor(kind, [date, code]);

/** A day or a local datetime, the formats of dates in cursors and of marketplaces. */
const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)?$/;
const isMoment = (text: string): boolean => isIsoDate(MOMENT.exec(text)?.[1] ?? '');

/** @throws AppError INVALID_INPUT */
function parseRecordCursor(kind: Kind, cursor: string | null | undefined): RecordCursor | null {
  if (!cursor) return null;
  const [date = null, code] = parseCursor(kind, 2, cursor);
  if ((date !== null && !isMoment(date)) || !code) throw invalidInput('after', operationMessages.notACursor());
  return { date, code };
}

/** @throws AppError INVALID_INPUT */
function parseNoticeCursor(cursor: string | null | undefined): NoticeCursor | null {
  if (!cursor) return null;
  const [code, position] = parseCursor('notice', 2, cursor);
  if (!code || !/^\d{1,9}$/.test(position ?? '')) throw invalidInput('after', operationMessages.notACursor());
  return { code, position: Number(position) };
}

function records<T, N>(
  kind: Kind,
  { after }: PageArgs,
  { value, freshness }: Answer<SupplierRecords<T>>,
  toRecordCursor: (record: T) => RecordCursor,
  toNode: (record: T, source: Marketplace) => N,
) {
  const { page, source, coverage } = value;
  const connection = connect(page.items, {
    hasMore: page.hasMore,
    after,
    nodeOf: (record) => toNode(record, source),
    cursorOf: (record) => encodeCursor(kind, toRecordCursor(record)),
  });
  return Object.assign(connection, { totalCount: page.total, source, coverage, freshness });
}

const toOrder = (order: TenderOrder, source: Marketplace): TenderOrderType => ({
  ...order,
  id: `${source}:${order.code}`,
  url: absoluteUrl(order.url),
});

/** Converts an award. A contract is a company's part of a tender, so several companies have one with the same code. */
const toAward = (award: AwardedContract, source: Marketplace, { taxId }: CompanyKey): AwardedContractType => ({
  ...award,
  id: `${source}:${award.code}:${taxId}`,
  awardedAt: withOffset(award.awardedAt, 'CL'),
});

const toNotice = (notice: TenderNotice, country: Country): TenderNoticeType => ({
  ...notice,
  id: `${MARKETPLACES[country]}:${notice.code}`,
  closesAt: momentOf(notice.closesAt, country),
  publishedAt: momentOf(notice.publishedAt, country),
  url: absoluteUrl(notice.url),
});

/** Converts a local time; null if the marketplace prints a text that is not a time. */
const momentOf = (local: string | null, country: Country): string | null => (local && isMoment(local) ? withOffset(local, country) : null);

/** Returns the URL; null if the marketplace prints a text that is not an absolute URL. */
const absoluteUrl = (url: string | null): string | null => (url && URL.canParse(url) ? url : null);

function keywordOf(text: string | null | undefined): string | null {
  const keyword = text?.trim() || null;
  if (keyword && keyword.length > MAX_KEYWORD) throw invalidInput('keyword', fieldMessages.characters({ max: MAX_KEYWORD }));
  return keyword;
}

/** Formats a day; the scalar parses it as midnight UTC. */
const dayOf = (day: Date | null | undefined): string | null => (day ? isoDate(day.getTime()) : null);

const NAMES: Readonly<Record<string, string>> = { date_from: 'dateFrom', date_to: 'dateTo' };

/** Renames fields in an error: marketplaces use the names of the REST API. */
function renamed(error: unknown): never {
  if (error instanceof AppError && error.code === 'INVALID_INPUT') {
    const name = NAMES[error.facts.field ?? ''];
    const { text } = error;
    if (name) throw invalidInput(name, text instanceof Message ? text.mapTexts((value) => NAMES[value] ?? value) : text);
  }
  throw error;
}
