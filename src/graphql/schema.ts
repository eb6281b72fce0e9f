import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';
import { ApiKeyResolver } from './api-key.ts';
import { CompanyResolver } from './company.ts';
import { guardFields } from './limits/cancellation.ts';
import { SourcesResolver } from './sources.ts';

/** The schema: the root queries and the fields that each module adds. */
export function buildSchema(moduleResolvers: readonly (abstract new () => unknown)[]): GraphQLSchema {
  const resolvers = [ApiKeyResolver, CompanyResolver, SourcesResolver, ...moduleResolvers] as unknown as NonEmptyArray<new () => unknown>;
  return guardFields(buildSchemaSync({ resolvers, validate: false, pubSub: NONE }));
}

/** Asked for as soon as there is a subscription; ours follow feeds of their own. */
const NONE = {
  publish: (topic: string) => none(topic),
  subscribe: (topic: string) => none(topic),
};

function none(topic: string): never {
  throw new Error(`subscriptions name what they follow; nothing is published as ${topic}`);
}
