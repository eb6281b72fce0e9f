import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { RequestContext } from '../context.ts';
import { formatGraphqlError, isInternal } from '../graphql/errors.ts';
import { EXPLORER_HTML, mountExplorerAssets, wantsExplorer } from './explorer.ts';

const PATH = '/graphql';

/** Mounts `/graphql`: the API for those with a key, the explorer page for browsers. A key is asked for before anything is parsed. */
export async function mountGraphql(
  server: FastifyInstance,
  schema: GraphQLSchema,
  contextOf: (request: FastifyRequest) => Promise<RequestContext>,
): Promise<ApolloServer<RequestContext>> {
  const apollo = new ApolloServer<RequestContext>({
    schema,
    introspection: true,
    csrfPrevention: true,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: formatGraphqlError,
    plugins: [ApolloServerPluginLandingPageDisabled(), withRequestId(server)],
  });
  await apollo.start();
  mountExplorerAssets(server, PATH);
  const handler = fastifyApolloHandler(apollo, {
    context: async (request) => {
      if (!request.context) throw new Error('GraphQL ran without its context');
      return request.context;
    },
  });
  server.route({
    method: ['GET', 'POST'],
    url: PATH,
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      if (wantsExplorer(request)) return reply.type('text/html; charset=utf-8').send(EXPLORER_HTML);
      request.context = await contextOf(request);
    },
    onSend: async (request, reply, payload) =>
      reply.statusCode >= 400 && typeof payload === 'string' ? withId(payload, request.id) : payload,
    handler,
  });
  return apollo;
}

/** A refusal that came before there was a context, with its request id. */
function withId(payload: string, requestId: string): string {
  try {
    const { errors, ...rest } = JSON.parse(payload) as { errors: readonly { extensions?: object }[] };
    return JSON.stringify({ ...rest, errors: errors.map((error) => ({ ...error, extensions: { ...error.extensions, requestId } })) });
  } catch {
    return payload;
  }
}

/** Puts the request id into every error, and what is our fault into the log. */
const withRequestId = (server: FastifyInstance): ApolloServerPlugin<RequestContext> => ({
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue }) {
        for (const err of errors.filter(isInternal)) server.log.error({ err, reqId: contextValue.requestId }, 'resolver failed');
      },
      async willSendResponse({ response, contextValue }) {
        if (response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        singleResult.errors = singleResult.errors?.map((error) => ({
          ...error,
          extensions: { ...error.extensions, requestId: contextValue.requestId },
        }));
        if (singleResult.errors === undefined) delete singleResult.errors;
      },
    };
  },
});
