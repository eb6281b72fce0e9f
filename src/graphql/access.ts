import 'reflect-metadata'; // type-graphql needs it when the first class is decorated
import { type GraphQLField, type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql';
import { Extensions } from 'type-graphql';
import type { ModuleName } from '../domain/catalogue.ts';
import type { CompanyKey, Country } from '../domain/company.ts';

/** Access rule of a field: any valid key, or a key with the module; for a field of Company also the module by country. */
export type AccessRule = 'any_key' | ModuleName | Readonly<Partial<Record<Country, ModuleName>>>;

/** Declares the access rule of a field in the schema. A test requires a rule on every root field and every resolved field of Company. */
export const Access = (rule: AccessRule): ReturnType<typeof Extensions> => Extensions({ access: rule });

/** Declares the countries for which a field of Company is answered. For a company of another country the field is null without an error. */
export const Served = (countries: readonly Country[]): ReturnType<typeof Extensions> => Extensions({ countries });

/**
 * Wraps the fields of Company that declare their countries. For a company of another country they are null, and their resolver, which
 * would throw UNSUPPORTED_COUNTRY, is not called. Nothing is counted, whether or not the key has the module.
 */
export function answerUnservedWithNull(schema: GraphQLSchema): GraphQLSchema {
  for (const field of companyFields(schema)) {
    const { resolve } = field;
    if (!resolve || !countriesOf(field)) continue;
    field.resolve = (company: CompanyKey, args, context, info) =>
      serves(field, company.country) ? resolve(company, args, context, info) : null;
  }
  return schema;
}

/** Returns the modules with a field of Company that is answered for this country, in the order of the schema's enum. */
export function modulesServing(country: Country, schema: GraphQLSchema, all: readonly ModuleName[]): readonly ModuleName[] {
  const served = new Set(
    companyFields(schema)
      .filter((field) => serves(field, country))
      .map(({ extensions }) => moduleFor(country, extensions.access as AccessRule)),
  );
  return all.filter((module) => served.has(module));
}

/** Returns the module that a key needs for a field about a company of the country; `any_key` if it needs none. */
export const moduleFor = (country: Country, rule: AccessRule | undefined): ModuleName | 'any_key' | undefined =>
  typeof rule === 'object' ? rule[country] : rule;

function companyFields(schema: GraphQLSchema): readonly GraphQLField<CompanyKey, unknown>[] {
  const type = schema.getType('Company');
  return isObjectType(type) ? Object.values((type as GraphQLObjectType<CompanyKey>).getFields()) : [];
}

const countriesOf = ({ extensions }: GraphQLField<CompanyKey, unknown>) => extensions.countries as readonly Country[] | undefined;

const serves = (field: GraphQLField<CompanyKey, unknown>, country: Country): boolean => countriesOf(field)?.includes(country) ?? true;
