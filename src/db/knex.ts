import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { Logger } from 'pino';
import { columnParser } from './column-parsers.ts';

/** Timeout in ms after which Postgres cancels a statement of request work. */
const STATEMENT_MS = 4_000;
/** Time added to the statement timeout, after which a connection without a response counts as dead. */
const RESPONSE_MARGIN_MS = 500;
/** Maximum time to open a connection for requests, or to wait for a free one of the pool. */
const CONNECT_MS = 4_000;
/** Maximum time to open a connection for background work, which no caller waits for. A busy machine takes longer than 4 s for one. */
const BACKGROUND_CONNECT_MS = 30_000;
/** Maximum time for an orderly close of a connection. */
const CLOSE_MS = 1_000;
const READ_TIMEOUT = /Query read timeout$/;

export interface DbOptions {
  readonly log?: Pick<Logger, 'warn' | 'error'>;
  readonly poolMax?: number;
  /** Statement timeout in ms; 0 for no limit. */
  readonly statementTimeoutMs?: number;
  /** Milliseconds that a statement may wait for a lock; default 0, for no separate limit. */
  readonly lockTimeoutMs?: number;
  /** True for work that no caller waits for: a connection may take 30 s instead of 4 s. */
  readonly isBackground?: boolean;
  /** Address of Postgres itself, if the URL of the pool is that of a connection pooler. */
  readonly directUrl?: string;
}

/**
 * Creates a pool; it opens no connection until it is used. int8 and numeric are read as text, date as `YYYY-MM-DD`, timestamptz as Date. A
 * statement fails after 4 s, or after 4.5 s without any response. In the second case its connection is destroyed, and each other
 * connection that received nothing since then is destroyed before it is used again, so that a failed host costs one timeout and not one
 * per connection. Error messages contain statements but never their values. Through a pooler (`directUrl`), Postgres itself has no time
 * limits, because a pooler does not pass them on; the 4.5 s apply.
 */
export function createDb(url: string, options: DbOptions = {}): Knex {
  const { log, poolMax = 10, directUrl } = options;
  const monitor = monitorConnections();
  const db = knex({
    client: 'pg',
    connection: { ...connectionOptions(url, options, { viaPooler: directUrl !== undefined }), ...{ directUrl: directUrl ?? url } },
    acquireConnectionTimeout: connectMsOf(options),
    compileSqlOnError: false,
    pool: { min: 0, max: poolMax, afterCreate: monitor.opened, validate: monitor.isUsable },
    log: {
      warn: (message: string) => log?.warn({ component: 'db' }, message),
      error: (message: string) => log?.error({ component: 'db' }, message),
      deprecate: () => undefined,
      debug: () => undefined,
    },
  });
  db.on('query', (query: Identified) => monitor.sent(query));
  db.on('query-response', (_response: unknown, query: Identified) => monitor.answered(query));
  db.on('query-error', (error: Error, query: Identified) =>
    READ_TIMEOUT.test(error.message) ? monitor.timedOut(query) : monitor.answered(query),
  );
  return db;
}

const connectMsOf = ({ isBackground = false }: Pick<DbOptions, 'isBackground'>): number =>
  isBackground ? BACKGROUND_CONNECT_MS : CONNECT_MS;

/** A connection, or an event of a query, with the id that knex adds to it. */
interface Identified {
  readonly __knexUid: string;
}

/** Records when each connection last sent a statement and received a response, and destroys those that do not respond. */
function monitorConnections() {
  const connections = new Map<string, { readonly client: pg.Client; sentAt: number; respondedAt: number }>();
  /** Start of the last statement that timed out. It is not computed from the timeout, because a timer may fire early. */
  let noResponseSince = Number.NEGATIVE_INFINITY;

  const recordTime =
    (time: 'sentAt' | 'respondedAt') =>
    ({ __knexUid }: Identified): void => {
      const connection = connections.get(__knexUid);
      if (connection) connection[time] = performance.now();
    };
  /** Destroys a connection. It is deleted from the map at once, because its end is reported in a later tick of the event loop. */
  function destroy(id: string): void {
    destroySocket(connections.get(id)?.client);
    connections.delete(id);
  }
  return {
    opened(client: pg.Client & Identified, done: () => void): void {
      connections.set(client.__knexUid, { client, sentAt: 0, respondedAt: performance.now() });
      client.once('end', () => connections.delete(client.__knexUid));
      done();
    },
    sent: recordTime('sentAt'),
    answered: recordTime('respondedAt'),
    /** Records that there was no response since the statement was sent. Connections without a response since then are not trusted. */
    timedOut({ __knexUid }: Identified): void {
      noResponseSince = Math.max(noResponseSince, connections.get(__knexUid)?.sentAt ?? 0);
      destroy(__knexUid);
    },
    isUsable({ __knexUid }: Identified): boolean {
      const usable = (connections.get(__knexUid)?.respondedAt ?? noResponseSince) > noResponseSince;
      if (!usable) destroy(__knexUid);
      return usable;
    },
  };
}

interface ConnectionOptions extends Required<Pick<DbOptions, 'statementTimeoutMs'>>, Pick<DbOptions, 'isBackground'> {
  readonly signal?: AbortSignal;
  readonly opening?: AbortSignal;
}

/**
 * Calls `fn` with a direct connection outside the pool, for work that needs the driver itself or keeps state between transactions
 * (COPY, LISTEN, temporary tables, session locks). The connection is closed afterwards, which rolls back an open transaction.
 * `statementTimeoutMs`: limit of one statement, 0 for none. `signal` breaks the connection, so that a running statement fails at once; its
 * transaction is rolled back when Postgres notices. `opening` ends only the wait for the connection, which is 30 s, or 4 s if it is not for
 * background work.
 */
export async function withConnection<T>(
  db: Knex,
  fn: (client: pg.Client) => Promise<T>,
  { statementTimeoutMs, signal, opening, isBackground = true }: ConnectionOptions,
): Promise<T> {
  signal?.throwIfAborted();
  opening?.throwIfAborted();
  const client = new pg.Client(connectionOptions(directUrlOf(db), { statementTimeoutMs, isBackground }));
  client.on('error', () => undefined); // pending queries reject with the same error
  const stop = () => destroySocket(client);
  signal?.addEventListener('abort', stop, { once: true });
  opening?.addEventListener('abort', stop, { once: true });
  try {
    await client.connect().finally(() => opening?.removeEventListener('abort', stop));
    return await fn(client);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    await closeClient(client);
  }
}

/**
 * Opens a pool of the driver itself, for packages that need one. Statements have no time limit. Errors of its connections are logged and
 * never thrown. `close` ends every connection at once, including those in use.
 */
export function openPool(url: string, { max, log }: { readonly max: number; readonly log: Pick<Logger, 'warn'> }) {
  const clients = new Set<pg.Client>();
  const warn = (error: Error) => log.warn({ component: 'db', why: error.message }, 'a connection was lost');
  const pool = new pg.Pool({ ...connectionOptions(url, { statementTimeoutMs: 0, isBackground: true }), types: undefined, max });
  pool.on('error', warn);
  pool.on('connect', (client) => clients.add(client.on('error', warn)));
  pool.on('remove', (client) => clients.delete(client));
  const close = () => {
    void pool.end();
    for (const client of clients) destroySocket(client);
  };
  return { pool, close };
}

/** Creates another pool of the same database with separate limits, so that one full pool does not delay the other. */
export function poolBeside(db: Knex, options: Omit<DbOptions, 'directUrl'>): Knex {
  const { connectionString, directUrl } = addressesOf(db);
  return createDb(connectionString, { ...options, ...(directUrl !== connectionString && { directUrl }) });
}

/** Returns the address of Postgres itself, even if the pool is one of a connection pooler. It contains the password. */
export const directUrlOf = (db: Knex): string => addressesOf(db).directUrl;

/**
 * Returns the options of a statement that runs for most requests, so that each connection prepares it once under this name. They are empty
 * through a pooler, because each transaction may run in another server process.
 */
export function preparedAs(db: Knex, name: string): { readonly name?: string } {
  const { connectionString, directUrl } = addressesOf(db);
  return connectionString === directUrl ? { name } : {};
}

const addressesOf = (db: Knex): { readonly connectionString: string; readonly directUrl: string } => db.client.config.connection;

/**
 * Returns true for the address of a connection pooler. Postgres sends a client the id of its server process when it connects; a pooler
 * sends another id, because each transaction may run in another server process.
 * @throws Error when the database cannot be reached
 */
export async function isPooler(url: string): Promise<boolean> {
  const client = new pg.Client(connectionOptions(url, { isBackground: true }, { viaPooler: true }));
  client.on('error', () => undefined); // pending queries reject with the same error
  try {
    await client.connect();
    const { rows } = await client.query('SELECT pg_backend_pid() AS id');
    return rows[0].id !== (client as unknown as { processID: number | null }).processID;
  } finally {
    await closeClient(client);
  }
}

function connectionOptions(url: string, options: DbOptions, { viaPooler = false } = {}) {
  const { statementTimeoutMs = STATEMENT_MS, lockTimeoutMs } = options;
  return {
    connectionString: url,
    application_name: 'quipu',
    connectionTimeoutMillis: connectMsOf(options),
    // Parameters that Postgres sets when a client connects. A pooler ignores them or refuses the connection.
    // Statements are short, and compiling one takes longer than running it. Postgres compiles by estimates, which grow with the tables.
    ...(!viaPooler && { statement_timeout: statementTimeoutMs, lock_timeout: lockTimeoutMs, options: '-c jit=off' }),
    query_timeout: statementTimeoutMs === 0 ? undefined : statementTimeoutMs + RESPONSE_MARGIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: columnParser },
  };
}

/** Destroys the socket, because an orderly close would wait for minutes if the host does not respond. */
export function destroySocket(client: pg.Client | undefined): void {
  (client as { connection?: { stream: { destroy(): void } } } | undefined)?.connection?.stream.destroy();
}

async function closeClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => destroySocket(client), CLOSE_MS);
  await client.end().finally(() => clearTimeout(timer));
}
