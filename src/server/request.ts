import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Caller } from '../context.ts';
import { hasChanged } from '../db/change.ts';
import { AppError, isOutOfTime } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';
import { requestMessages } from '../messages/requests.ts';
import { requirePerson, SESSION_KEY, type Sender } from './person.ts';

/** Returns true for the address of a proxy whose `X-Forwarded-For` is used. */
export type IsTrustedProxy = (address: string, hop: number) => boolean;

/** Creates the check of an address from the networks (CIDR) of proxies. Without networks, no address is trusted. */
export const trustedProxies = (networks: readonly string[]): IsTrustedProxy =>
  networks.length > 0 ? proxyAddr.compile([...networks]) : () => false;

/** Returns the IP address of the client, for requests and sockets, like `request.ip` of Fastify; empty for a closed connection. */
export const clientAddress = (request: IncomingMessage, isTrusted: IsTrustedProxy): string => proxyAddr(request, isTrusted) ?? '';

/** True for an origin of the list. An entry that ends in `:*` matches its host on every port. */
export const allowsOrigin = (allowed: readonly string[], origin: string): boolean =>
  allowed.some((one) => (one.endsWith(':*') ? withoutPort(origin) === one.slice(0, -2) : origin === one));

/** Returns false for a web page of a foreign origin. Browsers let any page call any host, and send the page's origin. */
export const isAllowedOrigin = ({ origin, host }: IncomingMessage['headers'], allowed: readonly string[]): boolean =>
  origin === undefined || allowsOrigin(allowed, origin) || URL.parse(origin)?.host === host;

export const originRefused = () => new AppError('ORIGIN_NOT_ALLOWED', requestMessages.originRefused());

const withoutPort = (origin: string): string => origin.replace(/:\d{1,5}$/, '');

/** Headers of responses that pages of allowed origins may read. */
export const EXPOSED_HEADERS = [
  'x-request-id',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'usage-counted',
  'idempotent-replayed',
  'quipu-completeness',
];

/** Returns the CORS headers of a response that is sent without Fastify; none for an origin that may not call. */
export const crossOriginHeaders = (allowed: readonly string[], origin: string | undefined): Readonly<Record<string, string>> =>
  origin === undefined || !allowsOrigin(allowed, origin)
    ? {}
    : { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS.join(', '), vary: 'Origin' };

/**
 * Reads the API key of a request from the header `X-API-Key`, or from `Authorization: Bearer`, the only header that some clients can set;
 * undefined without a key.
 */
export function apiKeyOf(headers: IncomingMessage['headers']): unknown {
  const [scheme, token] = headers.authorization?.split(' ') ?? [];
  return headers['x-api-key'] ?? (scheme?.toLowerCase() === 'bearer' ? token : undefined);
}

/** Returns true for a URL with an API key, valid or not. Such requests are refused, because URLs end up in logs and browser histories. */
export const hasKeyInUrl = (url: string): boolean =>
  url.includes('?') &&
  [...new URL(url, 'http://localhost').searchParams].some(([name, value]) => /^(x-)?api[-_]?key$/i.test(name) || value.startsWith('sk_'));

/**
 * Authenticates an API key from a header or from connection_init, or the person whose session is in the cookie if the key says so. The
 * address of the sender is for the limit of failed attempts.
 * @throws AppError MISSING_API_KEY; INVALID_API_KEY for unknown, malformed, revoked and expired keys, without distinction; RATE_LIMITED
 * after too many failed attempts from this address; SERVICE_UNAVAILABLE when the database cannot be reached; of a person SESSION_ENDED and
 * ORIGIN_NOT_ALLOWED
 */
export async function requireCaller(key: unknown, sender: Sender, { authenticate, people }: Authenticator): Promise<Caller> {
  if (typeof key !== 'string' || key === '') throw new AppError('MISSING_API_KEY', requestMessages.missingKey());
  const found = key === SESSION_KEY ? requirePerson(sender, people) : authenticate(key.trim(), sender.address);
  const caller = await found.catch((cause: unknown) => {
    if (cause instanceof AppError) throw cause;
    throw new AppError('SERVICE_UNAVAILABLE', requestMessages.keyUnchecked(), { retryAfterSeconds: 2 }, { cause });
  });
  if (!caller) throw new AppError('INVALID_API_KEY', requestMessages.invalidKey());
  return caller;
}

/** Cancels the work for a request when its client disconnects or its deadline passes. */
export interface RequestLifetime {
  /** Aborted with an AppError as reason: SERVICE_UNAVAILABLE after a disconnect, DEADLINE_EXCEEDED after the deadline. */
  readonly signal: AbortSignal;
  /** Marks the work as done, so that the signal is no longer aborted. */
  end(): void;
}

const disconnected = () => new AppError('SERVICE_UNAVAILABLE', requestMessages.disconnected());
const deadlineExceeded = () => new AppError('DEADLINE_EXCEEDED', requestMessages.deadline());

/** A WebSocket or an HTTP response. A response emits `close` also after it was sent completely; `writableFinished` is true then. */
type Connection = EventEmitter & { readonly writableFinished?: boolean };

/** Additional time in ms for a request that has changed something, so that it can answer after its deadline. */
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
 * Runs the work for one answer, and rejects when the deadline of its request passes first, unless it has changed something. A disconnect
 * of the client does not end it, because the answer may be stored under an Idempotency-Key.
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
export const isGraphql = ({ url }: Pick<FastifyRequest, 'url'>): boolean => /^\/graphql\/?(?:\?|$)/.test(url);

const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_RESPONSE = 'application/graphql-response+json; charset=utf-8';
const EVENT_STREAM = 'text/event-stream; charset=utf-8';
const HTML = 'text/html; charset=utf-8';

type WithHeaders = Pick<FastifyRequest, 'headers'>;

/** Returns the content type that the request prefers by its `Accept` header; the first one if it prefers none. */
function preferred(request: WithHeaders, first: string, ...others: readonly string[]): string {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*') return first; // fast path for most programs
  return new Negotiator(acceptOf(request)).mediaType([first, ...others]) ?? first;
}

/** Returns the headers for Negotiator in lower case, because it compares media types with their case. */
const acceptOf = ({ headers: { accept } }: WithHeaders) => ({ headers: accept === undefined ? {} : { accept: accept.toLowerCase() } });

/** Returns the content type of a GraphQL response that is JSON: `application/graphql-response+json` if the request prefers it. */
export const graphqlContentType = (request: WithHeaders): string => preferred(request, JSON_TYPE, GRAPHQL_RESPONSE);

/** Returns true for a request that prefers an event stream over JSON, also for queries. */
export const prefersEventStream = (request: FastifyRequest): boolean =>
  preferred(request, JSON_TYPE, GRAPHQL_RESPONSE, EVENT_STREAM) === EVENT_STREAM;

/**
 * Returns true for a request that accepts event streams by name, so that its subscriptions are answered with one. A wildcard does not
 * count, because a client that does not support event streams would wait for the end of the response.
 */
export const acceptsEventStream = (request: FastifyRequest): boolean =>
  new Negotiator(acceptOf(request)).mediaTypes().includes('text/event-stream');

/** Returns true for a request that prefers a page over JSON, as browsers do. */
export const prefersHtml = (request: FastifyRequest): boolean => preferred(request, JSON_TYPE, HTML) === HTML;
