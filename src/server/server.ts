import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { ContextFor } from '../access/context-for.ts';
import type { RequestContext } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';
import { problem } from '../rest/problem.ts';
import type { Route } from '../rest/route.ts';
import { authenticate, type FindCaller, hasKeyInUrl } from './authenticate.ts';
import { mountErrors, mountMethodNotAllowed } from './errors.ts';
import { mountGraphql } from './graphql.ts';
import { mountHealth, type Readiness } from './health.ts';
import { mountRest, sendProblem } from './rest.ts';

export interface ServerParts {
  readonly schema: GraphQLSchema;
  readonly routes: readonly Route[];
  readonly findCaller: FindCaller;
  readonly contextFor: ContextFor;
  readonly readiness: Readiness;
  readonly log: Logger;
}

const MAX_BODY_BYTES = 1024 * 1024;

/** The HTTP server, not yet listening: `/v1`, `/graphql`, health. */
export async function createServer({ schema, routes, findCaller, contextFor, readiness, log }: ServerParts): Promise<FastifyInstance> {
  const server = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 15 * SECOND_MS,
    genReqId: () => randomUUID(),
    frameworkErrors: (_error, request, reply) => sendProblem(reply, problem('BAD_REQUEST', 'This URL cannot be understood.', request.id)),
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true },
  }) as unknown as FastifyInstance;

  async function contextOf(request: FastifyRequest): Promise<RequestContext> {
    if (hasKeyInUrl(request.url))
      throw new AppError('INVALID_API_KEY', 'Send the API key in the X-API-Key header, never in a URL; replace this key.');
    const caller = await authenticate(request, findCaller);
    return contextFor(caller, request.id);
  }

  server.removeContentTypeParser('text/plain');
  mountErrors(server);
  server.addHook('onSend', async (request, reply) => {
    void reply.header('x-request-id', request.id);
  });
  server.addHook('onResponse', async (request, reply) => {
    const path = request.routeOptions.url ?? 'unmatched'; // never the URL itself: people put keys into it
    request.log.info({ method: request.method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered');
  });
  mountHealth(server, readiness);
  mountRest(server, routes, contextOf);
  const apollo = await mountGraphql(server, schema, contextOf);
  for (const [path, served] of Map.groupBy(routes, ({ path }) => path))
    mountMethodNotAllowed(
      server,
      path,
      served.map(({ method }) => method),
    );
  mountMethodNotAllowed(server, '/graphql', ['GET', 'POST']);
  server.addHook('onClose', () => apollo.stop());
  return server;
}
