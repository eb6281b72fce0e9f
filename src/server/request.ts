import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Authenticate } from '../auth/authenticate.ts';
import type { Caller } from '../context.ts';
import { hasChanged } from '../db/change.ts';
import { AppError, isOutOfTime } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';

/** Returns true for the address of a proxy whose `X-Forwarded-For` is used. */
export type IsTrustedProxy = (address: string, hop: number) => boolean;

/** Networks (CIDR) of proxies → the check of an address. No address is trusted without networks. */
export const trustedProxies = (networks: readonly string[]): IsTrustedProxy =>
  networks.length > 0 ? proxyAddr.compile([...networks]) : () => false;

/** IP address of the client: the same for requests and sockets, as `request.ip` of Fastify. Empty for a connection that is closed. */
export const clientAddress = (request: IncomingMessage, isTrusted: IsTrustedProxy): string => proxyAddr(request, isTrusted) ?? '';

/** True for an origin of the list. An entry that ends in `:*` stands for its host on every port. */
export const allowsOrigin = (allowed: readonly string[], origin: string): boolean =>
  allowed.some((one) => (one.endsWith(':*') ? withoutPort(origin) === one.slice(0, -2) : origin === one));

/** Returns false for a web page of a foreign origin: browsers let any page call any host, and name the page's origin. */
export const isAllowedOrigin = ({ origin, host }: IncomingMessage['headers'], allowed: readonly string[]): boolean =>
  origin === undefined || allowsOrigin(allowed, origin) || URL.parse(origin)?.host === host;

export const originRefused = () =>
  new AppError(
    'ORIGIN_NOT_ALLOWED',
    'Web pages of this origin may not call the service. Its operator can add the origin to QUIPU_ALLOWED_ORIGINS.',
  );

const withoutPort = (origin: string): string => origin.replace(/:\d{1,5}$/, '');

/** Headers of answers that pages of allowed origins may read. */
export const EXPOSED_HEADERS = [
  'x-request-id',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'usage-counted',
  'idempotent-replayed',
  'quipu-completeness',
];

/** The CORS headers of an answer that is sent without Fastify; none for an origin that may not call. */
export const crossOriginHeaders = (allowed: readonly string[], origin: string | undefined): Readonly<Record<string, string>> =>
  origin === undefined || !allowsOrigin(allowed, origin)
    ? {}
    : { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS.join(', '), vary: 'Origin' };

/** The API key of a request: the header `X-API-Key`, else `Authorization: Bearer`, which some clients can set alone. Undefined without one. */
export function apiKeyOf(headers: IncomingMessage['headers']): unknown {
  const [scheme, token] = headers.authorization?.split(' ') ?? [];
  return headers['x-api-key'] ?? (scheme?.toLowerCase() === 'bearer' ? token : undefined);
}

/** Returns true for a URL with an API key, valid or not. Such requests are refused, because URLs end up in logs and browser histories. */
export const hasKeyInUrl = (url: string): boolean =>
  url.includes('?') &&
  [...new URL(url, 'http://localhost').searchParams].some(([name, value]) => /^(x-)?api[-_]?key$/i.test(name) || value.startsWith('sk_'));

/**
 * Authenticates an API key from a header or from connection_init. `address` is the client's IP address, for the limit of failed attempts.
 * @throws AppError MISSING_API_KEY; INVALID_API_KEY alike for unknown, malformed, revoked and expired keys; RATE_LIMITED after too many
 * failed attempts from this address; SERVICE_UNAVAILABLE when the database cannot be reached
 */
export async function requireCaller(key: unknown, address: string, authenticate: Authenticate): Promise<Caller> {
  if (typeof key !== 'string' || key === '')
    throw new AppError('MISSING_API_KEY', 'Send your API key in the X-API-Key header, or as Authorization: Bearer.');
  const caller = await authenticate(key.trim(), address).catch((cause: unknown) => {
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      'Your key cannot be checked right now; try again in a moment.',
      { retryAfterSeconds: 2 },
      { cause },
    );
  });
  if (!caller) throw new AppError('INVALID_API_KEY', 'This API key is not valid: it is unknown, expired or revoked.');
  return caller;
}

/** Cancels the work for a request when its client disconnects or its deadline passes. */
export interface RequestLifetime {
  /** Aborted with an AppError as reason: SERVICE_UNAVAILABLE after a disconnect, DEADLINE_EXCEEDED after the deadline. */
  readonly signal: AbortSignal;
  /** Marks the work as done: the signal is not aborted any more. */
  end(): void;
}

const disconnected = () => new AppError('SERVICE_UNAVAILABLE', 'The client closed the connection before the answer was complete.');
const deadlineExceeded = () =>
  new AppError('DEADLINE_EXCEEDED', 'This was not answered in time; repeat the request, or request less at once.');

/** A WebSocket or an HTTP response. A response emits `close` also after it was sent completely; `writableFinished` is true then. */
type Connection = EventEmitter & { readonly writableFinished?: boolean };

/** Time that a request which has changed something gets beyond its deadline, to answer what it changed. */
const AFTER_CHANGE_MS = 5 * SECOND_MS;

/** Starts the lifetime of a request. */
export function startLifetime(connection: Connection, deadlineMs: number): RequestLifetime {
  const controller = new AbortController();
  const onClose = () => (connection.writableFinished ? end() : abort(disconnected()));
  let timer = setTimeout(onDeadline, deadlineMs).unref();
  connection.once('close', onClose);

  function onDeadline(): void {
    if (hasChanged(controller.signal)) timer = setTimeout(() => abort(deadlineExceeded()), AFTER_CHANGE_MS).unref();
    else abort(deadlineExceeded());
  }
  function end(): void {
    clearTimeout(timer);
    connection.off('close', onClose);
  }
  function abort(reason: AppError): void {
    end();
    controller.abort(reason);
  }
  return { signal: controller.signal, end };
}

/**
 * Runs the work for one answer, and rejects when the deadline of its request passes first, unless it has changed something. The disconnect of a client does not end it: the
 * answer may be stored under an Idempotency-Key.
 * @throws AppError DEADLINE_EXCEEDED, or the failure of `work`
 */
export function withinDeadline<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (isOutOfTime(signal)) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => isOutOfTime(signal) && !hasChanged(signal) && reject(signal.reason);
    const end = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort);
    work().then(resolve, reject).then(end);
  });
}

/** Returns true for a request to the GraphQL API, whose errors have the form of GraphQL. */
export const isGraphql = ({ url }: Pick<FastifyRequest, 'url'>): boolean => url === '/graphql' || url.startsWith('/graphql?');

const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_RESPONSE = 'application/graphql-response+json; charset=utf-8';
const EVENT_STREAM = 'text/event-stream; charset=utf-8';
const HTML = 'text/html; charset=utf-8';

type WithHeaders = Pick<FastifyRequest, 'headers'>;

/** The one of these content types that the request prefers by its `Accept` header. The first one where it accepts all alike, or none. */
function preferred(request: WithHeaders, first: string, ...others: readonly string[]): string {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*') return first; // most programs, without parsing anything
  return new Negotiator(acceptOf(request)).mediaType([first, ...others]) ?? first;
}

/** Negotiator compares media types with their case. */
const acceptOf = ({ headers: { accept } }: WithHeaders) => ({ headers: accept === undefined ? {} : { accept: accept.toLowerCase() } });

/** Content type of a GraphQL response that is JSON: `application/graphql-response+json` where the request prefers it. */
export const graphqlContentType = (request: WithHeaders): string => preferred(request, JSON_TYPE, GRAPHQL_RESPONSE);

/** Returns true for a request that prefers an event stream over JSON, also for queries. */
export const prefersEventStream = (request: FastifyRequest): boolean =>
  preferred(request, JSON_TYPE, GRAPHQL_RESPONSE, EVENT_STREAM) === EVENT_STREAM;

/**
 * Returns true for a request that names event streams as acceptable: its subscriptions are answered with one. A wildcard does not count,
 * because a client that does not know event streams would wait for the end of the response.
 */
export const acceptsEventStream = (request: FastifyRequest): boolean =>
  new Negotiator(acceptOf(request)).mediaTypes().includes('text/event-stream');

/** Returns true for a request that prefers a page over JSON, as browsers do. */
export const prefersHtml = (request: FastifyRequest): boolean => preferred(request, JSON_TYPE, HTML) === HTML;
