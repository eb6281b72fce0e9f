import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalidInput } from '../domain/errors.ts';
import { type Attempt, type Idempotency, inProgress } from '../metering/idempotency-keys.ts';
import type { ContextFor } from '../metering/metering.ts';
import { asGraphql, isGraphql, toProblem } from './errors.ts';
import { wantsEventStream } from './graphql/sse.ts';

export interface IdempotencyParts {
  readonly idempotency: Idempotency;
  readonly contextFor: ContextFor;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The right to answer under the request's Idempotency-Key. */
    attempt: Attempt | null;
  }
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * POSTs with an `Idempotency-Key`, once their caller is known: the first is answered, and its answer, where it is a success, kept
 * before it is given; those that repeat it get the same, with `Idempotent-Replayed: true`. Streams of events are no answers to keep.
 */
export function mountIdempotency(server: FastifyInstance, { idempotency, contextFor }: IdempotencyParts): void {
  server.decorateRequest('attempt', null);

  server.addHook('preHandler', async (request, reply) => {
    const { context } = request;
    const key = request.headers['idempotency-key'];
    if (request.method !== 'POST' || key === undefined || !context || wantsEventStream(request)) return;
    if (typeof key !== 'string' || !KEY.test(key))
      throw invalidInput('Idempotency-Key', 'An Idempotency-Key is 1 to 255 visible characters without blanks.');
    const { caller, requestId, startedAt, signal } = context;
    const found = await idempotency.begin({ keyId: caller.keyId, key }, hashOf(request)).catch(unreachable);
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
    if (status >= 300 || typeof payload !== 'string') {
      await attempt.release().catch(() => undefined); // its lease ends by itself
      return payload;
    }
    try {
      const headers = { 'content-type': String(reply.getHeader('content-type')) };
      if (await attempt.complete({ status, headers, body: payload })) return payload;
      return refuse(request, reply, inProgress());
    } catch (error) {
      return refuse(request, reply, unkept(error));
    }
  });
}

/** The request as a whole, but for its headers; how its JSON is spaced does not matter. */
const hashOf = ({ url, body }: FastifyRequest): Buffer =>
  createHash('sha256')
    .update(`${url}\n${JSON.stringify(body)}`)
    .digest();

function unreachable(error: unknown): never {
  throw error instanceof AppError ? error : unkept(error);
}

const unkept = (cause: unknown): AppError =>
  new AppError(
    'SERVICE_UNAVAILABLE',
    'What came of your Idempotency-Key cannot be kept right now; repeat the request in a moment.',
    { retryAfterSeconds: 2 },
    { cause },
  );

/** A refusal in the place of an answer that is on its way out. */
function refuse(request: FastifyRequest, reply: FastifyReply, error: AppError): string {
  const document = toProblem(error, request);
  void reply.status(document.status).header('retry-after', String(error.facts.retryAfterSeconds));
  void reply.removeHeader('content-length');
  if (isGraphql(request)) return JSON.stringify(asGraphql(document));
  void reply.type('application/problem+json; charset=utf-8');
  return JSON.stringify(document);
}
