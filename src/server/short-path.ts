import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyError, FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Caller, RequestContext } from '../context.ts';
import type { Executions } from '../metering/executions.ts';
import type { ContextFor } from '../metering/request-context.ts';
import type { Observer } from '../observer.ts';
import type { Route } from '../rest/route.ts';
import { answerToError } from './errors.ts';
import type { Before, ReadJson } from './limits.ts';
import { meteringHeaders } from './metering-headers.ts';
import { startLifetime } from './request.ts';
import { logAnswered } from './request-log.ts';
import { executeRoute, headersOf, inputOf } from './rest.ts';
import { securityHeaders } from './security-headers.ts';
import { inLogScope } from './telemetry/request-scope.ts';

export interface ShortPathParts {
  readonly routes: readonly Route[];
  readonly authenticator: Pick<Authenticator, 'known'>;
  readonly executions: Pick<Executions, 'refusal'>;
  readonly contextFor: ContextFor;
  /** Deadline of a request, in ms. */
  readonly deadlineMs: number;
  readonly allowedOrigins: readonly string[];
  readonly readJson: ReadJson;
  readonly isDraining: () => boolean;
  /** With an observer every request takes the full path, which starts its spans. */
  readonly observer?: Observer | undefined;
  /** False switches the short path off. */
  readonly shortPath?: boolean;
  readonly log: Logger;
}

/** A request that takes the short path. */
interface Plain {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly caller: Caller;
  /** Validated input of the route. */
  readonly input: unknown;
  /** Value of `performance.now()`. */
  readonly startedAt: number;
}

/** An answer before its headers are complete. */
interface Answer {
  readonly status: number;
  readonly headers: Iterable<readonly [string, string]>;
  readonly type: string;
  readonly body: unknown;
}

type Headers = IncomingMessage['headers'];

/**
 * Paths of the routes that gain at least a quarter of their CPU time (decision 0034). Each has a short body, a JSON reply, and no rate
 * limit of its own.
 */
export const SHORT_PATHS: ReadonlySet<string> = new Set([
  '/v1/compliance-br',
  '/v1/kyb',
  '/v1/owners',
  '/v1/debarment',
  '/v1/sanctions',
  '/v1/enrich',
  '/v1/tenders',
]);

/** Header of a body of 1 to 9,999 bytes. Almost all requests have less than 100. */
const SHORT_LENGTH = /^[1-9]\d{0,3}$/;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Creates the short path: the step before Fastify that answers plain requests itself. It decides before anything is counted or charged.
 * All other requests go to `next`, the full path, as if the short path were absent. `docs/request-path.md` describes both.
 */
export function createShortPath(server: FastifyInstance, parts: ShortPathParts): readonly Before[] {
  if (parts.shortPath === false || parts.observer) return [];
  const { authenticator, executions, isDraining, readJson } = parts;
  const routes = new Map<string, Route>(parts.routes.filter(isShort).map((route) => [route.path, route]));
  const answer = createAnswer(parts);
  let isClosing = false;
  server.addHook('preClose', (done) => {
    isClosing = true; // Fastify refuses requests from now on
    done();
  });

  const step: Before = (request, response, next) => {
    const route = routes.get(request.url ?? '');
    if (!route || request.method !== 'POST' || !isPlain(request.headers) || isClosing || isDraining()) return next();
    const startedAt = performance.now();
    const caller = authenticator.known(String(request.headers['x-api-key']));
    if (!caller || executions.refusal(caller.keyId)) return next();
    request.once('readable', () => {
      const text = readWhole(request);
      const read = text === null ? null : readJson(text);
      const input = read && route.body.safeParse(inputOf(route, { body: read.body, query: {}, params: {} }));
      if (input?.success) answer({ request, response, route, caller, input: input.data, startedAt });
      else {
        if (text !== null) request.unshift(Buffer.from(text));
        next();
      }
    });
  };
  return [step];
}

const isShort = ({ method, path }: Route): boolean => method === 'POST' && SHORT_PATHS.has(path);

/** True for headers that need nothing but a known key and a JSON body. */
const isPlain = (headers: Headers): boolean =>
  typeof headers['x-api-key'] === 'string' &&
  headers['content-type'] === 'application/json' &&
  SHORT_LENGTH.test(headers['content-length'] ?? '') &&
  headers['transfer-encoding'] === undefined &&
  headers['idempotency-key'] === undefined &&
  headers.origin === undefined;

/** Reads the body if all of it has arrived and is UTF-8; otherwise returns null, and the body stays unread. */
function readWhole(request: IncomingMessage): string | null {
  const chunk = request.read() as Buffer | null;
  if (chunk === null) return null;
  const text = chunk.toString();
  if (chunk.length === Number(request.headers['content-length']) && Buffer.byteLength(text) === chunk.length) return text;
  request.unshift(chunk);
  return null;
}

/** Creates the function that answers a plain request, whatever comes of it. */
function createAnswer({ contextFor, deadlineMs, allowedOrigins, isDraining, log }: ShortPathParts): (plain: Plain) => void {
  /** Headers of every answer, as name, value, name, value. The plugin for CORS sends `Vary` if there are allowed origins. */
  const common = [...[...securityHeaders()].flat(), ...(allowedOrigins.length > 0 ? ['vary', 'Origin'] : [])];

  function send({ response }: Plain, context: RequestContext, { status, headers, type, body }: Answer): void {
    const text = JSON.stringify(body);
    const all = common.slice();
    for (const [name, value] of headers) all.push(name, value);
    all.push('content-type', type, 'x-request-id', context.requestId);
    for (const [name, value] of meteringHeaders(context)) all.push(name, value);
    if (isDraining()) all.push('connection', 'close');
    all.push('content-length', String(Buffer.byteLength(text)));
    response.writeHead(status, all);
    response.end(text);
  }

  async function answer(plain: Plain, context: RequestContext): Promise<void> {
    const { route, request } = plain;
    try {
      const body = await executeRoute(route, plain.input, context);
      send(plain, context, { status: 200, headers: Object.entries(headersOf(route, body)), type: JSON_TYPE, body });
    } catch (error) {
      const requested = { id: context.requestId, url: route.path, headers: request.headers };
      send(plain, context, await answerToError(error as FastifyError, requested, { log, context }));
    }
  }

  return (plain) => {
    const { response, route, caller, startedAt } = plain;
    const requestId = randomUUID();
    const { signal } = startLifetime(response, deadlineMs);
    const context = contextFor(caller, requestId, { signal });
    inLogScope(requestId, () => {
      const onEnd = () =>
        inLogScope(requestId, () =>
          logAnswered(log, { method: 'POST', path: route.path, status: response.statusCode, ms: performance.now() - startedAt }),
        );
      response.once('finish', onEnd);
      void answer(plain, context);
    });
  };
}
