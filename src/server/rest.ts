import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import es from 'zod/v4/locales/es.js';
import pt from 'zod/v4/locales/pt.js';
import { requireRole } from '../auth/require-role.ts';
import type { Reader, RequestContext } from '../context.ts';
import { roleFor } from '../domain/roles.ts';
import { fieldMessages } from '../messages/fields.ts';
import { translated } from '../messages/message.ts';
import { type Problem, problem } from '../rest/problem.ts';
import { FileReply, type Route } from '../rest/route.ts';
import { languageOf, writeLanguage } from './language.ts';
import { withinDeadline } from './request.ts';

/** Mounts the `/v1` endpoints. `createContext` authenticates; it runs before the body is read. */
export function mountRest(
  server: FastifyInstance,
  routes: readonly Route[],
  createContext: (request: FastifyRequest, reply: FastifyReply) => Promise<RequestContext>,
): void {
  server.decorateRequest('context', null);
  for (const route of routes) {
    server.route({
      method: route.method,
      url: route.path,
      exposeHeadRoute: false,
      ...(route.maxBodyBytes !== undefined && { bodyLimit: route.maxBodyBytes }),
      onRequest: async (request, reply) => {
        request.context = await createContext(request, reply);
        if (route.rate) await request.context.limitAction(route.rate);
        if (!requiresBody(route) && !hasBody(request)) delete request.headers['content-type']; // some clients send it without a body
      },
      handler: async (request, reply) => {
        const { context } = request;
        if (!context) throw new Error('a REST request has no context');
        const body = route.body.safeParse(inputOf(route, request), PARSING[context.language]);
        if (!body.success) return sendInvalidInput(reply, body.error, context);
        const given = await executeRoute(route, body.data, context);
        return sendAnswer(reply.headers(headersOf(route, given)), given);
      },
    });
  }
}

/** Runs an endpoint with its validated input. @throws AppError, ROLE_NOT_ALLOWED before the endpoint is called */
export function executeRoute(route: Route, input: unknown, context: RequestContext): Promise<unknown> {
  if (route.role) requireRole(context.caller, roleFor(route.role, input));
  return context.execute(() => withinDeadline(context.signal, () => route.handle(input, context)));
}

/** Returns the headers of a success that depend on its reply. */
export const headersOf = (route: Route, given: unknown): Readonly<Record<string, string>> => route.headersOf?.(given as never) ?? {};

function sendAnswer(reply: FastifyReply, answer: unknown): FastifyReply {
  if (!(answer instanceof FileReply)) return reply.send(answer);
  return reply.type(answer.type).header('content-disposition', `attachment; filename="${answer.name}"`).send(answer.content);
}

const takesBody = ({ method }: Route): boolean => method === 'POST' || method === 'PATCH';

/** True for a route whose body is required. A route with a parameter in its path needs none. */
const requiresBody = (route: Route): boolean => takesBody(route) && !route.path.includes(':');

/**
 * Returns the body or the query, with the parameters of the path. A body that is not an object is passed to the schema, which refuses it.
 */
export function inputOf(route: Route, { body, query, params }: Pick<FastifyRequest, 'body' | 'query' | 'params'>): unknown {
  const given = (takesBody(route) ? body : query) ?? {};
  return typeof given === 'object' && !Array.isArray(given) ? { ...given, ...Object(params) } : given;
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext | null;
  }
}

/** Texts of the schemas' own messages, by the library. A schema with a message of its own states it in English. */
const PARSING = { en: undefined, es: { error: es().localeError }, pt: { error: pt().localeError } };

function sendInvalidInput(reply: FastifyReply, error: z.ZodError, reader: Reader): FastifyReply {
  const { language } = reader;
  const errors = error.issues.map(({ path, message, code }) => {
    const isNoObject = code === 'invalid_type' && path.length === 0;
    return { field: path.join('.') || 'body', message: isNoObject ? fieldMessages.object().in(language) : translated(message, language) };
  });
  const detail = errors.map(({ field, message }) => `${field}: ${message}`).join(' ');
  return sendProblem(reply, problem('INVALID_INPUT', { in: () => detail }, reader, errors));
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Sends a problem document. */
export function sendProblem(reply: FastifyReply, document: Problem): FastifyReply {
  writeLanguage(reply, languageOf(reply.request.headers));
  return reply.status(document.status).type(PROBLEM_TYPE).send(document);
}
