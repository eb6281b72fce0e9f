import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { askAs } from '../access/ask.ts';
import type { RequestContext } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';
import type { Loaders } from '../loaders/loader.ts';
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
  readonly loaders: Loaders;
  readonly findCaller: FindCaller;
  readonly sources: RequestContext['sources'];
  readonly readiness: Readiness;
  readonly now: Clock;
  readonly log: Logger;
}

const MAX_BODY_BYTES = 1024 * 1024;

/** The HTTP server, not yet listening: `/v1`, `/graphql`, health. */
export async function createServer({
  schema,
  routes,
  loaders,
  findCaller,
  sources,
  readiness,
  now,
  log,
}: ServerParts): Promise<FastifyInstance> {
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
    return { requestId: request.id, caller, ask: askAs(caller, loaders.scope()), sources, now };
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
  for (const { path, method } of routes) mountMethodNotAllowed(server, path, [method]);
  mountMethodNotAllowed(server, '/graphql', ['GET', 'POST']);
  server.addHook('onClose', () => apollo.stop());
  return server;
}
