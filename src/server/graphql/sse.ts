import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type FormattedExecutionResult, type GraphQLError, OperationTypeNode } from 'graphql';
import type { Logger } from 'pino';
import type { RequestContext } from '../../context.ts';
import { AppError } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { Message } from '../../messages/message.ts';
import { operationMessages } from '../../messages/operations.ts';
import { requestMessages } from '../../messages/requests.ts';
import type { ContextFor } from '../../metering/request-context.ts';
import { readerOf } from '../language.ts';
import { graphqlContentType, startLifetime } from '../request.ts';
import {
  type CreateEventContext,
  formatErrors,
  formatResult,
  isRefused,
  isStarted,
  isSubscription,
  type PreparedOperation,
  runOperation,
  type Subscription,
  subscribe,
  toGraphqlError,
} from './execute.ts';
import { MAX_CONNECTIONS, type Session, type Sessions } from './sessions.ts';

export interface EventStreamParts {
  readonly contextFor: ContextFor;
  /** Deadline of one event, in ms. */
  readonly deadlineMs: number;
  readonly sessions: Sessions;
  readonly log: Logger;
}

/** Interval of keep-alive comments, because proxies close silent connections. */
const KEEP_ALIVE_MS = 12 * SECOND_MS;
/** Time that a client has to read the rest of an ended stream. */
const CLOSE_TIMEOUT_MS = 2 * SECOND_MS;
const PART_BYTES = 64 * 1024;

/** Answers an operation, or the errors for which it must not run, with an event stream. */
export type AnswerEventStream = (
  operation: PreparedOperation | readonly GraphQLError[],
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply | undefined>;

/**
 * Returns a handler that answers an operation with server-sent events, for networks that block WebSockets. It implements graphql-sse in
 * its "distinct connections" mode: one connection for each operation. An event is written after the client has received the previous one.
 * The id of an event is the cursor after it; a client that sends it as `Last-Event-ID` gets the events after that one.
 */
export function createEventStreams(
  server: FastifyInstance,
  { contextFor, sessions, deadlineMs, log }: EventStreamParts,
): AnswerEventStream {
  const connections = new Set<SseConnection>();
  const keepingAlive = setInterval(() => {
    for (const connection of connections) connection.comment('');
  }, KEEP_ALIVE_MS).unref();
  let closing = false;

  server.addHook('preClose', async () => {
    closing = true;
    clearInterval(keepingAlive);
    for (const connection of connections) connection.end(': restarting; resume with after\n\n');
    await Promise.all([...connections].map(({ closed }) => closed));
  });

  async function answer(
    operation: PreparedOperation | readonly GraphQLError[],
    context: RequestContext,
    reply: FastifyReply,
    lastEventId: string | undefined,
  ): Promise<void> {
    const { requestId, language } = context;
    const errorResult = (errors: readonly GraphQLError[]) => ({ errors: formatErrors(errors, context, log) });
    let subscription: Subscription | null = null;
    const finish = (reason?: AppError) => {
      if (reason) connection.complete(errorResult([toGraphqlError(reason)]));
      void subscription?.return();
    };
    const session: Session = {
      kind: 'stream',
      caller: context.caller,
      accessRules: () => (subscription ? [subscription.access] : []),
      operations: () => 1,
      close: finish,
    };
    if (!(await sessions.add(session)))
      throw new AppError('RATE_LIMITED', requestMessages.tooManyStreamsOfKey(), {
        retryAfterSeconds: 5,
      });
    if (closing || reply.raw.destroyed) {
      sessions.remove(session);
      throw tooMany();
    }
    const connection = new SseConnection(reply.hijack().raw, requestId);
    connections.add(connection);
    void connection.closed.then(() => {
      connections.delete(connection);
      sessions.remove(session);
      finish();
    });
    try {
      const createContext: CreateEventContext = (options) => contextFor(session.caller, requestId, { ...options, language });
      if (isRefused(operation)) return connection.complete(errorResult(operation));
      const result = isSubscription(operation)
        ? await subscribe(operation, createContext, () => startLifetime(reply.raw, deadlineMs), { lastEventId })
        : await runOperation(operation, createContext({ signal: context.signal }));
      if (!isStarted(result)) {
        await connection.next(formatResult(result, context, log), undefined);
        return connection.complete();
      }
      subscription = result;
      if (connection.isEnded) return finish();
      result.evicted.addEventListener('abort', () => finish(result.evicted.reason), { once: true });
      connection.comment('subscribed', result.cursor);
      for await (const event of result) await connection.next(formatResult(event, context, log), result.cursor);
      connection.complete();
    } catch (error) {
      if (!connection.isEnded) connection.complete(errorResult([toGraphqlError(error as Error)]));
    }
  }

  return async function answerEventStream(operation, request, reply) {
    if (!request.context) throw new Error('an event stream has no context');
    if (closing || connections.size >= MAX_CONNECTIONS) throw tooMany();
    if (request.headers['idempotency-key'] !== undefined) return refuse(reply, 400, requestMessages.idempotencyInStream());
    if (request.method === 'GET' && !isRefused(operation) && operation.type === OperationTypeNode.MUTATION)
      return refuse(reply.header('allow', 'POST'), 405, operationMessages.mutationsByPost());
    await answer(operation, request.context, reply, lastEventIdOf(request));
    return undefined;
  };
}

const tooMany = (): AppError => new AppError('SERVICE_UNAVAILABLE', requestMessages.tooManyStreams(), { retryAfterSeconds: 2 });

/** Returns the id of the last event that a reconnecting client received, as `EventSource` sends it. */
function lastEventIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' ? id : undefined;
}

function refuse(reply: FastifyReply, status: number, text: Message): FastifyReply {
  const { requestId, language } = readerOf(reply.request);
  return reply
    .status(status)
    .type(graphqlContentType(reply.request))
    .send({ errors: [{ message: text.in(language), extensions: { code: 'BAD_REQUEST', requestId } }] });
}

/** The connection of one event stream. */
class SseConnection {
  /** Resolves when the connection is closed or the response is sent. */
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  #isWriting = false;
  #isEnding = false;
  /** Resolves when the event that is being written is sent or lost. */
  #written: Promise<void> = Promise.resolve();

  constructor(response: ServerResponse, requestId: string) {
    this.#response = response;
    this.closed = new Promise((resolve) => response.once('close', () => resolve()));
    response.on('error', () => response.destroy());
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': requestId,
    });
    response.flushHeaders();
  }

  /** True when no further event can be sent. */
  get isEnded(): boolean {
    return this.#isEnding || this.#response.destroyed;
  }

  /** Sends a result. Resolves when the socket has accepted it (backpressure). @throws Error when the stream has ended */
  async next(result: FormattedExecutionResult, id: string | undefined): Promise<void> {
    if (this.isEnded) throw new Error('the event stream has ended');
    const writing = this.#write(Buffer.from(nextEvent(result, id)));
    this.#written = writing.catch(() => undefined);
    await writing;
  }

  /** Writes in parts, so that `closeStalledConnections` can distinguish a client that reads slowly from one that does not read. */
  async #write(event: Buffer): Promise<void> {
    this.#isWriting = true;
    for (let from = 0; from < event.length; from += PART_BYTES) {
      const part = event.subarray(from, from + PART_BYTES);
      await new Promise<void>((resolve, reject) => this.#response.write(part, (error) => (error ? reject(error) : resolve())));
    }
    this.#isWriting = false;
  }

  /** Sends the last result, if there is one, and the `complete` event, and ends the stream. */
  complete(result?: FormattedExecutionResult): void {
    this.end(`${result ? nextEvent(result) : ''}event: complete\ndata:\n\n`);
  }

  /** Sends a comment, which clients ignore, and the id to resume from. It sends nothing while a result is being written. */
  comment(text: string, id?: string): void {
    if (!this.#isWriting && !this.isEnded) this.#response.write(`:${text}\n${idLine(id)}\n`);
  }

  /**
   * Ends the stream with a text, after the event that is being written. It destroys the connection if the client has not read the rest
   * within 2 s.
   */
  end(text: string): void {
    if (this.isEnded) return;
    this.#isEnding = true;
    void this.#written.then(() => this.#response.end(text));
    const timer = setTimeout(() => this.#response.destroy(), CLOSE_TIMEOUT_MS);
    void this.closed.then(() => clearTimeout(timer));
  }
}

const nextEvent = (result: FormattedExecutionResult, id?: string): string =>
  `event: next\n${idLine(id)}data: ${JSON.stringify(result)}\n\n`;

const idLine = (id: string | undefined): string => (id === undefined ? '' : `id: ${id}\n`);
