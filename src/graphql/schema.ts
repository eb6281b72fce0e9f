import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';
import { CompanyResolver } from './company.ts';
import { SourcesResolver } from './sources.ts';

/** The schema: the root queries and the fields that each module adds. */
export function buildSchema(moduleResolvers: readonly (abstract new () => unknown)[]): GraphQLSchema {
  const resolvers = [CompanyResolver, SourcesResolver, ...moduleResolvers] as unknown as NonEmptyArray<new () => unknown>;
  return buildSchemaSync({ resolvers, validate: false });
}
