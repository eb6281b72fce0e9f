import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError, type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Logger } from 'pino';
import type { RequestContext } from '../../context.ts';
import { formatGraphqlError, isInternal } from '../../graphql/errors.ts';
import { EXPLORER_HTML, mountExplorerAssets, wantsExplorer } from './explorer.ts';
import type { Prepare } from './prepare-operation.ts';
import { type PreparedContext, preparedContext, prepareRequest, runPrepared } from './prepared.ts';
import { wantsEventStream } from './sse.ts';

export const PATH = '/graphql';

export interface GraphqlParts {
  readonly schema: GraphQLSchema;
  readonly prepare: Prepare;
  readonly contextOf: (request: FastifyRequest, reply: FastifyReply) => Promise<RequestContext>;
  /** Answers those who want an event stream. */
  readonly stream: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/** Mounts `/graphql`: the API for those with a key, the explorer page for browsers. A key is asked for before anything is parsed. */
export async function mountGraphql(
  server: FastifyInstance,
  { schema, prepare, contextOf, stream }: GraphqlParts,
): Promise<ApolloServer<PreparedContext>> {
  const apollo = new ApolloServer<PreparedContext>({
    schema,
    introspection: true, // whether it is allowed was seen to when the operation was made ready
    csrfPrevention: true,
    persistedQueries: false,
    documentStore: null,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: formatGraphqlError,
    plugins: [ApolloServerPluginLandingPageDisabled(), runPrepared, withRequestId(server), sayTransports],
  });
  await apollo.start();
  mountExplorerAssets(server, PATH);
  const answer = fastifyApolloHandler(apollo, {
    context: async (request) => preparedContext(request),
  });
  server.route({
    method: ['GET', 'POST'],
    url: PATH,
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      if (wantsExplorer(request)) return reply.type('text/html; charset=utf-8').send(EXPLORER_HTML);
      request.context = await contextOf(request, reply);
    },
    preHandler: (request, reply) => prepareRequest(request, reply, prepare, server.log as Logger),
    onSend: async (request, reply, payload) =>
      reply.statusCode >= 400 && typeof payload === 'string' ? withId(payload, request.id) : payload,
    handler(request, reply) {
      return wantsEventStream(request) ? stream(request, reply) : answer.call(this, request, reply);
    },
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
const withRequestId = (server: FastifyInstance): ApolloServerPlugin<PreparedContext> => ({
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

/** One answer cannot carry a subscription. */
const sayTransports: ApolloServerPlugin<PreparedContext> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ operation }) {
        if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) return;
        const message =
          'Subscriptions are served on this path over WebSocket (subprotocol graphql-transport-ws) and as an event stream (Accept: text/event-stream).';
        throw new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });
      },
    };
  },
};
