import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { type Context, config, createContext } from './hand-written/loaders.ts';
import { resolvers, typeDefs } from './hand-written/schema.ts';

/** Baseline: the hand-written schema on Apollo Server, set up as in its documentation. It has no key, limit, log and usage. */
await startStandaloneServer(new ApolloServer<Context>({ typeDefs, resolvers }), {
  listen: { host: config.host, port: config.port },
  context: createContext,
});
