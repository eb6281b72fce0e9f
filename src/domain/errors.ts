import { type Language, Message } from '../messages/message.ts';
import { sourceMessages } from '../messages/sources.ts';
import type { SourceName } from './catalogue.ts';

/**
 * Every error code of the public API → true if it is retryable: the same request, or the same subscription after its last cursor, may
 * succeed later without a change. Clients retry after these codes only. REST shows the codes in lower case, GraphQL in upper case.
 */
export const RETRYABLE = {
  MISSING_API_KEY: false,
  INVALID_API_KEY: false,
  SESSION_ENDED: false,
  MODULE_NOT_ENABLED: false,
  ROLE_NOT_ALLOWED: false,
  ORIGIN_NOT_ALLOWED: false,
  INVALID_INPUT: false,
  UNSUPPORTED_COUNTRY: false,
  COMPANY_NOT_FOUND: false,
  NO_RECORD_THEN: false,
  AS_OF_NOT_SUPPORTED: false,
  DOMAIN_NOT_RESOLVED: false,
  MONITOR_NOT_FOUND: false,
  DELIVERY_NOT_FOUND: false,
  MATCH_NOT_FOUND: false,
  DISMISSAL_NOT_FOUND: false,
  MAIL_SUBSCRIPTION_NOT_FOUND: false,
  CONFIRMATION_NOT_FOUND: false,
  NOTE_NOT_FOUND: false,
  SECOND_PERSON_NEEDED: false,
  SCREENING_NOT_FOUND: false,
  EVIDENCE_NOT_FOUND: false,
  PLAN_LIMIT_REACHED: false,
  CURSOR_TOO_OLD: false,
  LAGGED: true,
  RATE_LIMITED: true,
  DEADLINE_EXCEEDED: true,
  IDEMPOTENCY_KEY_REUSED: false,
  IDEMPOTENCY_IN_PROGRESS: true,
  IDEMPOTENCY_ANSWER_NOT_STORED: false,
  SOURCE_UNAVAILABLE: true,
  SOURCE_NOT_CONFIGURED: false,
  SERVICE_UNAVAILABLE: true,
  INTERNAL: true,
} as const satisfies Readonly<Record<string, boolean>>;

export type ErrorCode = keyof typeof RETRYABLE;

/** Machine-readable details of an error. Callers see them, so they never contain an address, a key or personal data. */
export interface ErrorFacts {
  readonly field?: string;
  readonly module?: string;
  /** Role that the key would need. */
  readonly role?: string;
  readonly country?: string;
  readonly source?: string;
  readonly retryAfterSeconds?: number;
  /** Cursor to resume from: the oldest stored cursor or the start of the epoch (CURSOR_TOO_OLD), or the last cursor sent (LAGGED). */
  readonly cursor?: string;
}

/** The text of an error: a message of the catalogue, or an English sentence to an operator at the command line. */
type ErrorText = Message | string;

/**
 * The error class of the service. Callers see its text, a sentence that says what to do, in their language; `message` is English. `cause`
 * appears in the log only. The error has no stack, because capturing one takes longer than the rest of an error, and one operation may have
 * a thousand refused fields.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly facts: ErrorFacts;
  readonly #text: ErrorText;

  constructor(code: ErrorCode, text: ErrorText, facts: ErrorFacts = {}, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(text instanceof Message ? text.in('en') : text, options);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.facts = facts;
    this.#text = text;
  }

  get text(): ErrorText {
    return this.#text;
  }

  messageIn(language: Language): string {
    return language === 'en' || typeof this.#text === 'string' ? this.message : this.#text.in(language);
  }
}

/**
 * Creates the error for a source that failed or whose answer could not be read.
 * @param source name of the source, e.g. `receita_federal`
 * @param why internal reason for the log, stored as `cause`; callers never see it
 */
export function sourceUnavailable(source: SourceName, why: string | Error, retryAfterSeconds = 30): AppError {
  const cause = why instanceof Error ? why : new Error(why);
  return new AppError('SOURCE_UNAVAILABLE', sourceMessages.unavailable({ source }), { source, retryAfterSeconds }, { cause });
}

/**
 * Creates the error for a source that cannot be called, because the operator has not set a setting that it needs. A retry does not help.
 * @param source name of the source, e.g. `mercadopublico`
 * @param setting name of the missing setting
 * @param requestedAt address at which the operator requests its value
 */
export const sourceNotConfigured = (source: SourceName, setting: string, requestedAt: string): AppError =>
  new AppError('SOURCE_NOT_CONFIGURED', sourceMessages.notConfigured({ source, setting, address: requestedAt }), { source });

/** Creates the error for an invalid value in one named field of a request. */
export const invalidInput = (field: string, text: ErrorText): AppError => new AppError('INVALID_INPUT', text, { field });

/** True for an error that only says that a source cannot be read. Every other error ends the request or is a defect. */
export const isSourceUnavailable = (error: unknown): error is AppError => error instanceof AppError && error.code === 'SOURCE_UNAVAILABLE';

/** Returns true once the deadline of a request has passed. @param signal of the request; its reason is an AppError */
export const isOutOfTime = ({ reason }: AbortSignal): boolean => reason instanceof AppError && reason.code === 'DEADLINE_EXCEEDED';
