import mercurius, { type IResolvers, type MercuriusContext } from 'mercurius';
import { type Context, config, createContext } from './hand-written/loaders.ts';
import { createMeteredServer, metered } from './hand-written/metered.ts';
import { complianceOf } from './hand-written/resolvers.ts';
import { resolvers, typeDefs } from './hand-written/schema.ts';

/**
 * Baseline: the same work as `/graphql` by hand, which is the hand-written schema on Mercurius with metering. Mercurius compiles a query
 * with graphql-jit when it is requested for the second time. Each company counts once.
 */
function compliance(company: { readonly identifier: string }, given: unknown, context: Context & MercuriusContext) {
  metered(context.reply.request).quantity += 1;
  return complianceOf(company, given, context);
}

const server = await createMeteredServer();
const counting = { ...resolvers, Company: { compliance } } as unknown as IResolvers;
await server.register(mercurius, { schema: typeDefs, resolvers: counting, context: createContext, jit: 1 });
await server.listen({ host: config.host, port: config.port });
