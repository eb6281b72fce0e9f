import { Arg, Ctx, Field, FieldResolver, InputType, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Country } from '../../../domain/company.ts';
import { Access, Served } from '../../../graphql/access.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { CountryEnum } from '../../../graphql/enums.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import { WATCHED_COUNTRIES } from '../domain/monitor.ts';
import { tagsLoader, watchDatesLoader } from '../loader.ts';
import { monitorService } from '../service/monitor.ts';
import { TAG } from '../service/tags.ts';
import type { WatchDates } from '../store/watch-dates.ts';

@InputType('TagCompaniesInput', { description: 'Companies, and the tags to add and to remove. The change is idempotent.' })
class TagCompaniesInput {
  @Field(() => [String], { description: '1 to 500 tax ids, with or without punctuation.' }) identifiers!: string[];
  @Field(() => CountryEnum, { description: 'Country of all tax ids.' }) country!: Country;
  @Field(() => [String], {
    nullable: true,
    description: 'Tags to add, of 1 to 40 characters each. A company has at most 20, and a monitor of the account must watch it.',
  })
  add?: string[] | null;
  @Field(() => [String], { nullable: true, description: 'Tags to remove; those that a company does not have are ignored.' })
  remove?: string[] | null;
}

@ObjectType('TagCompaniesPayload', { description: 'Companies whose tags were changed.', simpleResolvers: true })
class TagCompaniesPayloadType {
  @Field(() => [CompanyType], { description: 'The companies, in the order of `identifiers`.' }) companies!: readonly CompanyType[];
}

const NULL_BESIDE = 'Module monitor. Null beside an error: MODULE_NOT_ENABLED';

const datesOf = ({ country, taxId }: CompanyType, ctx: RequestContext): Promise<WatchDates> =>
  ctx.read(watchDatesLoader, { keyId: ctx.caller.keyId, country, taxId });

/** The fields of a company that the caller watches, and the mutation of its tags. */
@Resolver(() => CompanyType)
export class WatchedCompanyResolver {
  @Served(WATCHED_COUNTRIES)
  @Access('monitor')
  @FieldResolver(() => DateTimeScalar, {
    nullable: true,
    description: `When the first of the key's active monitors began to watch it; null if none watches it, or if one did before the service recorded this. ${NULL_BESIDE}.`,
  })
  async watchedSince(@Root() company: CompanyType, @Ctx() ctx: RequestContext): Promise<number | null> {
    return (await datesOf(company, ctx)).since;
  }

  @Served(WATCHED_COUNTRIES)
  @Access('monitor')
  @FieldResolver(() => DateTimeScalar, {
    nullable: true,
    description: `Time of the newest change that the key's monitors reported; null without one, as far back as the change log reaches. ${NULL_BESIDE}.`,
  })
  async lastChangeAt(@Root() company: CompanyType, @Ctx() ctx: RequestContext): Promise<number | null> {
    return (await datesOf(company, ctx)).lastChangeAt;
  }

  @Served(WATCHED_COUNTRIES)
  @Access('monitor')
  @FieldResolver(() => [String], {
    nullable: true,
    description: `Its tags in the account, at most 20, in the order of their names. They are kept while a monitor of the account watches it. ${NULL_BESIDE}.`,
  })
  tags(@Root() { country, taxId }: CompanyType, @Ctx() ctx: RequestContext): Promise<readonly string[]> {
    return ctx.read(tagsLoader, { accountId: ctx.caller.accountId, country, taxId });
  }

  @Access('monitor', 'decide')
  @Mutation(() => TagCompaniesPayloadType, {
    nullable: true,
    description: `Adds and removes tags of watched companies, for all keys of the account. ${NULL_BESIDE}, ROLE_NOT_ALLOWED, INVALID_INPUT or RATE_LIMITED after 120 in a minute.`,
  })
  async tagCompanies(
    @Arg('input', () => TagCompaniesInput, { description: 'The companies and the tags.' }) input: TagCompaniesInput,
    @Ctx() ctx: RequestContext,
  ): Promise<TagCompaniesPayloadType> {
    const { country, identifiers, add, remove } = input;
    await ctx.limitAction(TAG);
    const change = { country, identifiers, added: add ?? [], removed: remove ?? [] };
    const companies = await ctx.open(monitorService).tags.change(ctx.caller, change);
    return { companies: companies.map((company) => new CompanyType(company)) };
  }
}
