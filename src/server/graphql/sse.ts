import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type GraphQLError, OperationTypeNode } from 'graphql';
import type { Logger } from 'pino';
import type { RequestContext } from '../../context.ts';
import { AppError } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { ContextFor } from '../../metering/metering.ts';
import { Outlet } from '../event-stream/outlet.ts';
import { failureOf, isRefused, isSubscription, type Operation, run, showErrors, showResult } from './execute.ts';
import { type ContextOfEvent, isRunning, type Subscription, subscribePerEvent } from './per-event.ts';
import type { Prepare } from './prepare-operation.ts';
import { readRequest } from './request.ts';
import { MAX_CONNECTIONS, type Session, type Sessions } from './sessions.ts';

export interface EventStreamParts {
  readonly prepare: Prepare;
  readonly contextFor: ContextFor;
  readonly sessions: Sessions;
  readonly log: Logger;
}

/** Proxies take a silent connection for a dead one. */
const COMMENT_MS = 12 * SECOND_MS;

export const wantsEventStream = ({ headers: { accept = '' } }: FastifyRequest): boolean => accept.includes('text/event-stream');

/**
 * Answers operations as server-sent events, for those whose networks let no WebSocket through: the protocol of graphql-sse, a
 * connection for each operation. Events are written one by one, each when the one before has left.
 */
export function createEventStreams(server: FastifyInstance, { prepare, contextFor, sessions, log }: EventStreamParts) {
  const open = new Set<Outlet>();
  const commenting = setInterval(() => {
    for (const outlet of open) outlet.comment('');
  }, COMMENT_MS).unref();
  let closing = false;

  server.addHook('preClose', async () => {
    closing = true;
    clearInterval(commenting);
    for (const outlet of open) outlet.end(': restarting; resume with after\n\n');
    await Promise.all([...open].map(({ closed }) => closed));
  });

  async function answer(operation: Operation | readonly GraphQLError[], context: RequestContext, reply: FastifyReply): Promise<void> {
    const { requestId } = context;
    const show = (errors: readonly GraphQLError[]) => ({ errors: showErrors(errors, requestId, log) });
    let subscription: Subscription | null = null;
    const finish = (why?: AppError) => {
      if (why) outlet.last(show([failureOf(why)]));
      void subscription?.return();
    };
    const session: Session = {
      kind: 'stream',
      caller: context.caller,
      listensTo: () => (subscription ? [subscription.access] : []),
      operations: () => 1,
      dismiss: finish,
    };
    if (!sessions.enter(session))
      throw new AppError('RATE_LIMITED', 'This key has as many sockets and event streams as it may have.', { retryAfterSeconds: 5 });
    const outlet = new Outlet(reply.hijack().raw, requestId);
    open.add(outlet);
    void outlet.closed.then(() => {
      open.delete(outlet);
      sessions.leave(session);
      finish();
    });
    try {
      const contextOf: ContextOfEvent = (options) => contextFor(session.caller, requestId, options);
      if (isRefused(operation)) return outlet.last(show(operation));
      const result = isSubscription(operation)
        ? await subscribePerEvent(operation, contextOf)
        : await run(operation, contextOf({ signal: context.signal }));
      if (!isRunning(result)) return outlet.last(showResult(result, requestId, log));
      subscription = result;
      if (outlet.isOver) return finish();
      result.cut.addEventListener('abort', () => finish(result.cut.reason), { once: true });
      outlet.comment('subscribed');
      for await (const one of result) await outlet.next(showResult(one, requestId, log));
      outlet.last();
    } catch (error) {
      if (!outlet.isOver) outlet.last(show([failureOf(error as Error)]));
    }
  }

  return async function serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    if (!request.context) throw new Error('an event stream began without its context');
    const asked = readRequest(request);
    if (typeof asked === 'string') return refuse(reply, 400, asked);
    if (closing || open.size >= MAX_CONNECTIONS)
      throw new AppError('SERVICE_UNAVAILABLE', 'Too many event streams are open here; try again in a moment.', { retryAfterSeconds: 2 });
    const operation = await prepare(asked, request.context.caller);
    if (request.method === 'GET' && !isRefused(operation) && operation.type === OperationTypeNode.MUTATION)
      return refuse(reply.header('allow', 'POST'), 405, 'Send mutations by POST.');
    await answer(operation, request.context, reply);
    return undefined;
  };
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.status(status).send({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
}
