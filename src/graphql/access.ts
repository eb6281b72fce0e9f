import { asOfNotSupported, type Country } from '../domain/company.ts';
import 'reflect-metadata'; // type-graphql needs it when the first class is decorated
import { type GraphQLField, type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql';
import { Extensions } from 'type-graphql';
import { requireRole } from '../auth/require-role.ts';
import type { RequestContext } from '../context.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import { type RoleRule, roleFor } from '../domain/roles.ts';
import type { DatedCompanyKey } from './relay.ts';

/** Access rule of a field: any valid key, or a key with the module; for a field of Company also the module by country. */
export type AccessRule = 'any_key' | ModuleName | Readonly<Partial<Record<Country, ModuleName>>>;

/**
 * Declares the access rule of a field in the schema, and the role that a mutation needs. A test requires a rule on every root field and every
 * resolved field of Company, and a role on every mutation.
 */
export const Access = (rule: AccessRule, role?: RoleRule): ReturnType<typeof Extensions> =>
  Extensions({ access: rule, ...(role !== undefined && { role }) });

/** Declares the countries for which a field of Company is answered. For a company of another country the field is null without an error. */
export const Served = (countries: readonly Country[]): ReturnType<typeof Extensions> => Extensions({ countries });

/** Declares the countries for which a field of Company is answered as of an earlier date, too. */
export const AnswersAsOf = (countries: readonly Country[]): ReturnType<typeof Extensions> => Extensions({ answersAsOf: countries });

/**
 * Wraps the resolved fields of Company. For a company of a country that a field does not declare, the field is null, and its resolver, which
 * would throw UNSUPPORTED_COUNTRY, is not called. For a company as of an earlier date, a field that is answered for today only is an error;
 * the fields of its key have no access rule. Nothing is counted then, whether or not the key has the module.
 */
export function restrictCompanyFields(schema: GraphQLSchema): GraphQLSchema {
  for (const field of companyFields(schema)) {
    const { resolve } = field;
    if (!resolve) continue;
    field.resolve = (company, args, context, info) => {
      if (!serves(field, company.country)) return null;
      if (company.asOf !== null && field.extensions.access !== undefined && !answersAsOf(field, company.country))
        throw asOfNotSupported(field.name);
      return resolve(company, args, context, info);
    };
  }
  return schema;
}

/**
 * Wraps every mutation, so that it is refused to a key without the role that it needs before its resolver is called. A mutation that declares
 * no role needs the highest one.
 */
export function restrictMutations(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve, extensions } = field;
    const rule = (extensions.role ?? 'administer') as RoleRule;
    field.resolve = (source, args, context: RequestContext, info) => {
      requireRole(context.caller, roleFor(rule, args.input));
      return resolve?.(source, args, context, info);
    };
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

/** A company as a field of Company reads it. */
type Company = Required<DatedCompanyKey>;

function companyFields(schema: GraphQLSchema): readonly GraphQLField<Company, unknown>[] {
  const type = schema.getType('Company');
  return isObjectType(type) ? Object.values((type as GraphQLObjectType<Company>).getFields()) : [];
}

const countriesOf = ({ extensions }: GraphQLField<Company, unknown>) => extensions.countries as readonly Country[] | undefined;

const answersAsOf = ({ extensions }: GraphQLField<Company, unknown>, country: Country): boolean =>
  (extensions.answersAsOf as readonly Country[] | undefined)?.includes(country) ?? false;

const serves = (field: GraphQLField<Company, unknown>, country: Country): boolean => countriesOf(field)?.includes(country) ?? true;
