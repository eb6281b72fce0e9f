import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { RequestContext } from '../context.ts';
import { databaseUnavailable } from '../db/unavailable.ts';
import { AppError } from '../domain/errors.ts';
import type { Message } from '../messages/message.ts';
import { requestMessages } from '../messages/requests.ts';
import type { Executions } from '../metering/executions.ts';
import type { Observer } from '../observer.ts';
import { type HttpCode, type Problem, problem, problemOf } from '../rest/problem.ts';
import { HEALTH_PATHS } from './health.ts';
import { languageOf, readerOf, writeLanguage } from './language.ts';
import { type Before, BODY_TOO_DEEP, BODY_TOO_WIDE } from './limits.ts';
import { apiKeyOf, crossOriginHeaders, graphqlContentType, isGraphql } from './request.ts';
import { PROBLEM_TYPE } from './rest.ts';

/** Fastify error code → code and message of this API. */
const FASTIFY_ERRORS: Readonly<Record<string, readonly [HttpCode, () => Message]>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: ['MALFORMED_BODY', requestMessages.notJson],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['MALFORMED_BODY', requestMessages.emptyBody],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['MALFORMED_BODY', requestMessages.wrongLength],
  [BODY_TOO_WIDE]: ['MALFORMED_BODY', requestMessages.tooManyFields],
  [BODY_TOO_DEEP]: ['MALFORMED_BODY', requestMessages.tooDeep],
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', requestMessages.tooLarge],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', requestMessages.mediaType],
};

/**
 * Formats every error for its transport: GraphQL errors on `/graphql`, problem documents (RFC 9457) elsewhere. Refusals by the rate of a module
 * wait for their turn; those for want of a slot are needed at once in an overload.
 */
export function mountErrors(server: FastifyInstance): void {
  server.setErrorHandler(async (given: FastifyError | AppError, request, reply) => {
    return send(reply, await answerToError(given, request, request));
  });
}

/**
 * Answers requests for unknown paths before their bodies are read, because they need no key. It comes after the hooks that write headers.
 * @param hintFor returns the sentence for an unknown path
 */
export function mountNotFound(server: FastifyInstance, hintFor: (url: string) => Message): void {
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    send(reply, answerOf(request, problem('NOT_FOUND', hintFor(request.url), readerOf(request))));
  server.setNotFoundHandler(answer);
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404) void answer(request, reply);
    else done();
  });
}

/** The parts of a request on which the form of an error depends. */
type Requested = Pick<FastifyRequest, 'id' | 'url' | 'headers'>;

/** The answer to an error. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** Content type. */
  readonly type: string;
  readonly body: object;
}

/** Logs an internal error, waits before the refusal of a request over its rate, and returns the answer. */
export async function answerToError(
  given: FastifyError | AppError,
  request: Requested,
  { log, context }: { readonly log: Pick<Logger, 'error'>; readonly context: Pick<RequestContext, 'paceRefusal'> | null },
): Promise<ErrorAnswer> {
  const error = databaseUnavailable(given) ?? given;
  const document = toProblem(error, request);
  if (document.status >= 500 && document.code === 'internal') log.error({ err: error }, 'request failed');
  if (error instanceof AppError && isOverRate(error)) await context?.paceRefusal();
  return answerOf(request, document, error instanceof AppError ? error.facts.retryAfterSeconds : undefined);
}

/** True for a refusal by the rate limit of a module. */
const isOverRate = ({ code, facts }: AppError): boolean => code === 'RATE_LIMITED' && facts.module !== undefined;

/**
 * Refusals that are valid until the end of the current tick of the event loop, by the text of the API key. A key without free slots hardly
 * gets one within the tick, in which hundreds of its requests may be read.
 */
export class TickRefusals {
  readonly #byKey = new Map<string, AppError>();

  /** Stores an error, and returns it. */
  add(key: string, error: AppError): AppError {
    if (this.#byKey.size === 0) setImmediate(() => this.#byKey.clear());
    this.#byKey.set(key, error);
    return error;
  }

  find(key: unknown): AppError | null {
    return (typeof key === 'string' ? this.#byKey.get(key) : undefined) ?? null;
  }
}

export interface ShedLoadParts {
  readonly executions: Pick<Executions, 'overload'>;
  readonly refusals: TickRefusals;
  readonly allowedOrigins: readonly string[];
  readonly observer?: Observer | undefined;
  readonly log: Logger;
}

/**
 * Refuses requests while no execution may start, and requests of a key that was refused in the same tick, before their key is looked up
 * and their body is read. Refused clients retry, and each refusal takes CPU time from other requests, so it does not create a Fastify
 * request. Health probes and preflight requests are answered.
 */
export function shedLoad({ executions, refusals, allowedOrigins, observer, log }: ShedLoadParts): Before {
  return (request, response, next) => {
    const { method = '', url = '', headers } = request;
    const error = method === 'OPTIONS' || HEALTH_PATHS.has(url) ? null : (executions.overload() ?? refusals.find(apiKeyOf(headers)));
    if (!error) return next();
    const span = observer?.startSpan({ kind: 'request', name: `${method} refused` });
    const reqId = randomUUID();
    const language = languageOf(headers);
    const document = problemOf(error, { requestId: reqId, language });
    const { status } = document;
    const [type, body] = isGraphql({ url }) ? [graphqlContentType({ headers }), toGraphqlResponse(document)] : [PROBLEM_TYPE, document];
    const text = JSON.stringify(body);
    response.writeHead(status, {
      ...crossOriginHeaders(allowedOrigins, headers.origin),
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'retry-after': String(error.facts.retryAfterSeconds),
      'x-request-id': reqId,
      ...(language !== 'en' && { 'content-language': language }),
    });
    response.end(text);
    span?.end(String(status));
    log.info({ reqId, method, path: 'refused', status, ms: 0 }, 'answered');
  };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Returns a function that makes the server answer 405 with `Allow` for the methods that a path does not serve. It does so for the paths that
 * were mounted between the two calls, except for folders (`/docs/*`).
 */
export function collectMethods(server: FastifyInstance): () => void {
  const served = new Map<string, readonly string[]>();
  server.addHook('onRoute', ({ url, method }) => {
    if (!url.includes('*')) served.set(url, [...(served.get(url) ?? []), ...[method].flat()]);
  });
  return () => {
    for (const [url, methods] of [...served]) refuseOtherMethods(server, url, methods);
  };
}

function refuseOtherMethods(server: FastifyInstance, url: string, served: readonly string[]): void {
  const methods = served.join(', ');
  server.route({
    method: METHODS.filter((method) => !served.includes(method)),
    url,
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      void reply.header('allow', methods);
      return send(
        reply,
        answerOf(request, problem('METHOD_NOT_ALLOWED', requestMessages.methodNotAllowed({ methods }), readerOf(request))),
      );
    },
    handler: async () => undefined,
  });
}

/** Maps an error to the problem document that callers see. Internal errors are masked. */
export function toProblem(error: FastifyError | AppError, request: Pick<FastifyRequest, 'id' | 'headers'>): Problem {
  const reader = readerOf(request);
  if (error instanceof AppError) return problemOf(error, reader);
  const [code, text] = FASTIFY_ERRORS[error.code] ?? [];
  if (code && text) return problem(code, text(), reader);
  if (error.statusCode && error.statusCode < 500) return problem('BAD_REQUEST', requestMessages.notUnderstood(), reader);
  return problemOf(error, reader);
}

function answerOf(request: Requested, document: Problem, retryAfterSeconds?: number): ErrorAnswer {
  const { status } = document;
  const headers: ErrorAnswer['headers'] = retryAfterSeconds === undefined ? [] : [['retry-after', String(retryAfterSeconds)]];
  if (!isGraphql(request)) return { status, headers, type: PROBLEM_TYPE, body: document };
  return { status, headers, type: graphqlContentType(request), body: toGraphqlResponse(document) };
}

function send(reply: FastifyReply, { status, headers, type, body }: ErrorAnswer): FastifyReply {
  for (const [name, value] of headers) void reply.header(name, value);
  writeLanguage(reply, languageOf(reply.request.headers));
  return reply.status(status).type(type).send(body);
}

/** Formats a problem document as a GraphQL response with one error. */
export const toGraphqlResponse = ({ code, detail, request_id }: Problem) => ({
  errors: [{ message: detail, extensions: { code: code.toUpperCase(), requestId: request_id } }],
});
