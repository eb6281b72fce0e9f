import { Ctx, Field, FieldResolver, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext, SourceReport } from '../context.ts';
import type { SourceName } from '../domain/catalogue.ts';
import type { Circuit } from '../sources/http/policy.ts';
import type { ListVersion } from '../sources/source.ts';
import { Access } from './access.ts';
import { defineEnum, SourceNameEnum } from './enums.ts';
import { cacheKey } from './relay.ts';
import { DateScalar, DateTimeScalar } from './scalars.ts';

const CircuitEnum = defineEnum('CircuitState', "State of a source's circuit breaker.", {
  closed: 'Calls are made.',
  open: 'The source failed too often: calls fail at once.',
  half_open: 'Half open: one test call is let through.',
});

const OriginEnum = defineEnum('SourceOrigin', 'Where a source is read from.', {
  sandbox: 'The simulator of the sandbox, with made-up companies.',
  live: "The publisher's own address.",
  given: 'An address set by the operator.',
});

@ObjectType('SourceListVersion', { description: 'The current version of a published list.', simpleResolvers: true })
class SourceListVersionType implements Omit<ListVersion, 'id'> {
  @Field(() => DateScalar, { nullable: true, description: 'Date of the version, where the publisher states one.' }) publishedOn!:
    | string
    | null;
  @Field(() => DateTimeScalar, { description: 'When the version was loaded.' }) loadedAt!: number;
  @Field(() => DateTimeScalar, { description: 'Last successful sync, whether or not the list had changed.' }) checkedAt!: number;
  @Field(() => Int, { description: 'Entries kept.' }) entries!: number;
  @Field(() => Int, {
    description:
      'Rows left out because their tax id cannot be read: a company that only they name is not found. Rows of people are not counted.',
  })
  rowsUnmatched!: number;
  @Field(() => String, { description: 'SHA-256 of the file.' }) checksum!: string;
}

@ObjectType('SourceStatus', { description: 'Health and freshness of one upstream.', simpleResolvers: true })
export class SourceStatusType implements SourceReport {
  @Field(() => SourceNameEnum, { description: 'The upstream.' }) name!: SourceName;
  kind!: SourceReport['kind'];
  @Field(() => OriginEnum, { description: 'Where it is read from.' }) origin!: SourceReport['origin'];
  @Field(() => Boolean, { description: 'False if a call would fail now: never loaded, overdue, switched off, or circuit open.' })
  usable!: boolean;
  @Field(() => DateTimeScalar, { nullable: true, description: 'Last success; null for none yet.' }) lastSuccessAt!: number | null;
  @Field(() => DateTimeScalar, { nullable: true, description: 'Last failure; null for none yet.' }) lastErrorAt!: number | null;
  @Field(() => String, { nullable: true, description: 'Class of the last failure, e.g. `timeout`, `shrunk`.' }) lastError!: string | null;
  @Field(() => CircuitEnum, { description: "State of the source's circuit breaker." }) circuit!: Circuit;
  @Field(() => SourceListVersionType, {
    nullable: true,
    description: 'For a published list: its current version; null before the first load.',
  })
  list!: ListVersion | null;
  @Field(() => String, { description: 'Publisher and licence, to be shown wherever the data is.' }) attribution!: string;
  extras!: SourceReport['extras'];
}

@Resolver(() => SourceStatusType)
export class SourcesResolver {
  @Access('any_key')
  @Query(() => [SourceStatusType], { description: 'Health and freshness of every upstream.' })
  sources(@Ctx() ctx: RequestContext): Promise<readonly SourceReport[]> {
    return ctx.sources();
  }

  @FieldResolver(() => ID, { description: cacheKey('sources') })
  id(@Root() { name }: SourceStatusType): string {
    return name;
  }
}
