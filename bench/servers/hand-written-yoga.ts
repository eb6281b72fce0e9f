import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';
import { type Context, config, createContext } from './hand-written/loaders.ts';
import { resolvers, typeDefs } from './hand-written/schema.ts';

/** Baseline: the hand-written schema on GraphQL Yoga and the HTTP server of Node, set up as in its documentation. */
const yoga = createYoga({ schema: createSchema<Context>({ typeDefs, resolvers }), context: createContext });
createServer(yoga).listen(config.port, config.host);
