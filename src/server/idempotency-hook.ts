import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalidInput } from '../domain/errors.ts';
import { type Attempt, type Idempotency, inProgress } from '../metering/idempotency-keys.ts';
import type { ContextFor } from '../metering/metering.ts';
import { prefersEventStream } from './content-negotiation.ts';
import { toGraphqlResponse, toProblem } from './errors.ts';
import { isGraphql } from './request.ts';
import { isIncomplete } from './retryable.ts';

export interface IdempotencyParts {
  readonly idempotency: Idempotency;
  readonly contextFor: ContextFor;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Holds the request's Idempotency-Key until its answer is stored or the key is released. Null without the header. */
    attempt: Attempt | null;
    /** True once a mutation runs: its answer is stored even if it is incomplete, so that it never runs twice. */
    hasSideEffects: boolean;
  }
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Implements `Idempotency-Key` for authenticated POSTs. The first request is answered, and its answer is stored before it is sent if it is
 * a success. Answers that lack data for a reason that passes are not stored, except those of mutations. Repeated requests get the stored
 * answer with `Idempotent-Replayed: true`. Event streams are not stored and refuse the header.
 */
export function mountIdempotency(server: FastifyInstance, { idempotency, contextFor }: IdempotencyParts): void {
  server.decorateRequest('attempt', null);
  server.decorateRequest('hasSideEffects', false);

  server.addHook('preHandler', async (request, reply) => {
    const { context } = request;
    const key = request.headers['idempotency-key'];
    if (request.method !== 'POST' || key === undefined || !context || (isGraphql(request) && prefersEventStream(request))) return;
    if (typeof key !== 'string' || !KEY.test(key))
      throw invalidInput('Idempotency-Key', 'An Idempotency-Key is 1 to 255 visible characters without blanks.');
    const { caller, requestId, startedAt, signal } = context;
    const found = await idempotency.begin({ keyId: caller.keyId, key }, requestHash(request)).catch(storeUnavailable);
    if ('status' in found)
      return reply
        .status(found.status)
        .headers({ ...found.headers, 'idempotent-replayed': 'true' })
        .send(found.body);
    request.attempt = found;
    request.context = contextFor(caller, requestId, { startedAt, signal, claim: found.claim });
  });

  server.addHook('onSend', async (request, reply, payload) => {
    const { attempt } = request;
    if (!attempt) return payload;
    request.attempt = null;
    const { statusCode: status } = reply;
    if (status >= 300 || typeof payload !== 'string' || (!request.hasSideEffects && isIncomplete(payload))) {
      await attempt.release().catch(() => undefined); // its lease expires by itself
      return payload;
    }
    try {
      const headers = { 'content-type': String(reply.getHeader('content-type')) };
      if (await attempt.complete({ status, headers, body: payload })) return payload;
      return refuse(request, reply, inProgress());
    } catch (error) {
      return refuse(request, reply, notStored(error));
    }
  });
}

/** SHA-256 of the URL and the decoded body: headers and JSON whitespace do not matter. */
const requestHash = ({ url, body }: FastifyRequest): Buffer =>
  createHash('sha256')
    .update(`${url}\n${JSON.stringify(body)}`)
    .digest();

function storeUnavailable(error: unknown): never {
  throw error instanceof AppError ? error : notStored(error);
}

const notStored = (cause: unknown): AppError =>
  new AppError(
    'SERVICE_UNAVAILABLE',
    'What came of your Idempotency-Key cannot be kept right now; repeat the request in a moment.',
    { retryAfterSeconds: 2 },
    { cause },
  );

/** Replaces an answer by an error in the onSend hook. Returns the new payload. */
function refuse(request: FastifyRequest, reply: FastifyReply, error: AppError): string {
  const document = toProblem(error, request);
  void reply.status(document.status).header('retry-after', String(error.facts.retryAfterSeconds));
  void reply.removeHeader('content-length');
  if (isGraphql(request)) return JSON.stringify(toGraphqlResponse(document));
  void reply.type('application/problem+json; charset=utf-8');
  return JSON.stringify(document);
}
