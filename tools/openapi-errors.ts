import type { ErrorCode } from '../src/domain/errors.ts';
import type { HttpCode } from '../src/rest/problem.ts';

/** When a code is returned. Codes that only GraphQL uses are left out. */
export const ERRORS = {
  MALFORMED_BODY: 'The body is not JSON, or is nested too deeply.',
  BAD_REQUEST: 'The request is malformed.',
  MISSING_API_KEY: 'The request has no X-API-Key.',
  INVALID_API_KEY: 'The key is unknown, mistyped, revoked or expired, or it is in the URL.',
  MODULE_NOT_ENABLED: 'The key is valid, but lacks the module.',
  PLAN_LIMIT_REACHED:
    'The plan of the key allows no more monitors or watched companies, or the account stores too many rows of portfolios.',
  ROLE_NOT_ALLOWED: 'The role of the key does not allow this change; `detail` names the role that it needs.',
  COMPANY_NOT_FOUND: 'The company is not in the registry.',
  NO_RECORD_THEN: 'The service has no extract of the registry of that day, or no two with this company to compare.',
  DOMAIN_NOT_RESOLVED: 'No company was found for the domain, or the domain does not exist.',
  MONITOR_NOT_FOUND: 'This key has no such subscription, or it is cancelled.',
  DELIVERY_NOT_FOUND: 'This key has no such delivery.',
  SCREENING_NOT_FOUND: 'This key has no such screening, or it has ended.',
  EVIDENCE_NOT_FOUND: 'This account has no such receipt, or it is no longer kept.',
  IDEMPOTENCY_IN_PROGRESS: 'The first request with this Idempotency-Key is still running; see Retry-After.',
  CURSOR_TOO_OLD:
    'The changes after this cursor are no longer stored, or the log was restored to a moment before it; continue from `cursor`.',
  BODY_TOO_LARGE: 'The body is larger than 1 MiB, or than the larger limit that the endpoint states.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not application/json.',
  INVALID_INPUT: 'A field is missing, has the wrong type or is malformed; `errors` names the fields.',
  UNSUPPORTED_COUNTRY: 'The endpoint does not serve this country.',
  AS_OF_NOT_SUPPORTED: 'The endpoint answers this part for today only; `errors` names the field.',
  IDEMPOTENCY_ANSWER_NOT_STORED: 'The change was made, but its answer was too large to store.',
  IDEMPOTENCY_KEY_REUSED: 'This Idempotency-Key was already sent with another path or body.',
  RATE_LIMITED: 'The key, or the address, has sent too many requests; see Retry-After.',
  INTERNAL: 'An internal error of the service. State the request id when you report it.',
  SOURCE_UNAVAILABLE: 'An upstream failed or sent an invalid answer; see Retry-After.',
  SOURCE_NOT_CONFIGURED:
    'The operator of the service has not set what the source needs; `detail` names the setting. It has no Retry-After.',
  SERVICE_UNAVAILABLE: 'The database cannot be reached, or the service is overloaded; see Retry-After.',
  DEADLINE_EXCEEDED: 'The request was not answered within its time limit. It is not counted; a change may still be made.',
} as const satisfies Partial<Record<ErrorCode | HttpCode, string>>;
