import { Arg, Ctx, Field, FieldResolver, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import type { CallerPerson, RequestContext } from '../context.ts';
import { MODULES, type ModuleName, type SourceName } from '../domain/catalogue.ts';
import { invalidInput } from '../domain/errors.ts';
import type { ModuleLimit, Refusals } from '../domain/plan.ts';
import { ROLES, type Role } from '../domain/roles.ts';
import { DAY_MS, isoDate, monthOf } from '../domain/time.ts';
import { isMonth, type ModuleUsage, type UsageDay } from '../domain/usage.ts';
import { fieldMessages } from '../messages/fields.ts';
import type { SourceReport } from '../sources/build.ts';
import type { Circuit, RecentCalls } from '../sources/http/policy.ts';
import type { ListReport } from '../sources/source.ts';
import { Access } from './access.ts';
import { defineEnum, ModuleEnum, SourceNameEnum } from './enums.ts';
import { Cost } from './limits/cost.ts';
import { cacheKey } from './relay.ts';
import { DateScalar, DateTimeScalar, DecimalScalar } from './scalars.ts';

@ObjectType('ModuleUsage', { description: 'One module in one month.', simpleResolvers: true })
class ModuleUsageType implements ModuleUsage {
  @Field(() => ModuleEnum, { description: 'The module.' }) module!: ModuleName;
  @Field(() => Int, { nullable: true, description: 'Answers that the plan includes; null for no limit.' }) included!: number | null;
  @Field(() => Int, { description: 'Answers counted.' }) used!: number;
  @Field(() => Int, { description: 'Answers above the included number; they are not refused.' }) overage!: number;
  @Field(() => DecimalScalar, { nullable: true, description: 'Price of each overage answer, such as 0.30; null for no price.' })
  overagePrice!: string | null;
  @Field(() => DecimalScalar, { description: 'Price of all overage answers, such as 450.00.' }) amount!: string;
  @Field(() => String, { description: 'ISO 4217 code of the amounts.' }) currency!: 'USD';
}

@ObjectType('UsageDay', { description: 'Counted answers of one module on a day.', simpleResolvers: true })
class UsageDayType implements UsageDay {
  @Field(() => DateScalar, { description: 'Day on which the requests began, in UTC.' }) day!: string;
  @Field(() => ModuleEnum, { description: 'The module.' }) module!: ModuleName;
  @Field(() => Int, { description: 'Answers counted; at least 1.' }) used!: number;
}

/** Maximum number of days of a query. */
const MAX_USAGE_DAYS = 92;

@ObjectType('ModuleLimit', {
  description: 'Rate limit of a module: a token bucket of `burst` requests that is refilled with `perMinute` tokens per minute.',
  simpleResolvers: true,
})
class ModuleLimitType implements ModuleLimit {
  @Field(() => ModuleEnum, { description: 'The module.' }) module!: ModuleName;
  @Field(() => Int, { description: 'Average number of requests allowed per minute.' }) perMinute!: number;
  @Field(() => Int, { description: 'Capacity of the token bucket: requests allowed at once after a pause.' }) burst!: number;
}

@ObjectType('RateLimitRefusals', {
  description:
    'Number of refusals of the key by rate limits: of modules, of GraphQL points, and of actions with a rate of their own. The process that answers counts its own refusals.',
  simpleResolvers: true,
})
class RefusalsType implements Refusals {
  @Field(() => Int, { description: 'Number of refusals.' }) count!: number;
  @Field(() => DateTimeScalar, { description: 'Since when they are counted: the start of the process, or later.' }) since!: number;
}

@ObjectType('Person', { description: 'A person who signed in by OpenID Connect.', simpleResolvers: true })
class PersonType implements Pick<CallerPerson, 'name' | 'email'> {
  @Field(() => String, { description: 'Name, which decisions, notes and receipts carry.' }) name!: string;
  @Field(() => String, { nullable: true, description: 'E-mail address; null if the issuer states none.' }) email!: string | null;
}

const KeyRoleEnum = defineEnum<Role>('KeyRole', 'Role of an API key. Each role includes those before it.', ROLES);

@ObjectType('ApiKey', { description: 'The API key of the request.' })
class ApiKeyType {
  @Field(() => ID, { description: cacheKey('keys') }) readonly id: string;
  @Field(() => String, { description: 'Its name.' }) readonly name: string;
  @Field(() => [ModuleEnum], { description: 'Its modules.' }) readonly modules: readonly ModuleName[];
  @Field(() => KeyRoleEnum, {
    description: 'Its role, which states the changes that it may make; of a person the lower one of hers and that of the key.',
  })
  readonly role: Role;
  @Field(() => PersonType, { nullable: true, description: 'The person who acts through the key; null for a request with the key itself.' })
  readonly person: CallerPerson | null;
  @Field(() => Boolean, {
    description: 'True if decisions of its account about candidates take effect when a second person approves them.',
  })
  readonly needsApproval: boolean;
  @Field(() => String, { description: 'Name of its plan, which sets limits and prices.' }) readonly plan: string;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it expires; null for never.' }) readonly expiresAt: number | null;
  @Field(() => [ModuleLimitType], { description: 'Rate limits of its modules; modules without a limit are absent.' })
  readonly limits: readonly ModuleLimit[];
  @Field(() => RefusalsType, { description: 'Refusals by rate limits.' }) readonly refusals: Refusals;

  constructor({ caller: { keyId, name, person, modules, role, needsApproval, plan, expiresAt }, limits, refusals }: RequestContext) {
    this.id = keyId;
    this.name = person?.keyName ?? name;
    this.person = person ?? null;
    this.modules = MODULES.filter((module) => modules.has(module));
    this.role = role;
    this.needsApproval = needsApproval;
    this.plan = plan;
    this.expiresAt = expiresAt;
    this.limits = limits;
    this.refusals = refusals();
  }
}

@Resolver(() => ApiKeyType)
export class ApiKeyResolver {
  @Access('any_key')
  @Query(() => ApiKeyType, { description: 'The API key of the request: modules, limits, usage.' })
  apiKey(@Ctx() ctx: RequestContext): ApiKeyType {
    return new ApiKeyType(ctx);
  }

  @FieldResolver(() => [ModuleUsageType], { description: 'Usage of the key in a month, and the price of the overage.' })
  usage(
    @Arg('month', () => String, { nullable: true, description: 'YYYY-MM, in UTC; the current month when omitted.' }) month: string | null,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly ModuleUsage[]> {
    if (month && !isMonth(month)) throw invalidInput('month', fieldMessages.month());
    return ctx.usage(month || monthOf(ctx.startedAt));
  }

  @Cost(5)
  @FieldResolver(() => [UsageDayType], {
    description: 'Usage of the key by day and module, oldest first. A day without usage has no entry.',
  })
  usageByDay(
    @Arg('days', () => Int, { defaultValue: 31, description: `Number of days until today, in UTC, 1 to ${MAX_USAGE_DAYS}.` }) days: number,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly UsageDay[]> {
    if (days < 1 || days > MAX_USAGE_DAYS) throw invalidInput('days', fieldMessages.oneTo({ max: MAX_USAGE_DAYS }));
    return ctx.usageByDay(isoDate(ctx.now() - (days - 1) * DAY_MS));
  }
}

const CircuitEnum = defineEnum('CircuitState', "State of a source's circuit breaker.", {
  closed: 'Calls are made.',
  open: 'The source failed too often: calls fail at once.',
  half_open: 'Half open: one test call is let through.',
});

const OriginEnum = defineEnum('SourceOrigin', 'Origin from which a source is read.', {
  sandbox: 'The simulator of the sandbox, with made-up companies.',
  live: "The publisher's own address.",
  given: 'An address set by the operator.',
});

@ObjectType('SourceListVersion', { description: 'The current version of a published list.', simpleResolvers: true })
class SourceListVersionType implements Omit<ListReport, 'id'> {
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Date of the version, where the publisher states one. For the copy of the Brazilian registry: the date of its extract.',
  })
  publishedOn!: string | null;
  @Field(() => DateTimeScalar, { description: 'When the version was loaded.' }) loadedAt!: number;
  @Field(() => DateTimeScalar, { description: 'Last successful sync, whether or not the list had changed.' }) checkedAt!: number;
  @Field(() => DateTimeScalar, {
    description: 'When the next sync is due, one interval after the last successful one. After this time the version is late.',
  })
  syncDueAt!: number;
  @Field(() => DateTimeScalar, {
    description: 'Until when the version is used. Without a successful sync before this time, the list is then a failed source.',
  })
  goodUntil!: number;
  @Field(() => Int, { description: 'Entries kept. For the copy of the Brazilian registry: establishments.' }) entries!: number;
  @Field(() => Int, {
    description:
      'Rows whose tax id cannot be read, so that no lookup by id finds a company that only they name. Rows of people are not counted.',
  })
  rowsUnmatched!: number;
  @Field(() => String, { description: 'SHA-256 of the file.' }) checksum!: string;
}

@ObjectType('SourceCalls', {
  description: 'The last calls of a source, at most 100, by the process that answers.',
  simpleResolvers: true,
})
class SourceCallsType implements RecentCalls {
  @Field(() => Int, { description: 'Number of calls, at most 100.' }) calls!: number;
  @Field(() => Int, { description: 'Number of them that failed.' }) failed!: number;
  @Field(() => Int, { nullable: true, description: 'Median of the time to the answer, in milliseconds; null if no call was answered.' })
  latencyMs!: number | null;
}

@ObjectType('SourceStatus', { description: 'Health and freshness of one upstream.', simpleResolvers: true })
export class SourceStatusType implements SourceReport {
  @Field(() => SourceNameEnum, { description: 'The upstream.' }) name!: SourceName;
  kind!: SourceReport['kind'];
  @Field(() => OriginEnum, { description: 'Origin from which it is read.' }) origin!: SourceReport['origin'];
  @Field(() => Boolean, { description: 'False if a call would fail now: never loaded, overdue, switched off, or circuit open.' })
  usable!: boolean;
  @Field(() => DateTimeScalar, { nullable: true, description: 'Last success; null for none yet.' }) lastSuccessAt!: number | null;
  @Field(() => DateTimeScalar, { nullable: true, description: 'Last failure; null for none yet.' }) lastErrorAt!: number | null;
  @Field(() => String, { nullable: true, description: 'Class of the last failure, e.g. `timeout`, `shrunk`.' }) lastError!: string | null;
  @Field(() => CircuitEnum, { description: "State of the source's circuit breaker." }) circuit!: Circuit;
  @Field(() => SourceCallsType, { nullable: true, description: 'Outcome of its last calls; null before the first call, and for lists.' })
  recentCalls?: RecentCalls | null;
  @Field(() => SourceListVersionType, {
    nullable: true,
    description: 'For a published list and for a copy of a registry: its current version; null before the first load.',
  })
  list!: ListReport | null;
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
