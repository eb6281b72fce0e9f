/** Every code a caller can meet. REST shows them in lower case, GraphQL as they are. */
export type ErrorCode =
  | 'MISSING_API_KEY'
  | 'INVALID_API_KEY'
  | 'MODULE_NOT_ENABLED'
  | 'INVALID_INPUT'
  | 'UNSUPPORTED_COUNTRY'
  | 'COMPANY_NOT_FOUND'
  | 'DOMAIN_NOT_RESOLVED'
  | 'SUBSCRIPTION_NOT_FOUND'
  | 'DELIVERY_NOT_FOUND'
  | 'CURSOR_TOO_OLD'
  | 'LAGGED'
  | 'RATE_LIMITED'
  | 'DEADLINE_EXCEEDED'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'SOURCE_UNAVAILABLE'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL';

/** Facts for programs; shown to callers, so never an address, a key or a person's data. */
export interface ErrorFacts {
  readonly field?: string;
  readonly module?: string;
  readonly country?: string;
  readonly source?: string;
  readonly retryAfterSeconds?: number;
  /** Where to go on: the oldest cursor still kept (CURSOR_TOO_OLD), or the last one sent (LAGGED). */
  readonly cursor?: string;
}

/**
 * The one error of the service. `message` is a sentence a person can act on and is shown to callers;
 * `cause` is for the log only.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly facts: ErrorFacts;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.facts = facts;
  }
}

/**
 * An upstream that failed or made no sense.
 * @param source its name, e.g. `receita_federal`
 * @param why internal reason, for the log (kept as `cause`), never shown
 */
export function sourceUnavailable(source: string, why: string | Error, retryAfterSeconds = 30): AppError {
  const cause = why instanceof Error ? why : new Error(why);
  return new AppError(
    'SOURCE_UNAVAILABLE',
    `Source ${source} cannot be read right now; try again later.`,
    { source, retryAfterSeconds },
    { cause },
  );
}

/** A caller's mistake in one named field. */
export const invalidInput = (field: string, message: string): AppError => new AppError('INVALID_INPUT', message, { field });
