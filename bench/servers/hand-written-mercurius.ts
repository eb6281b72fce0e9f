import fastify from 'fastify';
import mercurius, { type IResolvers } from 'mercurius';
import { config, createContext } from './hand-written/loaders.ts';
import { resolvers, typeDefs } from './hand-written/schema.ts';

/** Baseline: the hand-written schema on Mercurius, which compiles a query with graphql-jit when it is requested for the second time. */
const server = fastify();
await server.register(mercurius, { schema: typeDefs, resolvers: resolvers as unknown as IResolvers, context: createContext, jit: 1 });
await server.listen({ host: config.host, port: config.port });
