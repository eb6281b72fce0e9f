import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../context.ts';
import { MODULES, type ModuleName } from '../domain/catalogue.ts';
import { type CompanyKey, type Country, detectCompanyKey, formatTaxId, parseCompanyKey, requireCountry } from '../domain/company.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { isoDate } from '../domain/time.ts';
import { requireDayUpToToday } from '../loaders/registry-as-of.ts';
import { operationMessages } from '../messages/operations.ts';
import { Access, AnswersAsOf, modulesServing } from './access.ts';
import { CountryEnum, ModuleEnum } from './enums.ts';
import { AS_OF_COUNTRIES, companyId, type DatedCompanyKey, kindOf, NodeType, parseNodeId } from './relay.ts';
import { DateScalar } from './scalars.ts';

/** Maximum number of companies or nodes in one query, which is the largest batch that the loaders are designed for. */
const MAX_COMPANIES = 500;

@Directive('@key(fields: "country identifier")')
@Directive('@key(fields: "id")')
@ObjectType('Company', {
  implements: NodeType,
  description: 'One company, identified by its tax id in one country. Every other field is resolved on demand and batched.',
  simpleResolvers: true,
})
export class CompanyType implements NodeType, CompanyKey {
  @Field(() => CountryEnum, { description: 'Country that issued the tax id.' }) readonly country: Country;
  @Field(() => String, { description: 'Tax id, normalised: digits (and letters, for the alphanumeric CNPJ) without punctuation.' })
  readonly identifier: string;
  @Field(() => DateScalar, {
    nullable: true,
    description:
      'The date that `company` was requested for; null for the company of today. With a date, only owners are answered, and BR: kyb and registration.',
  })
  readonly asOf: string | null;
  readonly taxId: string;

  constructor({ country, taxId, asOf = null }: DatedCompanyKey) {
    this.country = country;
    this.identifier = taxId;
    this.taxId = taxId;
    this.asOf = asOf;
  }

  @Field(() => ID, { description: 'Opaque global id.' })
  get id(): string {
    return companyId(this);
  }

  @Field(() => String, { description: 'Tax id as people write it: 12.345.678/0001-95, 76.123.456-0, 900.123.456-8.' })
  get formattedIdentifier(): string {
    return formatTaxId(this);
  }
}

@Resolver(() => CompanyType)
export class CompanyResolver {
  @AnswersAsOf(AS_OF_COUNTRIES)
  @Access('any_key')
  @FieldResolver(() => [ModuleEnum], {
    description:
      'Modules that serve companies of its country, whether or not the key has them. A field whose module does not serve the country is null without an error.',
  })
  modules(@Root() { country }: CompanyType, @Info() { schema }: GraphQLResolveInfo): readonly ModuleName[] {
    return modulesServing(country, schema, MODULES);
  }

  @Access('any_key')
  @Query(() => CompanyType, {
    nullable: true,
    description:
      'A company by tax id. Not null for any valid tax id, whether or not a registry has the company: its fields read the sources.',
  })
  company(
    @Arg('identifier', () => String, {
      description: 'CNPJ, RUT or NIT; punctuation, blanks and letter case are ignored, and a CNPJ may lack its left zeros.',
    })
    identifier: string,
    @Arg('country', () => CountryEnum, { nullable: true, description: 'Detected from the form of the tax id when omitted.' })
    country: Country | null,
    @Arg('asOf', () => DateScalar, {
      nullable: true,
      description:
        'BR: answers kyb, registration and owners by the last extract of the registry up to this day, of those that the service has loaded; CL: answers owners by the last yearly file of owners. Before the first one these fields are null beside NO_RECORD_THEN, and every other field is null beside AS_OF_NOT_SUPPORTED. Today when omitted.',
    })
    asOf: Date | null,
    @Ctx() ctx: RequestContext,
  ): CompanyType {
    const company = parseCompany(identifier, country);
    return asOf ? new CompanyType({ ...company, asOf: requireAsOf(asOf, company, ctx) }) : company;
  }

  @Access('any_key')
  @Query(() => [CompanyType], {
    nullable: 'items',
    description:
      'Up to 500 companies in the order of `identifiers`. A malformed tax id is null with an error. Each list is read once for all companies.',
  })
  companies(
    @Arg('identifiers', () => [String], { description: 'Up to 500 tax ids, in any spelling that `company` takes.' }) identifiers: string[],
    @Arg('country', () => CountryEnum, { nullable: true, description: 'Country of all tax ids; detected for each tax id when omitted.' })
    country: Country | null,
  ): (CompanyType | AppError)[] {
    if (identifiers.length > MAX_COMPANIES) throw invalidInput('identifiers', operationMessages.manyCompanies({ max: MAX_COMPANIES }));
    return identifiers.map((identifier) => errorAsItem(() => parseCompany(identifier, country)));
  }

  @Access('any_key')
  @Query(() => NodeType, { nullable: true, description: 'An object by its global id; null for an unknown id.' })
  node(@Arg('id', () => ID, { description: 'Global id.' }) id: string, @Ctx() ctx: RequestContext): Promise<NodeType | null> {
    return findNode(id, ctx);
  }

  @Access('any_key')
  @Query(() => [NodeType], {
    nullable: 'items',
    description: 'Up to 500 objects by global id, in the order of `ids`. Null for an unknown id; null with an error for a malformed id.',
  })
  nodes(
    @Arg('ids', () => [ID], { description: 'Global ids.' }) ids: string[],
    @Ctx() ctx: RequestContext,
  ): Promise<(NodeType | null | Error)[]> {
    if (ids.length > MAX_COMPANIES) throw invalidInput('ids', operationMessages.manyIds({ max: MAX_COMPANIES }));
    // An error is an item: a rejected promise in a list that waits for its slice would end the process.
    return Promise.all(ids.map((id) => findNode(id, ctx).catch((error: Error) => error)));
  }
}

/** @throws AppError INVALID_INPUT for a malformed id, or the error of the node's own lookup */
const findNode = async (id: string, ctx: RequestContext): Promise<NodeType | null> => {
  const kind = kindOf(id);
  return kind ? kind.find(id, ctx) : new CompanyType(parseNodeId(id));
};

/** Returns an ISO date up to today. @throws AppError UNSUPPORTED_COUNTRY, INVALID_INPUT */
function requireAsOf(asOf: Date, { country }: CompanyKey, { now }: Pick<RequestContext, 'now'>): string {
  requireCountry(country, AS_OF_COUNTRIES, 'A company as of an earlier date');
  return requireDayUpToToday(isoDate(asOf.getTime()), 'asOf', now());
}

/** @throws AppError INVALID_INPUT on `identifier` */
export const parseCompany = (identifier: string, country: Country | null | undefined): CompanyType =>
  new CompanyType(country ? parseCompanyKey(country, identifier) : detectCompanyKey(identifier));

/** Returns the error of one list item in place of the item, so that the other items are answered. */
export function errorAsItem<T>(make: () => T): T | AppError {
  try {
    return make();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
