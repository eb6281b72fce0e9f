import pg from 'pg';
import type { SourceName } from '../domain/catalogue.ts';
import { AppError, sourceUnavailable } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';
import { requestMessages } from '../messages/requests.ts';

const CONNECTION_CODES = /^(ECONN(REFUSED|RESET)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
/** SQLSTATE classes: connection failure, out of resources, operator intervention (shutdown, timeout), lock timeout, closed, standby. */
const UNAVAILABLE_STATES = /^(08|53|57|55P03|55000|25006)/;
/** SQLSTATE classes of these that end a connection: connection failure, shutdown. */
const ENDED_STATES = /^(08|57P)/;
/** Messages of connection failures. knex puts the statement and ` - ` before the message of the driver. */
const ENDED_MESSAGES = /(Connection (ended|terminated) unexpectedly|is not queryable)$/;
const TIMEOUT_MESSAGES = /(Query read timeout|timeout expired)$/;

/**
 * Returns the error for callers if a statement failed, or was refused, because the database is unavailable, overloaded or out of
 * connections; else null.
 */
export function databaseUnavailable(error: unknown): AppError | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof AppError) return error.code === 'SERVICE_UNAVAILABLE' ? error : null;
  const code = String((error as { code?: unknown }).code ?? '');
  const isUnavailable =
    error.name === 'KnexTimeoutError' ||
    isDisconnected(error) ||
    (error instanceof pg.DatabaseError && UNAVAILABLE_STATES.test(code)) ||
    TIMEOUT_MESSAGES.test(error.message);
  return isUnavailable ? unavailable(error) : null;
}

/** True for the failure of a statement whose connection could not be opened, or was lost. */
function isDisconnected(error: Error): boolean {
  const code = String((error as { code?: unknown }).code ?? '');
  const isEnded = error instanceof pg.DatabaseError && ENDED_STATES.test(code);
  return isEnded || CONNECTION_CODES.test(code) || ENDED_MESSAGES.test(error.message);
}

/**
 * Returns the error for a source whose rows in this database could not be read. If the database is away, that is SERVICE_UNAVAILABLE: the
 * request must not become an answer without this source. A statement that fails or takes too long is a failure of the source alone.
 */
export function failureOfRead(source: SourceName, error: Error): AppError {
  if (error instanceof AppError) return error;
  return isDisconnected(error) ? unavailable(error) : sourceUnavailable(source, error);
}

export const unavailable = (cause: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', requestMessages.databaseAway(), { retryAfterSeconds: 2 }, { cause });

/**
 * Time for which a process goes on answering from memory while the database is unavailable. It is the maximum delay of a revocation for a
 * process that cannot read it, so it is no longer than a restart of Postgres takes.
 */
export const BRIDGED_MS = 30 * SECOND_MS;

/**
 * Returns the function that decides how long a cached value is used after its read failed: `bridgedMs` if the database is unavailable, else
 * `ms`. Null, for a row that did not exist, is never used longer than `ms`, because the row may exist by now.
 */
export const staleAge =
  (ms: number, bridgedMs: number) =>
  (error: unknown, value: unknown): number =>
    value !== null && isAway(error) ? bridgedMs : ms;

/** True if the database did not respond at all. A database that is only slow, or out of connections, can tell that a key was revoked. */
const isAway = (error: unknown): boolean =>
  error instanceof AppError
    ? error.code === 'SERVICE_UNAVAILABLE'
    : error instanceof Error && (isDisconnected(error) || TIMEOUT_MESSAGES.test(error.message));
