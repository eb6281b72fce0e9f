import { AppError, type ErrorCode } from '../domain/errors.ts';

/** An error document of `/v1` (RFC 9457), with the stable `code` and, for invalid input, the fields. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** A sentence that tells what to do. */
  readonly detail: string;
  readonly code: string;
  readonly request_id: string;
  readonly errors?: readonly FieldProblem[];
  /** Cursor to continue from, for `cursor_too_old`. */
  readonly cursor?: string;
}

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Error codes of the HTTP layer, in addition to those of the domain. */
export type HttpCode = 'MALFORMED_BODY' | 'UNSUPPORTED_MEDIA_TYPE' | 'BODY_TOO_LARGE' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'BAD_REQUEST';

/** HTTP status and title of each code. `name`: the code in `/v1`, if it differs from that in GraphQL. */
const STATUS_AND_TITLE: Readonly<Record<ErrorCode | HttpCode, readonly [status: number, title: string, name?: string]>> = {
  MISSING_API_KEY: [403, 'API key missing'],
  INVALID_API_KEY: [403, 'API key not valid'],
  MODULE_NOT_ENABLED: [403, 'Module not enabled'],
  ROLE_NOT_ALLOWED: [403, 'Role not allowed'],
  ORIGIN_NOT_ALLOWED: [403, 'Origin not allowed'],
  INVALID_INPUT: [422, 'Invalid input'],
  UNSUPPORTED_COUNTRY: [422, 'Country not supported'],
  COMPANY_NOT_FOUND: [404, 'Company not found'],
  NO_RECORD_THEN: [404, 'No record of that time'],
  AS_OF_NOT_SUPPORTED: [422, 'Not answered for an earlier date'],
  DOMAIN_NOT_RESOLVED: [404, 'Domain not resolved'],
  MONITOR_NOT_FOUND: [404, 'Subscription not found', 'subscription_not_found'],
  DELIVERY_NOT_FOUND: [404, 'Delivery not found'],
  MATCH_NOT_FOUND: [404, 'Candidate not found'],
  EVIDENCE_NOT_FOUND: [404, 'Receipt not found'],
  DISMISSAL_NOT_FOUND: [404, 'Dismissal not found'],
  CONFIRMATION_NOT_FOUND: [404, 'Confirmation not found'],
  SCREENING_NOT_FOUND: [404, 'Screening not found'],
  PLAN_LIMIT_REACHED: [403, 'Plan limit reached'],
  CURSOR_TOO_OLD: [410, 'Cursor too old'],
  LAGGED: [503, 'Reader too slow'],
  RATE_LIMITED: [429, 'Too many requests'],
  IDEMPOTENCY_KEY_REUSED: [422, 'Idempotency key reused'],
  IDEMPOTENCY_IN_PROGRESS: [409, 'First request not answered yet'],
  IDEMPOTENCY_ANSWER_NOT_STORED: [422, 'Answer not stored'],
  DEADLINE_EXCEEDED: [504, 'Deadline exceeded'],
  SOURCE_UNAVAILABLE: [503, 'Source unavailable'],
  SOURCE_NOT_CONFIGURED: [503, 'Source not configured'],
  SERVICE_UNAVAILABLE: [503, 'Service unavailable'],
  INTERNAL: [500, 'Internal error'],
  MALFORMED_BODY: [400, 'Malformed body'],
  BAD_REQUEST: [400, 'Bad request'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Unsupported media type'],
  BODY_TOO_LARGE: [413, 'Body too large'],
  NOT_FOUND: [404, 'No such path'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed'],
};

/** Builds the problem document of a code. */
export function problem(code: ErrorCode | HttpCode, detail: string, requestId: string, errors?: readonly FieldProblem[]): Problem {
  const [status, title, name = code.toLowerCase()] = STATUS_AND_TITLE[code];
  return {
    type: `urn:quipu:problem:${name}`,
    title,
    status,
    detail,
    code: name,
    request_id: requestId,
    ...(errors && { errors }),
  };
}

/** Builds the problem document of a thrown error. An AppError keeps its message; any other error becomes `internal` without details. */
export function problemOf(error: unknown, requestId: string): Problem {
  if (!(error instanceof AppError))
    return problem('INTERNAL', 'Something went wrong on our side; the request id helps us find it.', requestId);
  const { field, cursor } = error.facts;
  const document = problem(error.code, error.message, requestId, field ? [{ field, message: error.message }] : undefined);
  return cursor === undefined ? document : { ...document, cursor };
}
