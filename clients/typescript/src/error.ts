import type { ProblemCode } from './generated/rest.ts';

/** Codes of errors that the client detects. */
type ClientCode =
  /** No answer: there was no connection, it was lost, or it timed out. */
  | 'NETWORK'
  /** An answer that does not come from the service, such as the page of a proxy. */
  | 'INVALID_ANSWER'
  /** A webhook that the service did not sign with this secret, or not in the last minutes. */
  | 'INVALID_SIGNATURE';

/** Code of the service in upper case, as GraphQL writes it. New codes may appear. */
export type ErrorCode = ProblemCode | ClientCode | (string & {});

/** An entry of `errors` of a GraphQL answer. */
export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

interface Facts {
  readonly status?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
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
  /** Details of the error: `field`, `module`, `source`, or `cursor` for CURSOR_TOO_OLD. */
  readonly details: Readonly<Record<string, unknown>>;
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
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const facts = {
    status,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    requestId: headers.get('x-request-id') ?? undefined,
  };
  if (!isObject(body)) return new QuipuError('INVALID_ANSWER', `The answer with status ${status} is not of Quipu.`, facts);
  const code = textOf(body.code);
  if (code) return new QuipuError(code.toUpperCase(), textOf(body.detail) ?? code, { ...facts, details: body });
  return graphqlError(Array.isArray(body.errors) ? body.errors : [], facts);
}
