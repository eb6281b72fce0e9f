import type { ApolloServerPlugin } from '@apollo/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Logger } from 'pino';
import type { RequestContext } from '../../context.ts';
import { AppError } from '../../domain/errors.ts';
import { problem } from '../../rest/problem.ts';
import { costIn, isRefused, type Operation, showErrors } from './execute.ts';
import type { Prepare } from './prepare-operation.ts';
import { readRequest } from './request.ts';
import { wantsEventStream } from './sse.ts';

/** What Apollo works with: a request's context, and what the request is to run. */
export interface PreparedContext extends RequestContext {
  readonly operation: Operation;
}

const prepared = new WeakMap<FastifyRequest, Operation>();

/** Makes the operation of a request ready, or answers why it is not run, before Apollo sees it. */
export async function prepareRequest(request: FastifyRequest, reply: FastifyReply, prepare: Prepare, log: Logger): Promise<unknown> {
  const { context } = request;
  if (!context) throw new Error('GraphQL was asked without a context');
  if (wantsEventStream(request)) return undefined;
  const asked = readRequest(request);
  if (typeof asked === 'string') return refuse(reply.status(400), [{ message: asked, extensions: { code: 'BAD_REQUEST' } }]);
  const operation = await prepare(asked, context.caller);
  if (isRefused(operation)) return refuse(withStatus(reply, operation), showErrors(operation, context.requestId, log));
  prepared.set(request, operation);
  return undefined;
}

/** @throws Error for a request that was not made ready */
export function preparedContext(request: FastifyRequest): PreparedContext {
  const operation = prepared.get(request);
  if (!operation || !request.context) throw new Error('GraphQL ran what was not made ready');
  return { ...request.context, operation };
}

/** Lets Apollo run what was made ready, that and nothing else, and say what it cost. */
export const runPrepared: ApolloServerPlugin<PreparedContext> = {
  async requestDidStart({ request, contextValue }) {
    const { operation } = contextValue;
    const { document, operationName, variableValues } = operation;
    request.query = '# made ready';
    request.operationName = operationName ?? undefined;
    request.variables = variableValues ?? undefined;
    request.extensions = undefined;
    return {
      async didResolveSource(context) {
        (context as { document: typeof document }).document = document;
      },
      async willSendResponse({ response: { body } }) {
        if (body.kind !== 'single') return;
        const { singleResult } = body;
        singleResult.extensions = { ...singleResult.extensions, cost: costIn(operation, contextValue) };
      },
    };
  },
};

function withStatus(reply: FastifyReply, [error]: readonly GraphQLError[]): FastifyReply {
  const ours = error?.originalError instanceof AppError ? error.originalError : null;
  const { retryAfterSeconds } = ours?.facts ?? {};
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
  const isLater = ours?.code === 'RATE_LIMITED' || ours?.code === 'SERVICE_UNAVAILABLE';
  return reply.status(isLater ? problem(ours.code, '', '').status : 400);
}

function refuse(reply: FastifyReply, errors: readonly GraphQLFormattedError[]): FastifyReply {
  const wanted = reply.request.headers.accept ?? '';
  const type = wanted.includes('application/graphql-response+json') ? 'application/graphql-response+json' : 'application/json';
  return reply.type(`${type}; charset=utf-8`).send({ errors });
}
