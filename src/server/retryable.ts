import type { ErrorCode } from '../domain/errors.ts';

/** Errors that pass: the same request may succeed later. */
const RETRYABLE: ReadonlySet<string> = new Set<ErrorCode | 'INTERNAL_SERVER_ERROR'>([
  'RATE_LIMITED',
  'DEADLINE_EXCEEDED',
  'SOURCE_UNAVAILABLE',
  'SERVICE_UNAVAILABLE',
  'IDEMPOTENCY_IN_PROGRESS',
  'INTERNAL',
  'INTERNAL_SERVER_ERROR',
]);

interface Answer {
  /** GraphQL. */
  readonly errors?: readonly { readonly extensions?: { readonly code?: unknown } }[];
  /** REST: checks whose source failed. */
  readonly sources_failed?: readonly unknown[];
}

/** Returns true for a successful response that lacks data which a repeated request may get: the JSON of a GraphQL or REST answer. */
export function isIncomplete(json: string): boolean {
  if (!json.startsWith('{')) return false;
  const { errors = [], sources_failed: failed = [] } = JSON.parse(json) as Answer;
  return failed.length > 0 || errors.some(({ extensions }) => RETRYABLE.has(String(extensions?.code)));
}
