import { Ctx, Field, FieldResolver, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import { Access } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { defineEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { cacheKey } from '../../graphql/relay.ts';
import { DateScalar, DateTimeScalar } from '../../graphql/scalars.ts';
import { SANCTIONS_LISTS, type Sanctions, type SanctionsList, type SanctionsListVersion, type SanctionsMatch } from './domain.ts';
import { sanctionsLoader } from './loader.ts';

const IdMatchKind = defineEnum('IdMatchKind', 'Which part of the tax id agreed.', {
  tax_id: 'The tax id itself.',
  root: 'The CNPJ root: another branch of the same legal person is listed.',
});

@ObjectType('SanctionsMatch', { description: "A listed party that bears the company's tax id.", simpleResolvers: true })
class SanctionsMatchType implements SanctionsMatch {
  @Field(() => ID, { description: cacheKey('matches') }) id!: string;
  @Field(() => SourceNameEnum, { description: `${SANCTIONS_LISTS.join(' or ')}.` }) list!: SanctionsList;
  @Field(() => String, { description: "The list's own id of the party: OFAC uid, UN DATAID." }) entityId!: string;
  @Field(() => String, { description: 'Name as listed.' }) entryName!: string;
  @Field(() => IdMatchKind, { description: 'Which part of the tax id agreed.' }) matchedOn!: SanctionsMatch['matchedOn'];
  @Field(() => String, { description: 'Kind of id as the list prints it: Tax ID No., NIT #, …' }) matchedIdType!: string;
  @Field(() => String, { description: 'The id as the list prints it.' }) matchedIdValue!: string;
  @Field(() => [String], { description: 'Sanctions programmes.' }) programs!: readonly string[];
}

@ObjectType('ListVersion', { description: 'The version of a sanctions list that was checked.', simpleResolvers: true })
class ListVersionType implements SanctionsListVersion {
  @Field(() => SourceNameEnum, { description: 'The list.' }) list!: SanctionsList;
  @Field(() => DateScalar, { nullable: true, description: 'Date of the version, where the publisher states one.' }) publishedOn!:
    | string
    | null;
  @Field(() => DateTimeScalar, { description: 'When it was loaded.' }) loadedAt!: number;
  @Field(() => Int, { description: 'Entries in the version.' }) entries!: number;
  @Field(() => String, { description: 'SHA-256 of the file.' }) checksum!: string;
}

@ObjectType('SanctionsCheck', {
  description: 'International sanctions lists, by tax id. Names are not screened yet.',
  simpleResolvers: true,
})
export class SanctionsCheckType implements Sanctions {
  @Field(() => Boolean, {
    description: 'True only for an exact tax id (a CNPJ by its root: another branch is the same legal person). Names never decide.',
  })
  isSanctioned!: boolean;
  @Field(() => [SanctionsMatchType], { description: 'Listed parties that bear the tax id.' }) matches!: readonly SanctionsMatch[];
  @Field(() => [SourceNameEnum], { description: 'Lists that were checked: both, unless one failed and the other has a match.' })
  sourcesChecked!: readonly SanctionsList[];
  @Field(() => [ListVersionType], { description: 'Versions of the lists that were checked.' }) lists!: readonly SanctionsListVersion[];
  @Field(() => FreshnessType, { description: 'How old the answer is: as old as its oldest list.' }) freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class SanctionsResolver {
  @Access('sanctions')
  @FieldResolver(() => SanctionsCheckType, {
    nullable: true,
    description: 'Module sanctions. Null beside an error: MODULE_NOT_ENABLED or SOURCE_UNAVAILABLE.',
  })
  async sanctions(@Root() company: CompanyType, @Ctx() ctx: RequestContext): Promise<SanctionsCheckType> {
    return check(await ctx.ask(sanctionsLoader, company));
  }
}
