import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { type Context, type WebSocket as GraphqlSocket, MessageType, makeServer, type SubscribePayload } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Authenticator } from '../../auth/authenticate.ts';
import type { Caller } from '../../context.ts';
import { AppError } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { OperationError } from '../../graphql/errors.ts';
import { type Language, Message } from '../../messages/message.ts';
import type { ContextFor } from '../../metering/request-context.ts';
import { languageOf } from '../language.ts';
import { type Sender, senderOf } from '../person.ts';
import { apiKeyOf, clientAddress, type IsTrustedProxy, requireCaller, startLifetime } from '../request.ts';
import {
  type CreateEventContext,
  formatErrors,
  formatResult,
  isRefused,
  isStarted,
  type PreparedOperation,
  runOperation,
  type Subscription,
  subscribe,
  toGraphqlError,
} from './execute.ts';
import { type PrepareOperation, parseOperation } from './prepare-operation.ts';
import type { Session, Sessions } from './sessions.ts';

export interface ProtocolParts {
  readonly prepareOperation: PrepareOperation;
  readonly authenticator: Authenticator;
  readonly contextFor: ContextFor;
  readonly sessions: Sessions;
  readonly isTrustedProxy: IsTrustedProxy;
  /** Deadline of a query or mutation, in ms. */
  readonly deadlineMs: number;
  readonly log: Logger;
}

/** Maximum number of concurrent operations of one socket. */
const MAX_OPERATIONS = 50;
/** Maximum number of messages of one socket in one second. Its first message does not count. */
const MAX_MESSAGES_PER_SECOND = 50;
/** Names under which the payload of connection_init may contain the key. */
const KEY_NAMES = ['X-API-Key', 'x-api-key', 'apiKey', 'key'];

/** Error code of a failed authentication → close code. Other errors close with 4403. Clients reconnect automatically after 1013. */
const CLOSE_CODES: Readonly<Record<string, number>> = { SERVICE_UNAVAILABLE: 1013, INTERNAL: 1013, RATE_LIMITED: 4429 };

interface Extra {
  readonly socket: WebSocket;
  readonly sender: Sender;
  /** Key in the headers of the upgrade request. */
  readonly headerKey: unknown;
  /** Language of the texts, by the headers of the upgrade request. */
  readonly language: Language;
  /** Null until connection_init is accepted. */
  session: Session | null;
}
type Ctx = Context<Record<string, unknown>, Extra>;

/** The execution arguments that graphql-ws passes between its hooks. */
interface SocketOperation extends PreparedOperation {
  readonly id: string;
  readonly requestId: string;
  readonly ctx: Ctx;
}

/** The graphql-transport-ws protocol: authentication, limits and operations. */
export class SocketProtocol {
  readonly #parts: ProtocolParts;
  readonly #graphql: ReturnType<typeof makeServer<Record<string, unknown>, Extra>>;

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
    const { log } = parts;
    this.#graphql = makeServer<Record<string, unknown>, Extra>({
      onConnect: (ctx) => this.#connect(ctx),
      onSubscribe: (ctx, id, payload) => this.#prepare(ctx, id, payload),
      execute: (args) => this.#execute(args as SocketOperation),
      subscribe: (args) => this.#subscribe(args as SocketOperation),
      onNext: ({ extra: { language } }, _id, _payload, args, result) =>
        formatResult(result, { requestId: (args as SocketOperation).requestId, language }, log),
      onError: ({ extra: { socket, language } }, _id, _payload, errors) => {
        if (socket.readyState !== socket.OPEN) return; // the socket is closing, so the previous message failed and no error can be sent
        return formatErrors(errors.map(unwrap), { requestId: randomUUID(), language }, log);
      },
    });
  }

  /** Serves one socket until it closes. */
  serve(socket: WebSocket, request: IncomingMessage): void {
    const { authenticator, isTrustedProxy, sessions, log } = this.#parts;
    const extra: Extra = {
      socket,
      sender: senderOf(request.headers, clientAddress(request, isTrustedProxy), authenticator.people),
      headerKey: apiKeyOf(request.headers),
      language: languageOf(request.headers),
      session: null,
    };
    const closed = this.#graphql.opened(adaptSocket(socket, log), extra);
    socket.once('close', (code, reason) => {
      if (extra.session) sessions.remove(extra.session);
      closed(code, String(reason)).catch((err: unknown) => log.error({ err }, 'closed socket could not be cleaned up'));
    });
  }

  /** Authenticates connection_init. It closes the socket and returns false if that fails. */
  async #connect(ctx: Ctx): Promise<boolean> {
    const { authenticator, sessions, log } = this.#parts;
    const { socket, sender, headerKey } = ctx.extra;
    const params = ctx.connectionParams ?? {};
    const key = KEY_NAMES.map((name) => params[name]).find((value) => value !== undefined) ?? headerKey;
    try {
      const caller = await requireCaller(key, sender, authenticator);
      if (socket.readyState !== socket.OPEN) return false;
      const session = createSession(ctx, caller);
      if (!(await sessions.add(session))) socket.close(4429, 'Too many sockets of this key');
      else if (socket.readyState === socket.OPEN) ctx.extra.session = session;
      else sessions.remove(session);
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'INTERNAL';
      if (code === 'INTERNAL') log.error({ err: error }, 'key could not be checked');
      socket.close(CLOSE_CODES[code] ?? 4403, code);
    }
    return ctx.extra.session !== null;
  }

  async #prepare(ctx: Ctx, id: string, payload: SubscribePayload): Promise<SocketOperation | readonly GraphQLError[]> {
    if (Object.keys(ctx.subscriptions).length > MAX_OPERATIONS) {
      ctx.extra.socket.close(4429, `More than ${MAX_OPERATIONS} operations at once`);
      return [];
    }
    const request = parseOperation(payload);
    if (request instanceof Message) return [new OperationError('BAD_REQUEST', request)];
    const prepared = await this.#parts.prepareOperation(request, requireSession(ctx).caller);
    return isRefused(prepared) ? prepared : { ...prepared, id, requestId: randomUUID(), ctx };
  }

  async #execute(operation: SocketOperation): Promise<ExecutionResult> {
    const { signal, end } = startLifetime(operation.ctx.extra.socket, this.#parts.deadlineMs);
    try {
      return await runOperation(operation, this.#contextCreator(operation)({ signal }));
    } finally {
      end();
    }
  }

  async #subscribe(operation: SocketOperation): Promise<Subscription | ExecutionResult> {
    const { socket } = operation.ctx.extra;
    const result = await subscribe(operation, this.#contextCreator(operation), () => startLifetime(socket, this.#parts.deadlineMs));
    if (isStarted(result))
      result.evicted.addEventListener('abort', () => this.#closeLagging(operation, result.evicted.reason), { once: true });
    else if (result.errors?.some(isModuleMissing)) socket.close(4403, 'MODULE_NOT_ENABLED');
    return result;
  }

  #contextCreator({ ctx, requestId }: SocketOperation): CreateEventContext {
    const { language } = ctx.extra;
    return (options) => this.#parts.contextFor(requireSession(ctx).caller, requestId, { ...options, language });
  }

  /** Closes a socket whose client reads too slowly. The error message and the close reason contain the cursor to resume from. */
  #closeLagging({ id, requestId, ctx: { extra } }: SocketOperation, reason: AppError): void {
    const payload = formatErrors([toGraphqlError(reason)], { requestId, language: extra.language }, this.#parts.log);
    extra.socket.send(JSON.stringify({ id, type: MessageType.Error, payload }), () => undefined);
    extra.socket.close(1013, `LAGGED; resume with after: ${reason.facts.cursor ?? ''}`);
  }
}

/**
 * Adapts a ws socket to graphql-ws. `send` resolves when the message was sent, so that a client that does not read blocks its own events
 * only.
 */
function adaptSocket(socket: WebSocket, log: Logger): GraphqlSocket {
  const isOverRate = countPerSecond(MAX_MESSAGES_PER_SECOND);
  socket.on('ping', () => isOverRate() && socket.close(4429, 'Too many messages'));
  return {
    protocol: socket.protocol,
    send: (text) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== socket.OPEN) return reject(new Error('the socket is closed'));
        socket.send(text, (error) => (error ? reject(error) : resolve()));
      }),
    close: (code, reason) => socket.close(code, reason),
    onMessage(handle) {
      let count = 0;
      socket.on('message', (data, isBinary) => {
        count += 1;
        if (socket.readyState !== socket.OPEN) return;
        if (isBinary) return socket.close(4400, 'Send text messages');
        if (count > 1 && isOverRate()) return socket.close(4429, 'Too many messages');
        handle(String(data)).catch((err: unknown) => {
          if (socket.readyState !== socket.OPEN) return;
          log.error({ err }, 'message could not be handled');
          socket.close(4500, 'Internal server error');
        });
      });
    },
  };
}

/** Returns a function that counts its calls and returns true for those beyond the maximum of one second (fixed window). */
function countPerSecond(max: number): () => boolean {
  let count = 0;
  let windowStart = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - windowStart >= SECOND_MS) {
      windowStart = now;
      count = 0;
    }
    count += 1;
    return count > max;
  };
}

function requireSession({ extra: { session } }: Ctx): Session {
  if (!session) throw new Error('an operation ran before connection_init');
  return session;
}

const createSession = (ctx: Ctx, caller: Caller): Session => ({
  kind: 'socket',
  caller,
  accessRules: () =>
    Object.values(ctx.subscriptions)
      .filter((subscription) => subscription !== null)
      .map((subscription) => (subscription as unknown as Subscription).access),
  operations: () => Object.keys(ctx.subscriptions).length,
  close: ({ code }) => ctx.extra.socket.close(4403, code),
});

/** Returns the error that graphql-ws wraps when a subscription fails. It has a location, without which its cause would not be read. */
const unwrap = (error: GraphQLError): GraphQLError => toGraphqlError(error.originalError ?? error);

const isModuleMissing = ({ originalError }: GraphQLError): boolean =>
  originalError instanceof AppError && originalError.code === 'MODULE_NOT_ENABLED';
