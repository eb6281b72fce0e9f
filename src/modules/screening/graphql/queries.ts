import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Completeness, RiskLevel } from '../../../domain/compliance.ts';
import { parseNumberCursor, parseTimeCursor, toNumberCursor, toTimeCursor } from '../../../domain/paging.ts';
import type { EventFeed } from '../../../event-feed.ts';
import { Access } from '../../../graphql/access.ts';
import { connect, PageArgs, pageRequestOf } from '../../../graphql/connection.ts';
import { defineNode, ownedBy } from '../../../graphql/relay.ts';
import { translated } from '../../../messages/message.ts';
import type { Attempt } from '../../../webhooks/domain/delivery.ts';
import { DeliveryAttemptType } from '../../../webhooks/graphql.ts';
import { CompletenessEnum, RiskLevelEnum } from '../../compliance/graphql.ts';
import type { ResultGroup, Screening, ScreeningResult } from '../domain/screening.ts';
import {
  attemptsLoader,
  rejectedLoader,
  resultGroupsLoader,
  resultsLoader,
  screeningDeliveriesLoader,
  screeningLoader,
  screeningsLoader,
} from '../loader.ts';
import { screeningService } from '../service/screening.ts';
import {
  RejectedRowConnectionType,
  ResultGroupType,
  ScreeningConnectionType,
  ScreeningDeliveryType,
  ScreeningResultConnectionType,
  ScreeningResultType,
  ScreeningType,
} from './types.ts';

@ArgsType()
class ResultsArgs extends PageArgs {
  @Field(() => RiskLevelEnum, { nullable: true, description: 'Only results with this risk level; all when omitted.' })
  riskLevel!: RiskLevel | null;
  @Field(() => CompletenessEnum, { nullable: true, description: 'Only results with this completeness; all when omitted.' })
  completeness!: Completeness | null;
  @Field(() => Boolean, {
    nullable: true,
    description: 'Only companies with an answer, or, when false, those without any; all when omitted.',
  })
  answered!: boolean | null;
}

async function findScreening(id: string, ctx: RequestContext): Promise<ScreeningType | null> {
  const owned = ownedBy(ctx, 'screening', id);
  const screening = owned && (await ctx.read(screeningLoader, owned));
  return screening && new ScreeningType(screening);
}
defineNode({ prefix: 'scr_', find: findScreening });

@Resolver(() => ScreeningType)
export class ScreeningResolver {
  @Access('screening')
  @Query(() => ScreeningType, { nullable: true, description: 'A screening of the key; null if the key has none with this id.' })
  screening(@Arg('id', () => ID, { description: '`scr_…`.' }) id: string, @Ctx() ctx: RequestContext): Promise<ScreeningType | null> {
    return findScreening(id, ctx);
  }

  @Access('screening')
  @Query(() => ScreeningConnectionType, {
    nullable: true,
    description: "The key's screenings, newest first. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.",
  })
  async screenings(@Args(() => PageArgs) page: PageArgs, @Ctx() ctx: RequestContext): Promise<ScreeningConnectionType> {
    const query = { keyId: ctx.caller.keyId, ...pageRequestOf(page, (cursor) => parseTimeCursor('screening', cursor)) };
    const { items, hasMore } = await ctx.read(screeningsLoader, query);
    const nodeOf = (screening: Screening) => new ScreeningType(screening);
    return connect(items, { hasMore, after: page.after, nodeOf, cursorOf: (screening) => toTimeCursor('screening', screening) });
  }

  @Access('screening')
  @Subscription(() => ScreeningType, {
    description:
      'A screening of the key: its state now, and again when its counts have changed, at most once a second. Ends after it is done or cancelled.',
    subscribe: ({ args, context }) => subscribeToProgress(args, context),
  })
  screeningProgress(@Root() screening: Screening, @Arg('id', () => ID, { description: '`scr_…`.' }) _id: string): ScreeningType {
    return new ScreeningType(screening);
  }

  @FieldResolver(() => ScreeningResultConnectionType, {
    description: 'Results in the order of the portfolio, without the companies that are not checked yet.',
  })
  async results(
    @Root() { screening: { keyId, id } }: ScreeningType,
    @Args(() => ResultsArgs) page: ResultsArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<ScreeningResultConnectionType> {
    const { riskLevel = null, completeness = null, answered = null } = page;
    const filter = { riskLevel, completeness, answered };
    const query = { keyId, id, ...filter, ...pageRequestOf(page, (cursor) => parseNumberCursor('result', cursor)) };
    const { items, hasMore } = await ctx.read(resultsLoader, query);
    const nodeOf = (result: ScreeningResult) => new ScreeningResultType(result, ctx.language);
    return connect(items, { hasMore, after: page.after, nodeOf, cursorOf: ({ row }) => toNumberCursor('result', row) });
  }

  @FieldResolver(() => [ResultGroupType], {
    description: 'Number of results so far by level, completeness and outcome.',
  })
  resultGroups(@Root() { screening: { keyId, id } }: ScreeningType, @Ctx() ctx: RequestContext): Promise<readonly ResultGroup[]> {
    return ctx.read(resultGroupsLoader, { keyId, id });
  }

  @FieldResolver(() => [ScreeningDeliveryType], {
    description: 'The delivery of its webhook in the last 30 days; empty before it is done, and without a webhook.',
  })
  async deliveries(
    @Root() { screening: { keyId, id } }: ScreeningType,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly ScreeningDeliveryType[]> {
    const deliveries = await ctx.read(screeningDeliveriesLoader, { keyId, id });
    return deliveries.map((delivery) => new ScreeningDeliveryType(delivery));
  }

  @FieldResolver(() => RejectedRowConnectionType, { description: 'Rows that are not checked, each with its reason.' })
  async rejectedRows(
    @Root() { screening: { keyId, id } }: ScreeningType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<RejectedRowConnectionType> {
    const query = { keyId, id, ...pageRequestOf(page, (cursor) => parseNumberCursor('rejected', cursor)) };
    const { items, hasMore } = await ctx.read(rejectedLoader, query);
    return connect(items, {
      hasMore,
      after: page.after,
      nodeOf: (rejected) => ({ ...rejected, reason: translated(rejected.reason, ctx.language) }),
      cursorOf: ({ row }) => toNumberCursor('rejected', row),
    });
  }
}

@Resolver(() => ScreeningDeliveryType)
export class ScreeningDeliveryResolver {
  @FieldResolver(() => [DeliveryAttemptType], { description: 'Every request that was made, in order.' })
  attempts(@Root() { delivery: { keyId, id } }: ScreeningDeliveryType, @Ctx() ctx: RequestContext): Promise<readonly Attempt[]> {
    return ctx.read(attemptsLoader, { keyId, id });
  }
}

/** @throws AppError SCREENING_NOT_FOUND */
async function subscribeToProgress({ id }: { id: string }, ctx: RequestContext): Promise<EventFeed<Screening>> {
  const { screenings, progress } = ctx.open(screeningService);
  return progress.subscribe(await screenings.find(ctx.caller, id));
}
