import { Arg, Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../context.ts';
import type { SourceName } from '../domain/catalogue.ts';
import { addDurations, quantileOf } from '../domain/durations.ts';
import { invalidInput } from '../domain/errors.ts';
import { DAY_MS, HOUR_MS } from '../domain/time.ts';
import { fieldMessages } from '../messages/fields.ts';
import type { SourceHour } from '../sources/call-hours/store.ts';
import { Access } from './access.ts';
import { SourceNameEnum } from './enums.ts';
import { Cost } from './limits/cost.ts';
import { DateTimeScalar } from './scalars.ts';

const MAX_DAYS = 30;
const MAX_HOURS = 24;

@ObjectType('SourcePoint', {
  description: 'The calls of a source in a span of time, by all processes of the service. For a published list a call is a sync.',
  simpleResolvers: true,
})
class SourcePointType {
  @Field(() => DateTimeScalar, { description: 'Beginning of the span.' }) from!: number;
  @Field(() => Int, { description: 'Number of calls; at least 1.' }) calls!: number;
  @Field(() => Int, { description: 'Number of them that failed. Calls that an open circuit breaker refused are not sent and not counted.' })
  failed!: number;
  @Field(() => Int, { nullable: true, description: 'Median of the time to the answer in ms, an estimate; null if no call was answered.' })
  medianMs!: number | null;
  @Field(() => Int, {
    nullable: true,
    description: 'Time in ms within which 95 % of the answers arrived, an estimate; null if no call was answered.',
  })
  slowMs!: number | null;
}

@Resolver()
export class SourceHistoryResolver {
  @Access('any_key')
  @Cost(5)
  @Query(() => [SourcePointType], {
    description: 'Calls, failures and latency of a source over time, oldest first. A span without a call has no entry. Kept for 30 days.',
  })
  async sourceHistory(
    @Arg('source', () => SourceNameEnum, { description: 'The source.' }) source: SourceName,
    @Arg('days', () => Int, { defaultValue: 7, description: `Number of days until now, 1 to ${MAX_DAYS}.` }) days: number,
    @Arg('hours', () => Int, { defaultValue: 6, description: `Hours of a span, 1 to ${MAX_HOURS}. Spans begin at multiples of it in UTC.` })
    hours: number,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly SourcePointType[]> {
    if (days < 1 || days > MAX_DAYS) throw invalidInput('days', fieldMessages.oneTo({ max: MAX_DAYS }));
    if (hours < 1 || hours > MAX_HOURS) throw invalidInput('hours', fieldMessages.oneTo({ max: MAX_HOURS }));
    const spanMs = hours * HOUR_MS;
    const from = Math.ceil((ctx.now() - days * DAY_MS) / spanMs) * spanMs;
    return pointsOf(await ctx.sourceHours(source, from), spanMs);
  }
}

/** Adds up hours by span. */
function pointsOf(hours: readonly SourceHour[], spanMs: number): readonly SourcePointType[] {
  const spans = Map.groupBy(hours, ({ hour }) => hour - (hour % spanMs));
  return [...spans].map(([from, those]) => {
    const durations = addDurations(those.map((one) => one.durations));
    const sum = (count: (hour: SourceHour) => number): number => those.reduce((all, hour) => all + count(hour), 0);
    return {
      from,
      calls: sum(({ calls }) => calls),
      failed: sum(({ failed }) => failed),
      medianMs: quantileOf(durations, 0.5),
      slowMs: quantileOf(durations, 0.95),
    };
  });
}
