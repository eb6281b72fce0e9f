import { RETRYABLE_CODES, type ServiceCode } from './generated/codes.ts';
import type { ProblemCode } from './generated/rest.ts';

/** Codes of errors that the client detects. */
type ClientCode =
  /** No answer: there was no connection, it was lost, or it timed out. */
  | 'NETWORK'
  /** An answer that does not come from the service, such as the page of a proxy. */
  | 'INVALID_ANSWER'
  /** An answer with more bytes than the option `maxAnswerBytes` allows. */
  | 'ANSWER_TOO_LARGE'
  /** A webhook that the service did not sign with this secret, or not in the last minutes. */
  | 'INVALID_SIGNATURE';

/** Code of the service in upper case, as GraphQL writes it. New codes may appear. */
export type ErrorCode = ServiceCode | ProblemCode | ClientCode | (string & {});

/** An entry of `errors` of a GraphQL answer. */
export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Details of an error besides its code and sentence. Each error has only those that apply. */
export interface ErrorDetails {
  readonly field?: string;
  readonly module?: string;
  readonly source?: string;
  /** Cursor to continue from, for CURSOR_TOO_OLD and LAGGED. */
  readonly cursor?: string;
  readonly [name: string]: unknown;
}

interface Facts {
  readonly status?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  readonly details?: ErrorDetails | undefined;
  readonly errors?: readonly GraphqlError[];
  readonly data?: unknown;
  readonly cause?: unknown;
}

/** The only error class of this client. `message` is a sentence for people. */
export class QuipuError extends Error {
  override readonly name = 'QuipuError';
  readonly code: ErrorCode;
  /** HTTP status; undefined without an answer, and on a socket. */
  readonly status: number | undefined;
  /** Seconds after which to retry; undefined if the service does not state them. */
  readonly retryAfter: number | undefined;
  /** Id of the request in the log of the service. */
  readonly requestId: string | undefined;
  /** Details of the error: `field`, `module`, `source`, or `cursor` to continue from. */
  readonly details: ErrorDetails;
  /** All errors of a GraphQL answer. The other properties are those of the first one. */
  readonly errors: readonly GraphqlError[];
  /** The fields of a GraphQL answer that did not fail; undefined if there are none. */
  readonly data: unknown;

  constructor(code: ErrorCode, message: string, facts: Facts = {}) {
    super(message, { cause: facts.cause });
    this.code = code;
    this.status = facts.status;
    this.retryAfter = facts.retryAfter;
    this.requestId = facts.requestId;
    this.details = facts.details ?? {};
    this.errors = facts.errors ?? [];
    this.data = facts.data;
  }

  /**
   * True if the same request, or a subscription after its last cursor, may succeed later without a change: no answer came, or the code of
   * the service is retryable. An answer that is not of the service is judged by its status.
   */
  get isRetryable(): boolean {
    if (this.code === 'INVALID_ANSWER') return this.status === 429 || (this.status ?? 0) >= 500;
    return this.code === 'NETWORK' || RETRYABLE_CODES.has(this.code);
  }

  /** Path of the field that failed, such as `['companies', 3, 'compliance']`; empty for any other error. */
  get path(): readonly (string | number)[] {
    return this.errors[0]?.path ?? [];
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Combines the errors of a GraphQL answer to one error. */
export function graphqlError(errors: readonly GraphqlError[], facts: Facts = {}): QuipuError {
  const [{ message, extensions = {} } = { message: 'The answer has neither data nor errors.' }] = errors;
  return new QuipuError(textOf(extensions.code) ?? 'INVALID_ANSWER', message, {
    ...facts,
    retryAfter: numberOf(extensions.retryAfterSeconds) ?? facts.retryAfter,
    requestId: textOf(extensions.requestId) ?? facts.requestId,
    details: extensions,
    errors,
  });
}

/** Creates the error of an answer with an error status: a GraphQL answer, a problem document of REST, or a page of a proxy. */
export function refusal({ status, headers }: Response, body: unknown): QuipuError {
  const facts = {
    status,
    retryAfter: secondsUntil(headers.get('retry-after')),
    requestId: headers.get('x-request-id') ?? undefined,
  };
  if (!isObject(body)) {
    const location = headers.get('location');
    const details = location === null ? {} : { location };
    return new QuipuError('INVALID_ANSWER', `The answer with status ${status} is not of Quipu.`, { ...facts, details });
  }
  const code = textOf(body.code);
  if (code) return new QuipuError(code.toUpperCase(), textOf(body.detail) ?? code, { ...facts, details: body });
  return graphqlError(Array.isArray(body.errors) ? body.errors : [], facts);
}

/** Parses `Retry-After`, in seconds or as a date, to seconds from now. */
function secondsUntil(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0);
}
