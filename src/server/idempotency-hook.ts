import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, RequestContext, Uses } from '../context.ts';
import { hasChanged } from '../db/change.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import { AppError, invalidInput, isOutOfTime } from '../domain/errors.ts';
import { requestMessages } from '../messages/requests.ts';
import { requireModule } from '../metering/ask.ts';
import { type Attempt, type Idempotency, inProgress } from '../metering/idempotency-keys.ts';
import type { ContextFor } from '../metering/request-context.ts';
import { toGraphqlResponse, toProblem } from './errors.ts';
import { isGraphql, prefersEventStream } from './request.ts';
import { PROBLEM_TYPE } from './rest.ts';

export interface IdempotencyParts {
  readonly idempotency: Idempotency;
  readonly contextFor: ContextFor;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Attempt that has leased the request's Idempotency-Key until its answer is stored or the key is released; null without the header. */
    attempt: Attempt | null;
  }
}

const NOTHING_USED: Uses = { modules: new Set(), counted: new Map(), hasOpened: false };
/** Headers of a response that are replayed. */
const STORED_HEADERS = ['content-type', 'content-language', 'quipu-completeness'];
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Implements `Idempotency-Key` for authenticated POSTs. A key belongs to its first request for a day, even if that failed; another request
 * under it is refused. The answer of the first request is stored before it is sent, if it is a success that counted or changed something
 * and has at most 256 KiB. Repeated requests get the stored answer with `Idempotent-Replayed: true`, while their key has the modules of
 * the answer. A repeated request without a stored answer runs again. It is counted together with attempts that were not answered, and
 * separately after an answer that was too large to store. A request that has changed something is not repeated but refused. Event streams
 * are not stored and refuse the header.
 */
export function mountIdempotency(server: FastifyInstance, { idempotency, contextFor }: IdempotencyParts): void {
  server.decorateRequest('attempt', null);

  server.addHook('preHandler', async (request, reply) => {
    const { method, headers, context } = request;
    const key = headers['idempotency-key'];
    if (method !== 'POST' || key === undefined || !context || (isGraphql(request) && prefersEventStream(request))) return;
    if (await begin(key, context, request, reply)) return reply;
  });

  /** Begins an attempt. Returns true if the stored response was sent instead. */
  async function begin(key: string | string[], context: RequestContext, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    if (typeof key !== 'string' || !KEY.test(key)) throw invalidInput('Idempotency-Key', requestMessages.badIdempotencyKey());
    const { caller, requestId, startedAt, signal, language } = context;
    const found = await idempotency.begin({ keyId: caller.keyId, key }, requestHash(request, caller)).catch(storeUnavailable);
    if ('status' in found) {
      for (const module of found.modules) requireModule(caller, module as ModuleName);
      void reply.removeHeader('content-language'); // the stored answer has the language of the first request
      void reply
        .status(found.status)
        .headers({ ...found.headers, 'idempotent-replayed': 'true' })
        .send(found.body);
      return true;
    }
    request.attempt = found;
    request.context = contextFor(caller, requestId, { startedAt, signal, language, claim: found.claim });
    return false;
  }

  server.addHook('onSend', async (request, reply, payload) => {
    const { attempt } = request;
    if (!attempt) return;
    request.attempt = null;
    return store(attempt, request, reply, payload);
  });
}

/** Stores the response. Returns the payload to send: `payload`, or an error if the response could not be stored. */
async function store(attempt: Attempt, request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const { statusCode: status } = reply;
  const { context } = request;
  const { modules, counted } = context?.uses ?? NOTHING_USED;
  const isChange = context !== null && hasChanged(context.signal);
  if (status >= 300 || (!isChange && (counted.size === 0 || (context && hasDisconnected(context))))) {
    await attempt.release().catch(() => undefined); // the lease expires by itself
    return payload;
  }
  try {
    const headers = Object.fromEntries(
      STORED_HEADERS.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : [])),
    );
    const stored =
      typeof payload === 'string' ? await attempt.complete({ status, headers, body: payload, modules: [...modules] }) : 'too_large';
    const withoutStoring = () => (isChange ? attempt.completeWithout() : attempt.releaseAnswered());
    const outcome = stored === 'too_large' ? await withoutStoring() : stored;
    return outcome === 'stored' ? payload : refuse(request, reply, inProgress());
  } catch (error) {
    return refuse(request, reply, notStored(error));
  }
}

/** True if the client has disconnected, so that the answer may be incomplete and nobody receives it. */
const hasDisconnected = ({ signal }: RequestContext): boolean => signal.aborted && !isOutOfTime(signal);

/**
 * Returns the SHA-256 of the URL and the decoded body. Headers and JSON whitespace do not matter. People who act through one key have different
 * hashes, because the answer to one of them may be refused to another.
 */
const requestHash = ({ url, body }: FastifyRequest, { person }: Pick<Caller, 'person'>): Buffer =>
  createHash('sha256')
    .update(`${url}\n${JSON.stringify(body)}${person ? `\n${person.id}` : ''}`)
    .digest();

function storeUnavailable(error: unknown): never {
  throw error instanceof AppError ? error : notStored(error);
}

const notStored = (cause: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', requestMessages.idempotencyUnavailable(), { retryAfterSeconds: 2 }, { cause });

/** Replaces an answer by an error in the onSend hook. Returns the new payload. */
function refuse(request: FastifyRequest, reply: FastifyReply, error: AppError): string {
  const document = toProblem(error, request);
  void reply.status(document.status).header('retry-after', String(error.facts.retryAfterSeconds));
  void reply.removeHeader('content-length');
  if (isGraphql(request)) return JSON.stringify(toGraphqlResponse(document));
  void reply.type(PROBLEM_TYPE);
  return JSON.stringify(document);
}
