import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Authenticator } from '../auth/authenticate.ts';
import type { SharedLimits } from '../cache/shared-limits.ts';
import type { RequestContext } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import type { ExecuteToText } from '../graphql/compiled/executor.ts';
import type { OperationValidator } from '../graphql/limits/validate-operation.ts';
import { requestMessages } from '../messages/requests.ts';
import type { Executions } from '../metering/executions.ts';
import type { Idempotency } from '../metering/idempotency-keys.ts';
import type { ContextFor } from '../metering/request-context.ts';
import type { Observer } from '../observer.ts';
import { problem } from '../rest/problem.ts';
import type { PublicPage, Route } from '../rest/route.ts';
import type { Open } from '../service.ts';
import { mountAgents } from './agents.ts';
import { collectMethods, mountErrors, mountNotFound, shedLoad, TickRefusals } from './errors.ts';
import type { PrepareOperation } from './graphql/prepare-operation.ts';
import { mountGraphql } from './graphql/route.ts';
import { Sessions } from './graphql/sessions.ts';
import { createEventStreams } from './graphql/sse.ts';
import { mountWebSockets } from './graphql/websocket.ts';
import { createPathHint, mountEndpoints, mountSecurityContact } from './guide.ts';
import { mountHealth, type Readiness } from './health.ts';
import { mountIdempotency } from './idempotency-hook.ts';
import { languageOf, readerOf, writeLanguage } from './language.ts';
import {
  closeStalledConnections,
  closeUnusedConnections,
  limitBodies,
  limitPipelining,
  mountBefore,
  requestLimits,
  shortBodyReader,
} from './limits.ts';
import { mountMeteringHeaders } from './metering-headers.ts';
import { mountPages } from './pages.ts';
import { senderOf } from './person.ts';
import { mountPublicPages } from './public-pages.ts';
import { slowRefusedBodies } from './refused-bodies.ts';
import {
  allowsOrigin,
  apiKeyOf,
  EXPOSED_HEADERS,
  hasKeyInUrl,
  type IsTrustedProxy,
  isAllowedOrigin,
  originRefused,
  requireCaller,
  startLifetime,
  trustedProxies,
} from './request.ts';
import { mountRequestLog } from './request-log.ts';
import { mountRest, sendProblem } from './rest.ts';
import { mountSecurityHeaders } from './security-headers.ts';
import { createShortPath } from './short-path/step.ts';
import { mountSignIn, type SignInParts } from './sign-in/routes.ts';
import { mountRequestScope } from './telemetry/request-scope.ts';

export interface ServerParts {
  readonly schema: GraphQLSchema;
  readonly prepareOperation: PrepareOperation;
  /** The validator of `prepareOperation`. */
  readonly validator: OperationValidator;
  /** True if every key may run trusted documents only. */
  readonly trustedOnly: boolean;
  readonly routes: readonly Route[];
  /** JSON documents without a key, by path. */
  readonly publicDocuments?: Readonly<Record<string, () => Promise<unknown>>>;
  /** Pages without a key. */
  readonly publicPages?: readonly PublicPage[];
  /** Returns a service, for public pages. */
  readonly open?: Open;
  readonly authenticator: Authenticator;
  /** Sign-in of people by OpenID Connect; absent if they sign in with an API key only. */
  readonly signIn?: Pick<SignInParts, 'signIn' | 'rateLimiter'>;
  readonly contextFor: ContextFor;
  readonly executions: Pick<Executions, 'refusal' | 'overload'>;
  readonly idempotency: Idempotency;
  readonly readiness: Readiness;
  /** Deadline of a REST request and of a GraphQL query or mutation, in ms. */
  readonly deadlineMs: number;
  /** Origins whose pages may call from browsers. */
  readonly allowedOrigins: readonly string[];
  /** Maximum number of concurrent connections. Further ones are closed without a response. Without it there is no limit. */
  readonly maxConnections?: number;
  /** Networks (CIDR) of proxies whose X-Forwarded-For is trusted. Without it none is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Limits over all processes; undefined without Redis. */
  readonly limits?: SharedLimits | undefined;
  readonly observer?: Observer | undefined;
  /** Executes GraphQL queries to text. Without it graphql-js executes all operations. */
  readonly executeToText?: ExecuteToText | undefined;
  /** Handles requests that change the made-up world; absent in live mode. */
  readonly controlSandbox?: ControlSandbox | undefined;
  /** False if plain requests take the full path, too; default true. */
  readonly shortPath?: boolean;
  readonly log: Logger;
}

/** @param request request with the path below `/sandbox/`; the response is JSON */
type ControlSandbox = (request: {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}) => ControlAnswer | Promise<ControlAnswer>;

interface ControlAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Creates the HTTP server, not yet listening: `/v1`, `/graphql`, `/mcp`, `/dashboard`, `/sandbox`, `/healthz`, `/readyz`. The order of the hooks
 * matters. Hooks of every request use callbacks, because each async hook costs promises.
 */
export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { schema, prepareOperation, routes, authenticator, contextFor, executions, deadlineMs, maxConnections, executeToText, log } = parts;
  const isTrustedProxy = trustedProxies(parts.trustedProxies ?? []);
  const server = newServer(parts, isTrustedProxy);
  const refusals = new TickRefusals();
  const sessions = new Sessions(authenticator, log, parts.limits);

  async function createContext(request: FastifyRequest, reply: FastifyReply): Promise<RequestContext> {
    const language = languageOf(request.headers);
    writeLanguage(reply, language);
    if (hasKeyInUrl(request.url)) throw new AppError('INVALID_API_KEY', requestMessages.keyInUrl());
    const key = apiKeyOf(request.headers);
    const caller = await requireCaller(key, senderOf(request.headers, request.ip, authenticator.people), authenticator);
    const refusal = executions.refusal(caller.keyId);
    if (refusal) throw refusals.add(String(key), refusal);
    const { signal } = startLifetime(reply.raw, deadlineMs);
    return contextFor(caller, request.id, { signal, language });
  }

  const refuseOtherMethods = collectMethods(server);
  mountRequestScope(server, parts.observer);
  mountErrors(server);
  if (maxConnections !== undefined) server.server.maxConnections = maxConnections;
  closeStalledConnections(server);
  closeUnusedConnections(server);
  await mountOriginPolicy(server, parts.allowedOrigins);
  mountSecurityHeaders(server);
  mountRequestLog(server);
  mountMeteringHeaders(server);
  limitBodies(server);
  mountNotFound(server, createPathHint(routes));
  mountIdempotency(server, parts);
  const isDraining = mountDraining(server);
  mountHealth(server, parts.readiness, isDraining);
  const pages = mountPages(server);
  mountSandbox(server, parts);
  if (parts.signIn) mountSignIn(server, { ...parts, ...parts.signIn });
  mountRest(server, routes, createContext);
  mountEndpoints(server, routes);
  mountSecurityContact(server, Date.now);
  mountPublicDocuments(server, parts.publicDocuments ?? {});
  if (parts.open) await mountPublicPages(server, parts.publicPages ?? [], parts.open);
  mountAgents(server, { ...parts, createContext, readPage: pages.read });

  const sockets = mountWebSockets(server, { ...parts, sessions, isTrustedProxy });
  const answerEventStream = createEventStreams(server, { ...parts, sessions });
  server.decorate('connectionCounts', () => ({
    sockets: sockets.size,
    streams: sessions.count('stream'),
    operations: sessions.operations(),
  }));
  const apollo = await mountGraphql(server, {
    schema,
    prepareOperation,
    createContext,
    answerEventStream,
    executeToText,
    serveExplorer: pages.serveExplorer,
    log,
  });
  server.addHook('onClose', () => apollo.stop());

  refuseOtherMethods();
  const shortPath = createShortPath(server, { ...parts, isDraining, readJson: shortBodyReader(server) });
  mountBefore(server, limitPipelining(), slowRefusedBodies(), shedLoad({ ...parts, refusals }), ...shortPath);
  return server;
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Makes the process report "not ready" and send `Connection: close`, so that clients move to another process. Requests are still
     * answered.
     */
    startDraining(): void;
  }
}

/** Adds `startDraining`. Returns a function that tells whether it was called. */
function mountDraining(server: FastifyInstance): () => boolean {
  let draining = false;
  server.decorate('startDraining', () => {
    draining = true;
  });
  server.addHook('onSend', (_, reply, _payload, done) => {
    if (draining) void reply.header('connection', 'close');
    done();
  });
  return () => draining;
}

function newServer({ log }: ServerParts, isTrustedProxy: IsTrustedProxy): FastifyInstance {
  const server = fastify({
    ...requestLimits,
    loggerInstance: log,
    childLoggerFactory: (logger) => logger, // the request scope adds the request id to log lines
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: isTrustedProxy,
    frameworkErrors: (_error, request, reply) =>
      sendProblem(reply, problem('BAD_REQUEST', requestMessages.urlNotUnderstood(), readerOf(request))),
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true },
    // Other upgrades, such as h2c, are ignored: the request is answered over HTTP/1.1.
    http: { ...requestLimits.http, shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket' },
  }) as unknown as FastifyInstance;
  server.removeContentTypeParser('text/plain');
  return server;
}

/**
 * Sends CORS headers to pages of allowed origins. The preflight request of another origin gets 403 and a sentence that names the setting,
 * which browsers show in their network log.
 */
async function mountOriginPolicy(server: FastifyInstance, allowedOrigins: readonly string[]): Promise<void> {
  server.addHook('onRequest', ({ method, headers }, _, done) => {
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    const isRefused = isPreflight && headers.origin !== undefined && !allowsOrigin(allowedOrigins, headers.origin);
    done(isRefused ? originRefused() : undefined);
  });
  if (allowedOrigins.length === 0) return;
  await server.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && allowsOrigin(allowedOrigins, origin)),
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
    strictPreflight: false,
  });
  // Event streams bypass Fastify's reply, so the CORS headers are copied to the raw response.
  server.addHook('onRequest', ({ headers }, reply, done) => {
    if (headers.origin !== undefined)
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (name.startsWith('access-control-') && value !== undefined) reply.raw.setHeader(name, value);
    done();
  });
}

/**
 * Mounts the control API of the sandbox at `/sandbox/`, for pages of this host and of allowed origins, which can call no other address.
 * Any key may change the made-up world. Nothing is mounted in live mode.
 */
function mountSandbox(
  server: FastifyInstance,
  { controlSandbox, authenticator, allowedOrigins }: Pick<ServerParts, 'controlSandbox' | 'authenticator' | 'allowedOrigins'>,
): void {
  if (!controlSandbox) return;
  server.route<{ Params: { '*': string } }>({
    method: ['GET', 'PUT', 'PATCH', 'DELETE'],
    url: '/sandbox/*',
    async handler({ method, headers, ip, params, body }, reply) {
      if (!isAllowedOrigin(headers, allowedOrigins)) throw originRefused();
      await requireCaller(apiKeyOf(headers), senderOf(headers, ip, authenticator.people), authenticator);
      const answer = await controlSandbox({ method, path: params['*'], body: JSON.stringify(body ?? null) });
      return reply.status(answer.status).type('application/json; charset=utf-8').send(answer.body);
    },
  });
}

/** Mounts documents that anyone may read and caches may keep for a minute. */
function mountPublicDocuments(server: FastifyInstance, documents: Readonly<Record<string, () => Promise<unknown>>>): void {
  for (const [path, read] of Object.entries(documents))
    server.get(path, async (_, reply) => reply.header('cache-control', 'public, max-age=60').send(await read()));
}
