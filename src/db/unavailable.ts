import pg from 'pg';
import { AppError } from '../domain/errors.ts';

const CONNECTION_CODES = /^(ECONN(REFUSED|RESET)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
/** SQLSTATE classes: connection failure, out of resources, operator intervention (shutdown, timeout), lock timeout, closed, standby. */
const UNAVAILABLE_STATES = /^(08|53|57|55P03|55000|25006)/;
/** Messages of connection failures. knex puts the statement and ` - ` before the message of the driver. */
const CONNECTION_MESSAGES = /(Connection (ended|terminated) unexpectedly|Query read timeout|timeout expired|is not queryable)$/;

/** Returns the error for callers if a statement failed because the database is unavailable, overloaded or out of connections; else null. */
export function databaseUnavailable(error: unknown): AppError | null {
  if (!(error instanceof Error)) return null;
  const code = String((error as { code?: unknown }).code ?? '');
  const isUnavailable =
    error.name === 'KnexTimeoutError' ||
    CONNECTION_CODES.test(code) ||
    (error instanceof pg.DatabaseError && UNAVAILABLE_STATES.test(code)) ||
    CONNECTION_MESSAGES.test(error.message);
  return isUnavailable ? unavailable(error) : null;
}

export const unavailable = (cause: unknown): AppError =>
  new AppError(
    'SERVICE_UNAVAILABLE',
    'Our database does not answer right now; try again in a moment.',
    { retryAfterSeconds: 2 },
    { cause },
  );
