import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { type Context, type WebSocket as GraphqlSocket, MessageType, makeServer, type SubscribePayload } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Authenticate } from '../../auth/authenticate.ts';
import type { Caller } from '../../context.ts';
import { AppError } from '../../domain/errors.ts';
import type { ContextFor } from '../../metering/metering.ts';
import { workFor } from '../request-lifetime.ts';
import { callerOf } from '../require-caller.ts';
import { tooMany } from '../sockets/rate.ts';
import { failureOf, isRefused, type Operation, run, showErrors, showResult } from './execute.ts';
import { type ContextOfEvent, isRunning, type Subscription, subscribePerEvent } from './per-event.ts';
import type { Prepare } from './prepare-operation.ts';
import { requestOf } from './request.ts';
import type { Session, Sessions } from './sessions.ts';

export interface ProtocolParts {
  readonly prepare: Prepare;
  readonly findCaller: Authenticate;
  readonly contextFor: ContextFor;
  readonly sessions: Sessions;
  /** How long an operation may work, in ms. */
  readonly deadlineMs: number;
  readonly log: Logger;
}

/** Of one socket, at once; and in a second, the first one not counted. */
const MAX_OPERATIONS = 50;
const MAX_MESSAGES = 50;
/** Names under which connection_init may carry the key. */
const KEY_NAMES = ['X-API-Key', 'x-api-key', 'apiKey', 'key'];

/** What a refused key closes with, where it is not 4403; clients come back by themselves after 1013. */
const CODES: Readonly<Record<string, number>> = { SERVICE_UNAVAILABLE: 1013, INTERNAL: 1013, RATE_LIMITED: 4429 };

interface Extra {
  readonly socket: WebSocket;
  /** Where it came from, and the key of its first request, if there was one. */
  readonly address: string;
  readonly headerKey: unknown;
  /** Null before connection_init opened. */
  session: Session | null;
}
type Ctx = Context<Record<string, unknown>, Extra>;

/** What graphql-ws is handed for an operation, and hands on. */
interface Running extends Operation {
  readonly id: string;
  readonly requestId: string;
  readonly ctx: Ctx;
}

/** The protocol on one socket: keys, limits, operations. */
export function createProtocol({ prepare, findCaller, contextFor, sessions, deadlineMs, log }: ProtocolParts) {
  const graphql = makeServer<Record<string, unknown>, Extra>({
    onConnect: (ctx) => connect(ctx),
    onSubscribe: (ctx, id, payload) => begin(ctx, id, payload),
    execute: (args) => answer(args as Running),
    subscribe: (args) => subscribe(args as Running),
    onNext: (_ctx, _id, _payload, args, result) => showResult(result, (args as Running).requestId, log),
    onError: (_ctx, _id, _payload, errors) => showErrors(errors.map(unwrapped), randomUUID(), log),
  });

  const contextOf =
    ({ ctx, requestId }: Running): ContextOfEvent =>
    (options) =>
      contextFor(sessionOf(ctx).caller, requestId, options);

  async function connect(ctx: Ctx): Promise<boolean> {
    const { socket, address, headerKey } = ctx.extra;
    const params = ctx.connectionParams ?? {};
    const key = KEY_NAMES.map((name) => params[name]).find((value) => value !== undefined) ?? headerKey;
    try {
      const caller = await callerOf(key, address, findCaller);
      if (socket.readyState !== socket.OPEN) return false;
      const session = sessionFor(ctx, caller);
      if (sessions.enter(session)) ctx.extra.session = session;
      else socket.close(4429, 'Too many sockets of this key');
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'INTERNAL';
      if (code === 'INTERNAL') log.error({ err: error }, 'a key could not be checked');
      socket.close(CODES[code] ?? 4403, code);
    }
    return ctx.extra.session !== null;
  }

  async function begin(ctx: Ctx, id: string, payload: SubscribePayload): Promise<Running | readonly GraphQLError[]> {
    if (Object.keys(ctx.subscriptions).length > MAX_OPERATIONS) {
      ctx.extra.socket.close(4429, `More than ${MAX_OPERATIONS} operations at once`);
      return [];
    }
    const request = requestOf(payload);
    if (typeof request === 'string') return [new GraphQLError(request, { extensions: { code: 'BAD_REQUEST' } })];
    const prepared = await prepare(request, sessionOf(ctx).caller);
    return isRefused(prepared) ? prepared : { ...prepared, id, requestId: randomUUID(), ctx };
  }

  async function answer(running: Running): Promise<ExecutionResult> {
    const { signal, end } = workFor(running.ctx.extra.socket, deadlineMs);
    try {
      return await run(running, contextOf(running)({ signal }));
    } finally {
      end();
    }
  }

  async function subscribe(running: Running): Promise<Subscription | ExecutionResult> {
    const { socket } = running.ctx.extra;
    const result = await subscribePerEvent(running, contextOf(running));
    if (isRunning(result)) result.cut.addEventListener('abort', () => endLagging(running, result.cut.reason), { once: true });
    else if (result.errors?.some(lacksModule)) socket.close(4403, 'MODULE_NOT_ENABLED');
    return result;
  }

  /** Its peer reads too slowly to be told; what can still be sent says where to go on. */
  function endLagging({ id, requestId, ctx: { extra } }: Running, reason: AppError): void {
    const payload = showErrors([failureOf(reason)], requestId, log);
    extra.socket.send(JSON.stringify({ id, type: MessageType.Error, payload }), () => undefined);
    extra.socket.close(1013, `LAGGED; resume with after: ${reason.facts.cursor ?? ''}`);
  }

  return function serve(socket: WebSocket, request: IncomingMessage): void {
    const extra: Extra = { socket, address: request.socket.remoteAddress ?? '', headerKey: request.headers['x-api-key'], session: null };
    const closed = graphql.opened(linesOf(socket, log), extra);
    socket.once('close', (code, reason) => {
      if (extra.session) sessions.leave(extra.session);
      closed(code, String(reason)).catch((err: unknown) => log.error({ err }, 'a socket did not end cleanly'));
    });
  };
}

/** What graphql-ws uses of a socket. `send` settles when the message has left, so that a peer that does not read holds its events back. */
function linesOf(socket: WebSocket, log: Logger): GraphqlSocket {
  const isOver = tooMany(MAX_MESSAGES);
  socket.on('ping', () => isOver() && socket.close(4429, 'Too many messages'));
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
        if (count > 1 && isOver()) return socket.close(4429, 'Too many messages');
        handle(String(data)).catch((err: unknown) => {
          if (socket.readyState !== socket.OPEN) return;
          log.error({ err }, 'a message could not be handled');
          socket.close(4500, 'Internal server error');
        });
      });
    },
  };
}

function sessionOf({ extra: { session } }: Ctx): Session {
  if (!session) throw new Error('an operation ran before connection_init');
  return session;
}

const sessionFor = (ctx: Ctx, caller: Caller): Session => ({
  kind: 'socket',
  caller,
  listensTo: () =>
    Object.values(ctx.subscriptions)
      .filter((one) => one !== null)
      .map((one) => (one as unknown as Subscription).access),
  operations: () => Object.keys(ctx.subscriptions).length,
  dismiss: ({ code }) => ctx.extra.socket.close(4403, code),
});

/** graphql-ws wraps what a stream fails with. */
const unwrapped = (error: GraphQLError): GraphQLError => (error.originalError instanceof GraphQLError ? error.originalError : error);

const lacksModule = ({ originalError }: GraphQLError): boolean =>
  originalError instanceof AppError && originalError.code === 'MODULE_NOT_ENABLED';
