import { Args, ArgsType, Ctx, Field, Float, InputType, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Country, RegistrationStatus } from '../../../domain/company.ts';
import { requireFirst } from '../../../domain/paging.ts';
import { isoDate } from '../../../domain/time.ts';
import { Access } from '../../../graphql/access.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connect, connectionOf, PageArgs } from '../../../graphql/connection.ts';
import { CountryEnum, defineEnum, RegistrationStatusEnum } from '../../../graphql/enums.ts';
import { toGraphqlField } from '../../../graphql/errors.ts';
import { Cost } from '../../../graphql/limits/cost.ts';
import { DateScalar } from '../../../graphql/scalars.ts';
import type { CompanyFilter, MatchedName, RegisteredSize, SearchLimit } from '../domain/company-search.ts';
import { searchCompanies } from '../loaders/search-companies.ts';

const MatchedNameEnum = defineEnum<MatchedName>('MatchedName', 'A name of a company.', {
  legal_name: 'Legal name.',
  trade_name: 'Trade name (nome fantasia) of the establishment; BR only.',
});

const SearchLimitEnum = defineEnum<SearchLimit>('CompanySearchLimit', 'Reason why a search has not found all companies with the words.', {
  common_words:
    'So many names have the words that those of the oldest companies were searched, and the names that consist of the words alone.',
  many_names: 'More than 1,000 companies have the words, of which 1,000 were ranked.',
  many_completions: 'More than 50 words begin with the last one, of which the most frequent were searched.',
  unread_rows: 'Rows of the registry could not be read, or the operator has erased companies, so that a company may be missing.',
});

const RegisteredSizeEnum = defineEnum<RegisteredSize>('RegisteredSize', 'Size class of the Brazilian registry (porte).', {
  micro: 'MICRO EMPRESA.',
  small: 'EMPRESA DE PEQUENO PORTE.',
  other: 'DEMAIS: all others.',
});

@InputType('CompanyFilter', { description: 'Conditions on an establishment, which must meet all of them. BR only.' })
class CompanyFilterInput {
  @Field(() => RegistrationStatusEnum, { nullable: true, description: 'ACTIVE or INACTIVE.' }) status?: RegistrationStatus | null;
  @Field(() => String, { nullable: true, description: 'Two letters of the state (UF), e.g. SP.' }) state?: string | null;
  @Field(() => String, {
    nullable: true,
    description: 'Name of the municipality, e.g. São Paulo, or its code at the tax registry, e.g. 7107, which is not that of IBGE.',
  })
  municipality?: string | null;
  @Field(() => String, { nullable: true, description: 'Main activity: the first two to seven digits of its CNAE code, e.g. 47.' })
  activity?: string | null;
  @Field(() => String, { nullable: true, description: 'Four digits of the legal nature (natureza jurídica), e.g. 2062.' })
  legalNature?: string | null;
  @Field(() => RegisteredSizeEnum, { nullable: true, description: 'Size class.' }) size?: RegisteredSize | null;
  @Field(() => DateScalar, { nullable: true, description: 'First day on which the establishment was opened, inclusive.' })
  openedFrom?: Date | null;
  @Field(() => DateScalar, { nullable: true, description: 'Last day on which the establishment was opened, inclusive.' })
  openedTo?: Date | null;
  @Field(() => Boolean, { nullable: true, description: 'True for head offices only, false for branches only.' })
  isHeadOffice?: boolean | null;
}

@ObjectType('CompanySearchResult', { description: 'A company that was found by its name.', simpleResolvers: true })
class CompanySearchResultType {
  @Field(() => CompanyType, { description: 'The company; BR: the establishment.' }) company!: CompanyType;
  @Field(() => String, {
    description: 'Legal name as the registry prints it. BR: the trade name of a sole trader, whose legal name is that of a person.',
  })
  name!: string;
  @Field(() => String, { nullable: true, description: 'Trade name (nome fantasia) of the establishment; null for none, and for CL.' })
  tradeName!: string | null;
  @Field(() => RegistrationStatusEnum, { nullable: true, description: 'ACTIVE or INACTIVE; null for CL, where `company.kyb` has it.' })
  status!: RegistrationStatus | null;
  @Field(() => String, { nullable: true, description: 'Municipality in capitals; null abroad, and for CL.' }) municipality!: string | null;
  @Field(() => String, { nullable: true, description: 'Two letters of the state (UF), EX abroad; null for CL.' }) state!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'First registration of the establishment; null if unknown, and for CL.' })
  openedOn!: string | null;
  @Field(() => MatchedNameEnum, { description: 'The name that has the words.' }) matchedOn!: MatchedName;
  @Field(() => Float, {
    description:
      'CL: similarity of the whole name to the one that was searched. BR: share of the words of the name that were searched. 0 to 1.',
  })
  score!: number;
}

@ObjectType('CompanySearchConnection', { description: 'A page of companies, the best names first.', simpleResolvers: true })
class CompanySearchConnectionType extends connectionOf('CompanySearchResult', CompanySearchResultType, 'companies') {
  @Field(() => Boolean, {
    description: 'True when not all companies with the words were found: add a word or a condition to find the others.',
  })
  isTruncated!: boolean;
  @Field(() => SearchLimitEnum, { nullable: true, description: 'Reason why `isTruncated` is true; null if all were found.' })
  limitedBy!: SearchLimit | null;
  @Field(() => [MatchedNameEnum], {
    description: 'The names that were searched. BR: legal names of sole traders, which are those of people, are not.',
  })
  searched!: readonly MatchedName[];
  @Field(() => DateScalar, { nullable: true, description: 'Date of the copy of the registry, `freshness.dataAsOf`.' })
  dataAsOf!: string | null;
  @Field(() => FreshnessType, { description: 'Age of the copy of the registry.' }) freshness!: FreshnessType;
}

@ArgsType()
class CompanySearchArgs extends PageArgs {
  @Field(() => String, {
    description:
      'Name or part of it, up to 200 characters. Every word must occur in the name; accents, letter case and legal forms are ignored. CL: or a similar word. BR: the last word may be the beginning of a word.',
  })
  name!: string;
  @Field(() => CountryEnum, { description: 'Country of the registry: BR or CL.' }) country!: Country;
  @Field(() => CompanyFilterInput, { nullable: true, description: 'Conditions besides the name; BR only.' })
  filter!: CompanyFilterInput | null;
}

@Resolver()
export class CompanySearchResolver {
  @Cost(5)
  @Access('kyb')
  @Query(() => CompanySearchConnectionType, {
    nullable: true,
    description:
      'Companies by name, from the copy of the tax registry. Module kyb, BR and CL; a page counts one check. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE, or SOURCE_NOT_CONFIGURED for BR if the service has no copy of the registry.',
  })
  async searchCompanies(
    @Args(() => CompanySearchArgs) { name, country, filter, ...page }: CompanySearchArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<CompanySearchConnectionType> {
    const request = { name, country, filter: filter ? filterOf(filter) : null, first: requireFirst(page.first), after: page.after || null };
    const found = await searchCompanies(request, ctx).catch(toGraphqlField);
    const { value, freshness, cursorOf } = found;
    const connection = connect(value.companies, {
      hasMore: value.hasMore,
      after: page.after,
      nodeOf: ({ taxId, score, ...fields }) => ({
        ...fields,
        company: new CompanyType({ country: found.country, taxId }),
        score: score / 1_000,
      }),
      cursorOf,
    });
    const { limitedBy, searched } = value;
    return Object.assign(connection, { isTruncated: limitedBy !== null, limitedBy, searched, dataAsOf: freshness.dataAsOf, freshness });
  }
}

const dayOf = (day: Date | null | undefined): string | null => (day ? isoDate(day.getTime()) : null);

const filterOf = ({ openedFrom, openedTo, ...filter }: CompanyFilterInput): CompanyFilter => ({
  ...filter,
  openedFrom: dayOf(openedFrom),
  openedTo: dayOf(openedTo),
});
