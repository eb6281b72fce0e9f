import { Args, ArgsType, Ctx, Field, FieldResolver, Float, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import { type Country, type RegistrationStatus, requireCountry } from '../../domain/company.ts';
import { invalidInput } from '../../domain/errors.ts';
import { searchWords } from '../../domain/text.ts';
import { Access, AnswersAsOf, Served } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { companyField, type FieldValue } from '../../graphql/company-field.ts';
import { connect, connectionOf, PageArgs, pageRequestOf, parseCursor, toCursor } from '../../graphql/connection.ts';
import { CountryEnum, RegisterAbsenceEnum, RegistrationStatusEnum, RegistryMirrorEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { Cost } from '../../graphql/limits/cost.ts';
import { DateScalar } from '../../graphql/scalars.ts';
import type { Kyb } from './domain.ts';
import { companySearchLoader, kybAsOfLoader, kybLoader } from './loader.ts';

@ObjectType('KybCheck', {
  description: 'Registration of a company at its tax registry; CO: in the commercial register.',
  simpleResolvers: true,
})
export class KybCheckType implements Kyb {
  @Field(() => String, {
    nullable: true,
    description: 'Official legal name; null when the registry has no such company, or no name of it.',
  })
  companyName!: string | null;
  @Field(() => RegistrationStatusEnum, { description: 'Registration status at the registry.' }) status!: RegistrationStatus;
  @Field(() => Boolean, {
    description: 'True for an active registration only. CO: false for an active branch of a company whose own registration is not active.',
  })
  verified!: boolean;
  @Field(() => Int, {
    nullable: true,
    description:
      "Year of first tax registration (BR: of this establishment's; CO: of the first registration at a chamber of commerce, which may be later than the constitution); null when unknown.",
  })
  foundedYear!: number | null;
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Date of termination; null while registered, and for a suspended company, whose registration has not ended.',
  })
  endDate!: string | null;
  @Field(() => String, {
    nullable: true,
    description:
      'Status in the words of the registry. BR: ATIVA, ATIVA NÃO REGULAR (active, with an obligation open), SUSPENSA, INAPTA, BAIXADA, NULA. CL: INICIO DE ACTIVIDADES for an active company, SIN INICIO DE ACTIVIDADES for one that never started, otherwise the kind of end as printed, e.g. TERMINO DE GIRO. CO: state of the registration (matrícula), e.g. ACTIVA or CANCELADA; ACTIVA does not mean that it was renewed, see `notRenewedSince`. Null if the registry has no such company.',
  })
  registration!: string | null;
  @Field(() => Boolean, {
    description:
      'True for the tax id of a branch: a closed branch does not mean that the company is closed. Always false for CL, where branches have no tax id of their own. CO: true if the registration is that of a branch or an agency, as for foreign companies.',
  })
  isBranch!: boolean;
  @Field(() => String, { nullable: true, description: 'E.g. RECUPERACAO JUDICIAL; null normally, and for CL and CO.' }) specialSituation!:
    | string
    | null;
  @Field(() => RegisterAbsenceEnum, {
    nullable: true,
    description: 'CO: reason for NOT_FOUND. Null for a company that is registered, and for BR and CL, whose registries have every company.',
  })
  absence!: Kyb['absence'];
  @Field(() => Int, { nullable: true, description: 'CO: year of the last renewal; null when unknown, and for BR and CL.' })
  lastRenewedYear!: number | null;
  @Field(() => Int, {
    nullable: true,
    description:
      'CO: year of the last renewal, if an active registration was not renewed by 31 March of the year of the data; the status stays ACTIVE. Null otherwise.',
  })
  notRenewedSince!: number | null;
  @Field(() => SourceNameEnum, { description: 'The registry that answered: RECEITA_FEDERAL (BR), SII (CL) or RUES (CO).' })
  source!: Kyb['source'];
  @Field(() => RegistryMirrorEnum, {
    nullable: true,
    description: 'BR: the mirror of the registry that answered; null for CL and CO, and for NOT_FOUND, which both mirrors must state.',
  })
  mirror!: Kyb['mirror'];
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

@ObjectType('CompanySearchResult', { description: 'A company that was found by its name.', simpleResolvers: true })
class CompanySearchResultType {
  @Field(() => CompanyType, { description: 'The company.' }) company!: CompanyType;
  @Field(() => String, { description: 'Legal name as the registry prints it.' }) name!: string;
  @Field(() => Float, { description: 'Similarity of the whole name to the one that was searched, 0 to 1.' }) score!: number;
}

@ObjectType('CompanySearchConnection', { description: 'A page of companies, the most similar names first.', simpleResolvers: true })
class CompanySearchConnectionType extends connectionOf('CompanySearchResult', CompanySearchResultType, 'companies') {
  @Field(() => Boolean, {
    description: 'True when more than 1,000 names have the words, of which 1,000 were ranked: add a word to find the others.',
  })
  isTruncated!: boolean;
  @Field(() => FreshnessType, { description: 'Age of the copy of the registry.' }) freshness!: FreshnessType;
}

@ArgsType()
class CompanySearchArgs extends PageArgs {
  @Field(() => String, {
    description:
      'Name or part of it, up to 200 characters. Every word must occur in the name, or a similar word; accents, letter case and legal forms are ignored.',
  })
  name!: string;
  @Field(() => CountryEnum, { description: 'Country of the registry; CL only.' }) country!: Country;
}

@Resolver(() => CompanyType)
export class KybResolver {
  @Cost(5)
  @Access('kyb')
  @Query(() => CompanySearchConnectionType, {
    nullable: true,
    description:
      'Companies by name, from the copy of the tax registry. Module kyb, CL; a page counts one check. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, UNSUPPORTED_COUNTRY or SOURCE_UNAVAILABLE.',
  })
  async searchCompanies(
    @Args(() => CompanySearchArgs) { name, country, ...page }: CompanySearchArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<CompanySearchConnectionType> {
    const searched = requireCountry(country, ['CL'], 'The search by name');
    const { first, after } = pageRequestOf(page, parseSearchCursor);
    const { value, freshness } = await ctx.ask(companySearchLoader, { words: parseWords(name), first, after });
    const connection = connect(value.companies, {
      hasMore: value.hasMore,
      after: page.after,
      nodeOf: ({ taxId, name, score }) => ({ company: new CompanyType({ country: searched, taxId }), name, score: score / 1_000 }),
      cursorOf: ({ score, taxId }) => toCursor('company', [String(score), taxId]),
    });
    return Object.assign(connection, { isTruncated: value.isTruncated, freshness });
  }

  @AnswersAsOf
  @Served(kybLoader.countries)
  @Access('kyb')
  @FieldResolver(() => KybCheckType, {
    nullable: true,
    description:
      'Registration at the tax registry; CO: in the commercial register. Module kyb. Null beside an error: MODULE_NOT_ENABLED or SOURCE_UNAVAILABLE.',
  })
  kyb(@Root() company: CompanyType, @Ctx() ctx: RequestContext): FieldValue<KybCheckType> {
    const { asOf } = company;
    return asOf === null ? companyField(kybLoader, company, ctx, check) : companyField(kybAsOfLoader, { ...company, asOf }, ctx, check);
  }
}

const MAX_NAME = 200;
const MAX_WORDS = 12;

/** @throws AppError INVALID_INPUT */
function parseWords(name: string): readonly string[] {
  if (name.length > MAX_NAME) throw invalidInput('name', `Give at most ${MAX_NAME} characters.`);
  const words = searchWords(name);
  if (words.length === 0) throw invalidInput('name', 'Give at least one word of the name.');
  if (words.length > MAX_WORDS) throw invalidInput('name', `Give at most ${MAX_WORDS} words.`);
  return words;
}

/** @throws AppError INVALID_INPUT */
function parseSearchCursor(cursor: string): { readonly score: number; readonly taxId: string } {
  const [score, taxId] = parseCursor('company', 2, cursor);
  if (!score || !taxId || !/^\d{1,4}$/.test(score) || !/^\d{7,8}[\dK]$/.test(taxId))
    throw invalidInput('after', 'This is not a cursor of this connection.');
  return { score: Number(score), taxId };
}
