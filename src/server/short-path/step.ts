import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Authenticator } from '../../auth/authenticate.ts';
import type { Caller } from '../../context.ts';
import type { Executions } from '../../metering/executions.ts';
import { GRAPHQL_PATH } from '../graphql/route.ts';
import { languageOf } from '../language.ts';
import type { Before, ReadJson } from '../limits.ts';
import { type AnswerParts, createAnswer, type WorkOf } from './answer.ts';
import { type ShortGraphqlParts, shortGraphql } from './graphql.ts';
import { type ShortRestParts, shortRoutes } from './rest.ts';

export interface ShortPathParts extends AnswerParts, ShortRestParts, ShortGraphqlParts {
  readonly authenticator: Pick<Authenticator, 'known'>;
  readonly executions: Pick<Executions, 'refusal'>;
  readonly readJson: ReadJson;
  /** False switches the short path off. */
  readonly shortPath?: boolean;
}

type Headers = IncomingMessage['headers'];

/** Header of a body of 1 to 9,999 bytes. Almost all requests have less than 1,000. */
const SHORT_LENGTH = /^[1-9]\d{0,3}$/;

/**
 * Creates the short path: the step before Fastify that answers plain requests itself. It decides before anything is counted or charged.
 * All other requests go to `next`, the full path, as if the short path were absent. `docs/request-path.md` describes both.
 */
export function createShortPath(server: FastifyInstance, parts: ShortPathParts): readonly Before[] {
  if (parts.shortPath === false) return [];
  const { authenticator, executions, isDraining, readJson, log } = parts;
  const works = new Map<string, WorkOf>([...shortRoutes(parts), [GRAPHQL_PATH, shortGraphql(parts)]]);
  const answer = createAnswer(parts);
  let isClosing = false;
  server.addHook('preClose', (done) => {
    isClosing = true; // Fastify refuses requests from now on
    done();
  });

  /** Returns the work of a body; null for one that has to take the full path, which also answers the error of a defect. */
  function workOfText(text: string, workOf: WorkOf, caller: Caller, headers: Headers): ReturnType<WorkOf> {
    try {
      const read = readJson(text);
      return read && workOf(read.body, caller, headers);
    } catch (err) {
      log.error({ err }, 'the short path failed');
      return null;
    }
  }

  const step: Before = (request, response, next) => {
    const { url: path = '', headers } = request;
    const workOf = works.get(path);
    if (!workOf || request.method !== 'POST' || !isPlain(headers) || isClosing || isDraining()) return next();
    const startedAt = performance.now();
    const caller = authenticator.known(String(headers['x-api-key']));
    if (!caller || executions.refusal(caller.keyId)) return next();
    request.once('readable', () => {
      const text = readWhole(request);
      const work = text === null ? null : workOfText(text, workOf, caller, headers);
      if (work) answer({ path, headers, response, caller, work, startedAt });
      else {
        if (text !== null) request.unshift(Buffer.from(text));
        next();
      }
    });
  };
  return [step];
}

/** True for headers that need nothing but a known key and a JSON body. */
const isPlain = (headers: Headers): boolean =>
  typeof headers['x-api-key'] === 'string' &&
  headers['content-type'] === 'application/json' &&
  SHORT_LENGTH.test(headers['content-length'] ?? '') &&
  headers['transfer-encoding'] === undefined &&
  headers['idempotency-key'] === undefined &&
  headers.origin === undefined &&
  languageOf(headers) === 'en';

/** Reads the body if all of it has arrived and is UTF-8; otherwise returns null, and the body stays unread. */
function readWhole(request: IncomingMessage): string | null {
  const chunk = request.read() as Buffer | null;
  if (chunk === null) return null;
  const text = chunk.toString();
  if (chunk.length === Number(request.headers['content-length']) && Buffer.byteLength(text) === chunk.length) return text;
  request.unshift(chunk);
  return null;
}
