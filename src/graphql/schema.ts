import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';
import { restrictCompanyFields, restrictMutations } from './access.ts';
import { ApiKeyResolver, SourcesResolver } from './account.ts';
import { CompanyResolver } from './company.ts';
import { callResolversDirectly } from './direct-resolvers.ts';
import { FederationResolver } from './federation.ts';
import { limitFields } from './limits/limit-fields.ts';
import { SourceHistoryResolver } from './source-history.ts';

export interface SchemaOptions {
  /** If true, adds the part that a router of Apollo Federation requests. */
  readonly federation?: boolean;
}

/** Builds the schema from the core resolvers and those of the modules. */
export function buildSchema(moduleResolvers: readonly (abstract new () => unknown)[], { federation }: SchemaOptions = {}): GraphQLSchema {
  const core = [ApiKeyResolver, CompanyResolver, SourcesResolver, SourceHistoryResolver, ...(federation ? [FederationResolver] : [])];
  const resolvers = [...core, ...moduleResolvers] as unknown as NonEmptyArray<new () => unknown>;
  const schema = buildSchemaSync({ resolvers, validate: false, pubSub: NO_PUB_SUB });
  for (const [name, description] of Object.entries(ROOT_TYPES)) Object.assign(schema.getType(name) ?? {}, { description });
  return restrictMutations(restrictCompanyFields(limitFields(callResolversDirectly(schema))));
}

/** Descriptions of the root types, which type-graphql creates itself. */
const ROOT_TYPES = {
  Query: 'Reads companies, tenders, monitors, screenings, and the modules, limits and usage of the key.',
  Mutation: 'Decides about candidates, and creates and changes monitors and screenings. Each mutation needs a role of the key.',
  Subscription: 'Sends changes of companies when they are detected, over WebSocket or server-sent events.',
};

/**
 * Placeholder for the PubSub that type-graphql requires for subscriptions. It is never used, because every subscription has a `subscribe`
 * function.
 */
const NO_PUB_SUB = {
  publish: (topic: string) => unsupported(topic),
  subscribe: (topic: string) => unsupported(topic),
};

function unsupported(topic: string): never {
  throw new Error(`no PubSub: a subscription for ${topic} has no subscribe function`);
}
