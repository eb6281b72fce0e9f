import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { Logger } from 'pino';

/** Postgres cancels a statement of request work after this long. */
const STATEMENT_MS = 4_000;
/** How much longer we wait for the answer before taking the connection for dead. */
const GRACE_MS = 500;
/** Until a connection is opened, or one of the pool is free. */
const CONNECT_MS = 4_000;
/** How long a closing connection may say goodbye. */
const GOODBYE_MS = 1_000;
const READ_TIMEOUT = /Query read timeout$/;

export interface DbOptions {
  readonly log?: Pick<Logger, 'warn' | 'error'>;
  readonly poolMax?: number;
  /** Milliseconds; 0 lets statements run for as long as they like. */
  readonly statementTimeoutMs?: number;
  /** Milliseconds a statement may wait for a lock; 0, the default, is as long as the statement may run. */
  readonly lockTimeoutMs?: number;
}

/**
 * The pool. Opens nothing until asked. int8 and numeric are read as text, date as `YYYY-MM-DD`, timestamptz as Date.
 * A statement fails after 4 s, or after 4.5 s when nothing answers at all: its connection is then dropped, and with it
 * every other that has been silent since, so that one timeout is enough to leave a dead host behind.
 * Messages of errors hold statements, never their values.
 */
export function createDb(url: string, options: DbOptions = {}): Knex {
  const { log, poolMax = 10, statementTimeoutMs = STATEMENT_MS } = options;
  const watch = watchConnections(statementTimeoutMs + GRACE_MS);
  const db = knex({
    client: 'pg',
    connection: connectionOptions(url, options),
    acquireConnectionTimeout: CONNECT_MS,
    compileSqlOnError: false,
    pool: { min: 0, max: poolMax, afterCreate: watch.opened, validate: watch.usable },
    log: {
      warn: (message: string) => log?.warn({ component: 'db' }, message),
      error: (message: string) => log?.error({ component: 'db' }, message),
      deprecate: () => undefined,
      debug: () => undefined,
    },
  });
  db.on('query-response', (_response: unknown, query: Named) => watch.answered(query));
  db.on('query-error', (error: Error, query: Named) => (READ_TIMEOUT.test(error.message) ? watch.silent(query) : watch.answered(query)));
  return db;
}

/** How knex names a connection, on itself and on the events of its queries. */
interface Named {
  readonly __knexUid: string;
}

/** Remembers when each connection was last heard, and cuts those that are silent. */
function watchConnections(answerMs: number) {
  const lines = new Map<string, { readonly client: pg.Client; heardAt: number }>();
  let deafSince = Number.NEGATIVE_INFINITY;
  return {
    opened(client: pg.Client & Named, done: () => void): void {
      lines.set(client.__knexUid, { client, heardAt: performance.now() });
      client.once('end', () => lines.delete(client.__knexUid));
      done();
    },
    answered({ __knexUid }: Named): void {
      const line = lines.get(__knexUid);
      if (line) line.heardAt = performance.now();
    },
    /** Nothing came since the question was sent: whoever was not heard since then is suspect. */
    silent({ __knexUid }: Named): void {
      deafSince = performance.now() - answerMs;
      cut(lines.get(__knexUid)?.client);
    },
    usable({ __knexUid }: Named): boolean {
      const line = lines.get(__knexUid);
      const usable = line !== undefined && line.heardAt > deafSince;
      if (!usable) cut(line?.client);
      return usable;
    },
  };
}

/**
 * Lends a connection outside the pool, for long work that needs the driver itself (COPY, LISTEN); closed when `fn` is done,
 * which ends what it left open. A statement may run for `statementTimeoutMs` (0: without limit).
 */
export async function withConnection<T>(
  db: Knex,
  fn: (client: pg.Client) => Promise<T>,
  { statementTimeoutMs }: { readonly statementTimeoutMs: number },
): Promise<T> {
  const client = new pg.Client(connectionOptions(urlOf(db), { statementTimeoutMs }));
  client.on('error', () => undefined); // whoever waits for an answer is told by its rejection
  try {
    await client.connect();
    return await fn(client);
  } finally {
    await hangUp(client);
  }
}

/** The URL a pool was made with. Holds the password. */
export const urlOf = (db: Knex): string => (db.client.config.connection as pg.ClientConfig).connectionString ?? '';

function connectionOptions(url: string, { statementTimeoutMs = STATEMENT_MS, lockTimeoutMs }: DbOptions) {
  return {
    connectionString: url,
    application_name: 'quipu',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs === 0 ? undefined : statementTimeoutMs + GRACE_MS,
    lock_timeout: lockTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  };
}

const asText = (text: string): string => text;

/** A date is a day of the calendar, not an instant of some time zone. */
const getTypeParser = (oid: number, format?: string): ((text: string) => unknown) =>
  oid === pg.types.builtins.DATE ? asText : pg.types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text');

/** Closes the socket at once: a goodbye to a peer that does not listen would wait for minutes. */
function cut(client: pg.Client | undefined): void {
  (client as { connection?: { stream: { destroy(): void } } } | undefined)?.connection?.stream.destroy();
}

async function hangUp(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => cut(client), GOODBYE_MS);
  await client.end().finally(() => clearTimeout(timer));
}
