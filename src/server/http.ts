import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { RequestContext } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import type { Observer } from '../domain/observer.ts';
import type { Idempotency } from '../metering/idempotency-keys.ts';
import { problem } from '../rest/problem.ts';
import type { Route } from '../rest/route.ts';
import { limits, mountShell, type ShellParts } from './browser-policy.ts';
import { isGraphql, mountErrors, mountMethodNotAllowed } from './errors.ts';
import { type LiveParts, mountLive } from './graphql/live.ts';
import { mountGraphql } from './graphql/route.ts';
import { mountHealth, type Readiness } from './health.ts';
import { mountIdempotency } from './idempotency-hook.ts';
import { mountNesting } from './nesting.ts';
import { mountRateHeaders } from './rate-headers.ts';
import { workFor } from './request-lifetime.ts';
import { authenticate, hasKeyInUrl } from './require-caller.ts';
import { mountRest, sendProblem } from './rest.ts';
import { mountRequestScope } from './telemetry/request-scope.ts';

export interface ServerParts extends LiveParts, ShellParts {
  readonly observer?: Observer | undefined;
  readonly schema: GraphQLSchema;
  readonly routes: readonly Route[];
  readonly readiness: Readiness;
  readonly idempotency: Idempotency;
  /** Networks (CIDR) whose X-Forwarded-For is believed; none where left out. */
  readonly trustedProxies?: readonly string[];
}

/** The HTTP server, not yet listening: `/v1`, `/graphql`, health. */
export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { schema, prepare, routes, findCaller, contextFor, readiness, log, deadlineMs } = parts;
  const server = fastify({
    ...limits,
    loggerInstance: log,
    childLoggerFactory: (logger) => logger, // the request's id comes from its scope
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: parts.trustedProxies?.length ? [...parts.trustedProxies] : false,
    frameworkErrors: (_error, request, reply) => sendProblem(reply, problem('BAD_REQUEST', 'This URL cannot be understood.', request.id)),
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true },
    // Other upgrades, such as h2c, may be ignored.
    http: { ...limits.http, shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket' },
  }) as unknown as FastifyInstance;

  async function contextOf(request: FastifyRequest, reply: FastifyReply): Promise<RequestContext> {
    if (hasKeyInUrl(request.url))
      throw new AppError('INVALID_API_KEY', 'Send the API key in the X-API-Key header, never in a URL; replace this key.');
    const caller = await authenticate(request, findCaller);
    const { signal } = workFor(reply.raw, isGraphql(request) ? deadlineMs : undefined);
    return contextFor(caller, request.id, { signal });
  }

  server.removeContentTypeParser('text/plain');
  mountRequestScope(server, parts.observer);
  mountErrors(server);
  await mountShell(server, parts);
  server.addHook('onSend', async (request, reply) => {
    void reply.header('x-request-id', request.id);
  });
  server.addHook('onResponse', async (request, reply) => {
    const path = request.routeOptions.url ?? 'unmatched'; // never the URL itself: people put keys into it
    const facts = { method: request.method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    request.inScope?.(() => request.log.info(facts, 'answered'));
  });
  mountRateHeaders(server);
  mountNesting(server);
  mountIdempotency(server, parts);
  mountHealth(server, readiness);
  mountRest(server, routes, contextOf);
  const apollo = await mountGraphql(server, { schema, prepare, contextOf, stream: mountLive(server, parts) });
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
