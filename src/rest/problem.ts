import type { Reader } from '../context.ts';
import { AppError, type ErrorCode } from '../domain/errors.ts';
import type { Language, Localized } from '../messages/message.ts';
import { requestMessages } from '../messages/requests.ts';
import { titleMessages } from '../messages/titles.ts';

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

/** HTTP status of each code. `name`: the code in `/v1`, if it differs from that in GraphQL. */
const STATUS_AND_NAME: Readonly<Record<ErrorCode | HttpCode, readonly [status: number, name?: string]>> = {
  MISSING_API_KEY: [403],
  INVALID_API_KEY: [403],
  SESSION_ENDED: [403],
  MODULE_NOT_ENABLED: [403],
  ROLE_NOT_ALLOWED: [403],
  ORIGIN_NOT_ALLOWED: [403],
  INVALID_INPUT: [422],
  UNSUPPORTED_COUNTRY: [422],
  COMPANY_NOT_FOUND: [404],
  NO_RECORD_THEN: [404],
  AS_OF_NOT_SUPPORTED: [422],
  DOMAIN_NOT_RESOLVED: [404],
  MONITOR_NOT_FOUND: [404, 'subscription_not_found'],
  DELIVERY_NOT_FOUND: [404],
  MATCH_NOT_FOUND: [404],
  EVIDENCE_NOT_FOUND: [404],
  DISMISSAL_NOT_FOUND: [404],
  MAIL_SUBSCRIPTION_NOT_FOUND: [404],
  CONFIRMATION_NOT_FOUND: [404],
  NOTE_NOT_FOUND: [404],
  SECOND_PERSON_NEEDED: [403],
  SCREENING_NOT_FOUND: [404],
  PLAN_LIMIT_REACHED: [403],
  CURSOR_TOO_OLD: [410],
  LAGGED: [503],
  RATE_LIMITED: [429],
  IDEMPOTENCY_KEY_REUSED: [422],
  IDEMPOTENCY_IN_PROGRESS: [409],
  IDEMPOTENCY_ANSWER_NOT_STORED: [422],
  DEADLINE_EXCEEDED: [504],
  SOURCE_UNAVAILABLE: [503],
  SOURCE_NOT_CONFIGURED: [503],
  SERVICE_UNAVAILABLE: [503],
  INTERNAL: [500],
  MALFORMED_BODY: [400],
  BAD_REQUEST: [400],
  UNSUPPORTED_MEDIA_TYPE: [415],
  BODY_TOO_LARGE: [413],
  NOT_FOUND: [404],
  METHOD_NOT_ALLOWED: [405],
};

/** Returns the HTTP status of a code. */
export const statusOf = (code: ErrorCode | HttpCode): number => STATUS_AND_NAME[code][0];

/** Builds the problem document of a code. */
export function problem(
  code: ErrorCode | HttpCode,
  detail: Localized,
  { requestId, language }: Reader,
  errors?: readonly FieldProblem[],
): Problem {
  const [status, name = code.toLowerCase()] = STATUS_AND_NAME[code];
  return {
    type: `urn:quipu:problem:${name}`,
    title: titleMessages[code]().in(language),
    status,
    detail: detail.in(language),
    code: name,
    request_id: requestId,
    ...(errors && { errors }),
  };
}

/** Builds the problem document of a thrown error. An AppError keeps its text; any other error becomes `internal` without details. */
export function problemOf(error: unknown, reader: Reader): Problem {
  if (!(error instanceof AppError)) return problem('INTERNAL', requestMessages.internal(), reader);
  const { field, cursor } = error.facts;
  const text = { in: (language: Language) => error.messageIn(language) };
  const document = problem(error.code, text, reader, field ? [{ field, message: text.in(reader.language) }] : undefined);
  return cursor === undefined ? document : { ...document, cursor };
}
