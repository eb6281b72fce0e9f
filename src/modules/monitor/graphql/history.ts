import { Arg, Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { DAY_MS, isoDate } from '../../../domain/time.ts';
import { Access } from '../../../graphql/access.ts';
import { Cost } from '../../../graphql/limits/cost.ts';
import { DateScalar } from '../../../graphql/scalars.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import { CompletenessEnum, RiskLevelEnum } from '../../compliance/graphql.ts';
import type { ChangedField } from '../domain/change.ts';
import { type ChangeDay, type DaysQuery, type LevelGroup, MAX_DAYS, type PortfolioDay } from '../domain/history.ts';
import { changeDaysLoader, portfolioDaysLoader } from '../loader.ts';
import { ChangeFieldEnum } from './types.ts';

const DAYS = `Number of days until today, in UTC, 1 to ${MAX_DAYS}.`;

@ObjectType('ChangeDay', { description: 'Number of changes of a field on a day.', simpleResolvers: true })
class ChangeDayType implements ChangeDay {
  @Field(() => DateScalar, { description: 'Day of detection, in UTC.' }) day!: string;
  @Field(() => ChangeFieldEnum, { description: 'The field.' }) field!: ChangedField;
  @Field(() => Int, { description: 'Number of changes of this field. A change that several monitors of the key report counts once.' })
  changes!: number;
}

@ObjectType('PortfolioLevel', { description: 'Watched companies with the same level and completeness.', simpleResolvers: true })
class PortfolioLevelType implements LevelGroup {
  @Field(() => RiskLevelEnum, {
    nullable: true,
    description: 'Risk level; null for companies without a verdict: no source answered, or the key has no module for their country.',
  })
  riskLevel!: LevelGroup['riskLevel'];
  @Field(() => CompletenessEnum, { nullable: true, description: 'Completeness of the verdicts; null for companies without a verdict.' })
  completeness!: LevelGroup['completeness'];
  @Field(() => Int, { description: 'Number of companies.' }) companies!: number;
}

@ObjectType('PortfolioDay', {
  description: "The companies of the key's active monitors by risk level, as they were found on a day.",
  simpleResolvers: true,
})
class PortfolioDayType implements PortfolioDay {
  @Field(() => DateScalar, { description: 'The day, in UTC.' }) day!: string;
  @Field(() => [PortfolioLevelType], { description: 'Numbers of companies by level and completeness; none of them is 0.' })
  groups!: readonly PortfolioLevelType[];
  @Field(() => Boolean, { description: 'True for a day before the start of a sandbox, which the sandbox made up.' }) isMadeUp!: boolean;
}

/** @throws AppError INVALID_INPUT */
function daysQuery({ caller, now }: RequestContext, days: number): DaysQuery {
  if (days < 1 || days > MAX_DAYS) throw invalidInput('days', fieldMessages.oneTo({ max: MAX_DAYS }));
  return { keyId: caller.keyId, from: isoDate(now() - (days - 1) * DAY_MS) };
}

@Resolver()
export class HistoryResolver {
  @Access('monitor')
  @Cost(5)
  @Query(() => [ChangeDayType], {
    nullable: true,
    description:
      "Numbers of changes of the key's monitors by day and field, oldest first, for up to 400 days. A day without changes has no entry. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.",
  })
  changeHistory(
    @Arg('days', () => Int, { defaultValue: 84, description: DAYS }) days: number,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly ChangeDay[]> {
    return ctx.read(changeDaysLoader, daysQuery(ctx, days));
  }

  @Access('monitor')
  @Cost(5)
  @Query(() => [PortfolioDayType], {
    nullable: true,
    description:
      "The companies of the key's active monitors by risk level of the consolidated check, a snapshot a day, oldest first, for up to 400 days. A day without a snapshot has no entry. Counts nothing. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.",
  })
  portfolioHistory(
    @Arg('days', () => Int, { defaultValue: 84, description: DAYS }) days: number,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly PortfolioDay[]> {
    return ctx.read(portfolioDaysLoader, daysQuery(ctx, days));
  }
}
