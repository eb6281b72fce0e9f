import { Arg, Ctx, Field, FieldResolver, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../context.ts';
import { MODULES, type ModuleName } from '../domain/catalogue.ts';
import { invalidInput } from '../domain/errors.ts';
import type { ModuleLimit } from '../domain/plan.ts';
import { monthOf } from '../domain/time.ts';
import { isMonth, type ModuleUsage } from '../domain/usage.ts';
import { Access } from './access.ts';
import { ModuleEnum } from './enums.ts';
import { cacheKey } from './relay.ts';
import { DateTimeScalar, DecimalScalar } from './scalars.ts';

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

@ObjectType('ModuleLimit', {
  description: 'Rate limit of a module: a token bucket of `burst` requests that is refilled with `perMinute` tokens per minute.',
  simpleResolvers: true,
})
class ModuleLimitType implements ModuleLimit {
  @Field(() => ModuleEnum, { description: 'The module.' }) module!: ModuleName;
  @Field(() => Int, { description: 'Average number of requests allowed per minute.' }) perMinute!: number;
  @Field(() => Int, { description: 'Capacity of the token bucket: requests allowed at once after a pause.' }) burst!: number;
}

@ObjectType('ApiKey', { description: 'The API key of the request.' })
class ApiKeyType {
  @Field(() => ID, { description: cacheKey('keys') }) readonly id: string;
  @Field(() => String, { description: 'Its name.' }) readonly name: string;
  @Field(() => [ModuleEnum], { description: 'Its modules.' }) readonly modules: readonly ModuleName[];
  @Field(() => String, { description: 'Name of its plan, which sets limits and prices.' }) readonly plan: string;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it expires; null for never.' }) readonly expiresAt: number | null;
  @Field(() => [ModuleLimitType], { description: 'Rate limits of its modules; modules without a limit are absent.' })
  readonly limits: readonly ModuleLimit[];

  constructor({ caller: { keyId, name, modules, plan, expiresAt }, limits }: RequestContext) {
    this.id = keyId;
    this.name = name;
    this.modules = MODULES.filter((module) => modules.has(module));
    this.plan = plan;
    this.expiresAt = expiresAt;
    this.limits = limits;
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
    if (month && !isMonth(month)) throw invalidInput('month', 'Give a month as YYYY-MM.');
    return ctx.usage(month || monthOf(ctx.startedAt));
  }
}
