import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { FastifyError } from 'fastify';
import type { Logger } from 'pino';
import type { Caller, RequestContext } from '../../context.ts';
import type { ContextFor } from '../../metering/request-context.ts';
import type { Observer } from '../../observer.ts';
import { answerToError } from '../errors.ts';
import { meteringHeaders } from '../metering-headers.ts';
import { startLifetime } from '../request.ts';
import { logAnswered } from '../request-log.ts';
import { securityHeaders } from '../security-headers.ts';
import { openScope } from '../telemetry/request-scope.ts';

export interface AnswerParts {
  readonly contextFor: ContextFor;
  /** Deadline of a request, in ms. */
  readonly deadlineMs: number;
  readonly allowedOrigins: readonly string[];
  readonly isDraining: () => boolean;
  readonly observer?: Observer | undefined;
  readonly log: Logger;
}

/** An answer before its headers are complete. */
export interface Answer {
  readonly status: number;
  readonly headers: Iterable<readonly [string, string]>;
  /** Content type. */
  readonly type: string;
  /** The body, or the parts of a long one. */
  readonly text: string | AsyncIterable<string>;
}

/** Answers a request in its context. What it throws is answered as on the full path. */
type Work = (context: RequestContext) => Promise<Answer>;

type Headers = IncomingMessage['headers'];

/** Returns the work of a request, or null if it has to take the full path. It neither counts nor charges anything. */
export type WorkOf = (body: unknown, caller: Caller, headers: Headers) => Work | null;

/** A request that takes the short path. */
interface Plain {
  /** Path of its route, which is its URL. */
  readonly path: string;
  readonly headers: Headers;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly work: Work;
  /** Value of `performance.now()`. */
  readonly startedAt: number;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Creates the function that answers a plain request, whatever comes of it. */
export function createAnswer({ contextFor, deadlineMs, allowedOrigins, isDraining, observer, log }: AnswerParts): (plain: Plain) => void {
  /** Headers of every answer, as name, value, name, value. The plugin for CORS sends `Vary` if there are allowed origins. */
  const common = [...[...securityHeaders()].flat(), ...(allowedOrigins.length > 0 ? ['vary', 'Origin'] : [])];

  function send(response: ServerResponse, context: RequestContext, { status, headers, type, text }: Answer): void {
    const all = common.slice();
    for (const [name, value] of headers) all.push(name, value);
    all.push('content-type', type, 'x-request-id', context.requestId);
    for (const [name, value] of meteringHeaders(context)) all.push(name, value);
    if (isDraining()) all.push('connection', 'close');
    if (typeof text === 'string') {
      all.push('content-length', String(Buffer.byteLength(text)));
      response.writeHead(status, all);
      response.end(text);
    } else {
      response.writeHead(status, all);
      pipeline(Readable.from(text), response, () => undefined); // it destroys both when the client disconnects
    }
  }

  /** A client that has disconnected gets nothing: its response accepts neither headers nor a stream. */
  async function answer({ path, headers, response, work }: Plain, context: RequestContext): Promise<void> {
    try {
      const answered = await work(context);
      if (!response.destroyed) send(response, context, answered);
    } catch (error) {
      if (response.destroyed) return;
      const requested = { id: context.requestId, url: path, headers };
      const { body, ...refused } = await answerToError(error as FastifyError, requested, { log, context });
      if (!response.destroyed) send(response, context, { ...refused, text: JSON.stringify(body) });
    }
  }

  async function begin(plain: Plain): Promise<void> {
    const { response, path, caller, startedAt } = plain;
    const requestId = randomUUID();
    const { signal } = startLifetime(response, deadlineMs);
    const context = contextFor(caller, requestId, { signal });
    const scope = openScope(observer, requestId, `POST ${path}`);
    await scope.run(() => {
      response.once('finish', () => {
        const { statusCode: status } = response;
        scope.end(status);
        scope.run(() => logAnswered(log, { method: 'POST', path, status, ms: performance.now() - startedAt }));
      });
      return answer(plain, context);
    });
  }

  return (plain) => {
    begin(plain).catch((err: unknown) => {
      log.error({ err }, 'an answer could not be sent');
      plain.response.destroy();
    });
  };
}
