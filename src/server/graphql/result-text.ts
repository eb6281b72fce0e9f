import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
import { JsonText } from '../../graphql/compiled/json-text.ts';
import { MAX_BODY_BYTES } from '../../metering/idempotency-keys.ts';
import { statusOf } from '../../rest/problem.ts';
import { nextSlice } from '../../scheduling/slices.ts';
import { temporaryRefusal } from './execute.ts';

/* The text and the status of a result over HTTP. The full and the short path of a request share them. */

/** Writes a result like Apollo. Data that is text already is copied. */
export function stringifyResult(result: FormattedExecutionResult): string {
  const { errors, data, extensions } = result;
  if (!(data instanceof JsonText)) return `${JSON.stringify({ errors, data, extensions })}\n`;
  return `${errors ? `{"errors":${JSON.stringify(errors)},` : '{'}"data":${data}${tailOf(result)}`;
}

/**
 * Length from which a text is sent in chunks. It is above that of the answers that an Idempotency-Key stores. Writing such a text at once
 * would block the event loop for tens of milliseconds, mostly to allocate memory.
 */
const LONG = 2 * MAX_BODY_BYTES;
const CHUNK_LENGTH = 64 * 1024;
/** Usual number of characters of an error: its message, location, path, code and id of the request. The shortest ones have 160. */
const ERROR_LENGTH = 256;

/** True for a result whose text must be sent in chunks. */
export const isLong = ({ data, errors = [] }: FormattedExecutionResult): boolean =>
  data instanceof JsonText && data.length + ERROR_LENGTH * errors.length >= LONG;

/** Yields the parts of a long answer, each in a slice of the event loop. */
export async function* chunksOf(result: FormattedExecutionResult): AsyncGenerator<string, void> {
  let chunk = '';
  for (const piece of piecesOf(result)) {
    chunk += piece;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
    await nextSlice();
  }
  yield chunk;
}

function* piecesOf({ errors = [], data, extensions }: FormattedExecutionResult): Generator<string, void> {
  yield '{';
  for (const [i, error] of errors.entries()) yield `${i === 0 ? '"errors":[' : ','}${JSON.stringify(error)}`;
  yield `${errors.length > 0 ? '],' : ''}"data":`;
  yield* (data as unknown as JsonText).pieces;
  yield tailOf({ extensions });
}

const tailOf = ({ extensions }: FormattedExecutionResult): string => `,"extensions":${JSON.stringify(extensions)}}\n`;

export interface StatusAndHeaders {
  /** HTTP status; 200 by default. */
  readonly status?: number;
  readonly headers?: Iterable<readonly [string, string]>;
}

/** Returns 429 or 503 with Retry-After for a temporary refusal; nothing for an operation that ran. */
export function refusalStatus(result: ExecutionResult): StatusAndHeaders {
  const refusal = temporaryRefusal(result);
  if (!refusal) return {};
  const { retryAfterSeconds } = refusal.facts;
  const headers: readonly [string, string][] = retryAfterSeconds === undefined ? [] : [['retry-after', String(retryAfterSeconds)]];
  return { status: statusOf(refusal.code), headers };
}
