import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { nestingOf } from '../domain/nesting.ts';
import { SECOND_MS } from '../domain/time.ts';

const KIB = 1024;
const MAX_HEADER_BYTES = 16 * KIB;
const MAX_BODY_BYTES = KIB * KIB;
/** Maximum time in which a request must arrive completely. */
const REQUEST_MS = 15 * SECOND_MS;
const HEADERS_MS = 10 * SECOND_MS;
/** Interval at which Node checks for late requests. With its default of 30 s they could take twice their time. */
const TIMEOUT_CHECK_MS = 5 * SECOND_MS;
/** Idle time of a persistent connection. It must exceed that of load balancers; otherwise their reused connections fail. */
const KEEP_ALIVE_MS = 72 * SECOND_MS;

/** Server options that limit the size and time of requests, so that a slow client does not occupy resources for 30 s. */
export const requestLimits = {
  bodyLimit: MAX_BODY_BYTES,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_MS, connectionsCheckingInterval: TIMEOUT_CHECK_MS },
};

/** Maximum nesting of a body. It is far above any valid request and far below the limit of the call stack. */
const MAX_NESTING = 100;
export const BODY_TOO_DEEP = 'BODY_TOO_DEEP';

/** Maximum number of fields in a body. V8 takes microseconds for each new name, and blocks the event loop meanwhile. */
const MAX_FIELDS = 5_000;
/** Maximum number of objects and lists in a body. V8 takes half a microsecond for each. */
const MAX_OBJECTS = 50_000;
export const BODY_TOO_WIDE = 'BODY_TOO_WIDE';

/** Refuses bodies with so many fields that reading them would block the event loop, and bodies whose nesting would overflow the stack of a recursive function. */
export function limitBodies(server: FastifyInstance): void {
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (hasTooManyFields(body)) done(Object.assign(new Error('the body has too many fields'), { code: BODY_TOO_WIDE, statusCode: 400 }));
    else parseJson(request, body, done);
  });
  server.addHook('preValidation', async ({ body }) => {
    if (nestingOf(body) > MAX_NESTING) throw Object.assign(new Error('the body is too deep'), { code: BODY_TOO_DEEP, statusCode: 400 });
  });
}

/** Reads a body; null for one that is refused. */
export type ReadJson = (text: string) => { readonly body: unknown } | null;

/** Creates the reader of bodies that are too short to have too many fields. It accepts the same ones as `limitBodies`. */
export function shortBodyReader(server: FastifyInstance): ReadJson {
  const parseJson = server.getDefaultJsonParser('error', 'error');
  return (text) => {
    const read: { body: unknown }[] = [];
    void parseJson({} as FastifyRequest, text, (error, body: unknown) => {
      if (!error && nestingOf(body) <= MAX_NESTING) read.push({ body });
    });
    return read[0] ?? null;
  };
}

const [QUOTE, COLON, LIST, BACKSLASH, OBJECT] = [0x22, 0x3a, 0x5b, 0x5c, 0x7b];

/** Counts the colons and the opening brackets outside of texts. Invalid JSON is refused by its parser. */
function hasTooManyFields(body: string): boolean {
  if (body.length <= MAX_FIELDS) return false;
  let isText = false;
  let fields = 0;
  let objects = 0;
  for (let i = 0; i < body.length && fields <= MAX_FIELDS && objects <= MAX_OBJECTS; i += 1) {
    const code = body.charCodeAt(i);
    if (code === QUOTE) isText = !isText;
    else if (isText) i += code === BACKSLASH ? 1 : 0;
    else if (code === COLON) fields += 1;
    else if (code === LIST || code === OBJECT) objects += 1;
  }
  return fields > MAX_FIELDS || objects > MAX_OBJECTS;
}

/** A step that handles a request before Fastify, at a fraction of the cost of a hook. `next` passes the request on. */
export type Before = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Installs steps before Fastify's handling of a request, in this order. Requests of `inject` skip them, and so do requests to the second
 * and further addresses of a host name, for which Fastify creates separate servers.
 */
export function mountBefore(server: FastifyInstance, ...steps: readonly Before[]): void {
  const [handle] = server.server.listeners('request') as RequestListener[];
  server.server.removeAllListeners('request').on('request', (request, response) => {
    const pass = (index: number): void => {
      const step = steps[index];
      if (step) step(request, response, () => pass(index + 1));
      else handle?.(request, response);
    };
    pass(0);
  });
}

/** Maximum number of requests of one connection that are being answered or wait for that. */
const MAX_PIPELINED = 16;

/**
 * Answers the requests of one connection one after another, and destroys connections that pipeline too many. A waiting request needs
 * little memory, but its answer would stay in memory until the client has read the previous ones.
 */
export function limitPipelining(): Before {
  const waiting = new WeakMap<object, (() => void)[]>();
  return ({ socket }, response, next) => {
    response.once('close', () => {
      const first = socket.destroyed ? undefined : waiting.get(socket)?.shift();
      if (first) first();
      else waiting.delete(socket);
    });
    const others = waiting.get(socket);
    if (!others) {
      waiting.set(socket, []);
      next();
    } else if (others.push(next) >= MAX_PIPELINED) socket.destroy();
  };
}

const STALL_CHECK_MS = 5 * SECOND_MS;
/** Number of consecutive checks without progress after which a connection counts as stalled. */
const MAX_STALLED_CHECKS = 3;

interface Connection {
  readonly bytesWritten: number;
  readonly writableLength: number;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

interface Progress {
  /** Number of bytes sent at the last check. */
  readonly sent: number;
  readonly stalledChecks: number;
}

/** Destroys connections whose clients do not read their answers for 15 s, even if they keep sending. */
export function closeStalledConnections(server: FastifyInstance): void {
  const connections = new Map<Connection, Progress>();
  server.server.on('connection', (connection: Connection) => {
    connections.set(connection, { sent: 0, stalledChecks: 0 });
    connection.once('close', () => connections.delete(connection));
  });
  const checking = setInterval(() => {
    for (const [connection, { sent: before, stalledChecks }] of connections) {
      const sent = connection.bytesWritten - connection.writableLength;
      const isStalled = connection.writableLength > 0 && sent === before;
      if (isStalled && stalledChecks + 1 >= MAX_STALLED_CHECKS) connection.destroy();
      else connections.set(connection, { sent, stalledChecks: isStalled ? stalledChecks + 1 : 0 });
    }
  }, STALL_CHECK_MS).unref();
  server.addHook('onClose', async () => clearInterval(checking));
}

/** Time in which a connection must send the first byte of a request once the server closes. */
const FIRST_BYTE_MS = SECOND_MS;
const UNUSED_CHECK_MS = SECOND_MS / 10;

/**
 * Destroys connections that have sent nothing when the server closes. Browsers and HTTP clients open connections in advance; Node counts
 * these as active, and ends its own checks of their time when the server closes, so one of them would keep the server open.
 */
export function closeUnusedConnections(server: FastifyInstance): void {
  const openedAt = new Map<Socket, number>();
  server.server.on('connection', (socket: Socket) => {
    openedAt.set(socket, performance.now());
    socket.once('close', () => openedAt.delete(socket));
  });
  const destroyUnused = () => {
    const latest = performance.now() - FIRST_BYTE_MS;
    for (const [socket, at] of openedAt) if (socket.bytesRead === 0 && at <= latest) socket.destroy();
  };
  server.addHook('preClose', async () => {
    if (!server.server.listening) return;
    const checking = setInterval(destroyUnused, UNUSED_CHECK_MS);
    server.server.once('close', () => clearInterval(checking));
  });
}

/** Load that this process can take, as a share of its limits. */
export interface Capacity {
  /** Returns 1, or less when the process is overloaded. */
  share(): number;
  stop(): void;
}

/** Share while the heap is full. It is enough to make progress, and needs little more memory. */
const SHARE_WHEN_FULL = 0.01;
/**
 * Minimum share while the event loop is late. Executions that only use the event loop are as productive if they are few, but executions
 * that wait for sources are not.
 */
const MIN_SHARE = 0.1;
/** Additive increase, multiplicative decrease (AIMD) of the share per tick. */
const DECREASE = 0.5;
const INCREASE = 0.01;
const TICK_MS = 20;
/** Weight of the last tick in the average delay. A single long tick of the event loop is not an overload. */
const TICK_WEIGHT = 0.3;

export interface CapacityOptions {
  /** Average delay of the event loop above which the process counts as overloaded, in ms. */
  readonly maxDelayMs: number;
  /** Share of the heap limit, 0 to 1. The process counts as overloaded when more than that is in use after a full garbage collection. */
  readonly heapShare: number;
}

/**
 * Measures the delay of the event loop and the use of the heap. Between full collections most of the heap may be garbage, so the heap
 * counts as full after a collection that leaves too much, until one leaves less or the use falls below the limit.
 */
export function watchCapacity({ maxDelayMs, heapShare }: CapacityOptions): Capacity {
  let delayMs = 0;
  let share = 1;
  let dueAt = performance.now() + TICK_MS;
  const ticking = setInterval(() => {
    const now = performance.now();
    delayMs += (Math.max(0, now - dueAt) - delayMs) * TICK_WEIGHT;
    dueAt = now + TICK_MS;
    share = delayMs > maxDelayMs ? Math.max(MIN_SHARE, share * DECREASE) : Math.min(1, share + INCREASE);
  }, TICK_MS).unref();

  const isAboveShare = (): boolean => {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return used > limit * heapShare;
  };
  let wasFull = false;
  const observer = new PerformanceObserver((list) => {
    const kinds = (list.getEntries() as readonly GcEntry[]).map(({ detail }) => detail?.kind);
    if (kinds.includes(constants.NODE_PERFORMANCE_GC_MAJOR)) wasFull = isAboveShare();
  });
  observer.observe({ entryTypes: ['gc'] });

  /** True if the current tick has lasted too long already, so that a burst of requests in one tick is detected while it is read. */
  const isOverdue = () => performance.now() - dueAt > maxDelayMs;

  return {
    share() {
      if (wasFull && isAboveShare()) return SHARE_WHEN_FULL;
      return isOverdue() ? MIN_SHARE : share;
    },
    stop() {
      clearInterval(ticking);
      observer.disconnect();
    },
  };
}

interface GcEntry extends PerformanceEntry {
  readonly detail?: { readonly kind?: number };
}
