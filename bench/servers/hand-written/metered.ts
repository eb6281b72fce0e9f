import { createHash, randomUUID } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import pino from 'pino';
import { built } from '../../harness/built.ts';

/**
 * Baseline: a Fastify server with the metering that one would write instead of ours. Each request has an API key, which is looked up by its
 * SHA-256 and cached for 4 s, and a rate limit of `@fastify/rate-limit`. An answer is sent after its usage row is committed to the same
 * Postgres that ours uses, in a schema of its own. Each request writes one line of log, and lines are written together, as ours are.
 */

const KEY_TTL_MS = 4_000;
/** Number of bytes, and of milliseconds, after which lines of the log are written together. */
const LOG = { minLength: 4_096, periodicFlush: 100, sync: false };
/** Requests that a key may send in a minute. The default is checked for every request and never reached. */
const { BENCH_KEY: key = '', BENCH_RATE_PER_MINUTE: perMinute = '1000000000' } = process.env;

/** A request with the facts that metering adds. */
export interface MeteredRequest extends FastifyRequest {
  /** Id of the API key. */
  keyId: string;
  /** Number of answers that the request counts. */
  quantity: number;
}

export const metered = (request: FastifyRequest): MeteredRequest => request as MeteredRequest;

/** Creates the server, its tables, and the key BENCH_KEY. */
export async function createMeteredServer(): Promise<FastifyInstance> {
  const pool = new pg.Pool({ connectionString: await databaseUrl() });
  pool.on('error', () => undefined); // the pool opens another connection when Postgres is back
  await createTables(pool);
  const keyIdOf = createKeys(pool);

  const server = fastify({
    loggerInstance: pino({ base: null }, pino.destination(LOG)) as FastifyBaseLogger,
    disableRequestLogging: true,
    genReqId: () => randomUUID(),
  });
  server.decorateRequest('keyId', '');
  server.decorateRequest('quantity', 0);
  server.addHook('onRequest', async (request, reply) => {
    const keyId = await keyIdOf(String(request.headers['x-api-key'] ?? ''));
    if (keyId === null) return reply.status(401).send({ error: 'unknown key' });
    metered(request).keyId = keyId;
  });
  await server.register(rateLimit, {
    max: Number(perMinute),
    timeWindow: '1 minute',
    hook: 'preHandler',
    keyGenerator: (request) => metered(request).keyId,
  });
  server.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const { keyId, quantity } = metered(request);
    if (reply.statusCode === 200 && quantity > 0) await pool.query({ ...RECORD, values: [keyId, request.id, quantity] });
  });
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, log } = request;
    log.info({ id: request.id, method, path: routeOptions.url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered');
  });
  return server;
}

const RECORD = { name: 'record', text: 'INSERT INTO hand_written.usage (key_id, request_id, quantity) VALUES ($1, $2, $3)' };

/** Returns DATABASE_URL, or the address of the Postgres of the Quipu that runs on QUIPU_DATA_DIR. */
async function databaseUrl(): Promise<string> {
  const { DATABASE_URL: given, QUIPU_DATA_DIR: dataDir = '' } = process.env;
  if (given) return given;
  const { createLog } = await built<typeof import('../../../src/app/log.ts')>('src/app/log');
  const { attachOrStart } = await built<typeof import('../../../src/db/embedded.ts')>('src/db/embedded');
  return (await attachOrStart(dataDir, { log: createLog({ logLevel: 'warn' }) })).url;
}

async function createTables(pool: pg.Pool): Promise<void> {
  await pool.query(`
    CREATE SCHEMA IF NOT EXISTS hand_written;
    CREATE TABLE IF NOT EXISTS hand_written.keys (hash bytea PRIMARY KEY, id uuid NOT NULL);
    CREATE TABLE IF NOT EXISTS hand_written.usage (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      key_id uuid NOT NULL,
      request_id uuid NOT NULL,
      quantity integer NOT NULL,
      at timestamptz NOT NULL DEFAULT now()
    )`);
  const insert = 'INSERT INTO hand_written.keys (hash, id) VALUES ($1, gen_random_uuid()) ON CONFLICT DO NOTHING';
  await pool.query(insert, [createHash('sha256').update(key).digest()]);
}

/** Returns the function that finds the id of a key; null for an unknown one. */
function createKeys(pool: pg.Pool): (secret: string) => Promise<string | null> {
  const cache = new LRUCache<string, string>({ max: 10_000, ttl: KEY_TTL_MS });
  return async (secret) => {
    const hash = createHash('sha256').update(secret).digest('hex');
    const cached = cache.get(hash);
    if (cached !== undefined) return cached;
    const { rows } = await pool.query('SELECT id FROM hand_written.keys WHERE hash = $1', [Buffer.from(hash, 'hex')]);
    const id: string | undefined = rows[0]?.id;
    if (id !== undefined) cache.set(hash, id);
    return id ?? null;
  };
}
