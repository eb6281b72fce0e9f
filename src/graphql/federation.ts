import { printSubgraphSchema } from '@apollo/subgraph';
import { GraphQLObjectType, type GraphQLResolveInfo, GraphQLScalarType, GraphQLSchema } from 'graphql';
import { Arg, createUnionType, Field, Info, ObjectType, Query, Resolver } from 'type-graphql';
import { COUNTRIES, parsePrintedCompanyKey } from '../domain/company.ts';
import type { AppError } from '../domain/errors.ts';
import { invalidInput } from '../domain/errors.ts';
import { operationMessages } from '../messages/operations.ts';
import { Access } from './access.ts';
import { CompanyType, errorAsItem } from './company.ts';
import { parseNodeId } from './relay.ts';

/**
 * Part of the schema that a router of Apollo Federation 2 requests from a subgraph
 * (https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec): its schema with the directives of
 * federation, and entities by their keys.
 */

const AnyScalar = new GraphQLScalarType({
  name: '_Any',
  description: 'The representation of an entity: `__typename` and the fields of one of its keys.',
});

const EntityUnion = createUnionType({
  name: '_Entity',
  description: 'A type with a key.',
  types: () => [CompanyType] as const,
  resolveType: () => CompanyType,
});

@ObjectType('_Service', { description: 'This service as a subgraph.', simpleResolvers: true })
class ServiceType {
  @Field(() => String, { description: 'The schema with the directives of federation.' }) readonly sdl!: string;
}

@Resolver()
export class FederationResolver {
  @Access('any_key')
  @Query(() => ServiceType, { name: '_service', description: 'The schema of this subgraph, for a router.' })
  service(@Info() { schema }: GraphQLResolveInfo): ServiceType {
    return { sdl: subgraphSdl(schema) };
  }

  @Access('any_key')
  @Query(() => [EntityUnion], {
    name: '_entities',
    nullable: 'items',
    description: 'Up to 500 entities, for a router. One that cannot be read is null with an error.',
  })
  entities(
    @Arg('representations', () => [AnyScalar], { description: 'Up to 500: a `Company` by `id`, or by `country` and `identifier`.' })
    representations: readonly unknown[],
  ): (CompanyType | AppError)[] {
    return representations.map((representation) => errorAsItem(() => toCompany(representation)));
  }
}

/** @throws AppError INVALID_INPUT for another type, a missing key or a malformed tax id */
function toCompany(representation: unknown): CompanyType {
  const { __typename: type, id, country, identifier } = Object(representation) as Readonly<Record<string, unknown>>;
  if (type !== 'Company') throw invalidInput('representations', operationMessages.onlyEntity());
  if (typeof id === 'string') return new CompanyType(parseNodeId(id));
  const known = COUNTRIES.find((one) => one === country);
  if (!known || typeof identifier !== 'string') throw invalidInput('representations', operationMessages.identifyEntity());
  return new CompanyType(parsePrintedCompanyKey(known, identifier));
}

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])';

const sdls = new WeakMap<GraphQLSchema, string>();

/**
 * Prints the SDL of the subgraph, with the directives of federation and without the fields and types that federation adds. It is printed
 * once per schema.
 */
function subgraphSdl(schema: GraphQLSchema): string {
  const known = sdls.get(schema);
  if (known !== undefined) return known;
  const { types, query, ...rest } = schema.toConfig();
  if (!query) throw new Error('the schema has no query type');
  const { fields, ...config } = query.toConfig();
  const own = Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith('_')));
  const subgraph = new GraphQLSchema({
    ...rest,
    query: new GraphQLObjectType({ ...config, fields: own }),
    types: types.filter((type) => type !== query && !type.name.startsWith('_')),
  });
  const sdl = `${LINK}\n\n${printSubgraphSchema(subgraph)}\n`;
  sdls.set(schema, sdl);
  return sdl;
}
