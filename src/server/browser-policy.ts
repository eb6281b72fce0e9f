import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { SECOND_MS } from '../domain/time.ts';
import { cutDeaf, cutHasty } from './limits.ts';

const KIB = 1024;
const MAX_HEADER_BYTES = 16 * KIB;
const MAX_BODY_BYTES = KIB * KIB;
/** A request must have come in whole by then, be it byte by byte. */
const REQUEST_MS = 15 * SECOND_MS;
const HEADERS_MS = 10 * SECOND_MS;
/** Between looks for those that are late; Node's own 30 s would double their time. */
const LOOK_MS = 5 * SECOND_MS;
/** Longer than load balancers keep a connection for reuse is of no use, shorter loses their requests. */
const KEEP_ALIVE_MS = 72 * SECOND_MS;

/** What clients may cost: sizes and times, so that none that is slow ties anything up for 30 s. */
export const limits = {
  bodyLimit: MAX_BODY_BYTES,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_MS, connectionsCheckingInterval: LOOK_MS },
};

export interface ShellParts {
  /** Origins whose pages may call from browsers. */
  readonly allowedOrigins: readonly string[];
  /** Connections at once; those beyond are closed unanswered. */
  readonly maxConnections?: number;
}

/** The shell: what browsers are told to allow, who may call from them, and how many may be connected. */
export async function mountShell(server: FastifyInstance, { allowedOrigins, maxConnections }: ShellParts): Promise<void> {
  if (maxConnections !== undefined) server.server.maxConnections = maxConnections;
  cutDeaf(server);
  cutHasty(server);
  await server.register(helmet, { contentSecurityPolicy: { useDefaults: false, directives: EXPLORER_POLICY } });
  if (allowedOrigins.length > 0) await mountCors(server, allowedOrigins);
}

/** Enough for the explorer page: its own files, its inline styles, queries and sockets to where it came from; nothing else. */
const EXPLORER_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

async function mountCors(server: FastifyInstance, origins: readonly string[]): Promise<void> {
  await server.register(cors, {
    origin: [...origins],
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy', 'idempotent-replayed'],
    maxAge: 600,
    strictPreflight: false,
  });
  // Event streams are written past the framework, and need the same.
  server.addHook('onRequest', async (_, reply) => {
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (name.startsWith('access-control-') && value !== undefined) reply.raw.setHeader(name, value);
  });
}
