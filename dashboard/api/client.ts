import type { Operation } from './operations.ts';
import { PASSING_CODES } from './passing.ts';

/** An error of the API or of the way to it. `UNREACHABLE`: no answer came. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  /** Seconds until the same request may succeed; null where nothing says so. */
  readonly retryAfterSeconds: number | null;
  /** Where to go on, for CURSOR_TOO_OLD and LAGGED. */
  readonly cursor: string | null;
  /** Field that failed, such as `['companies', 3, 'compliance']`; empty for the whole operation. */
  readonly path: readonly (string | number)[];

  constructor(code: string, message: string, { retryAfterSeconds = null, cursor = null, path = [] }: Partial<ApiError> = {}) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.cursor = cursor;
    this.path = path;
  }
}

/** What an operation cost, and the points that the key has left; it regains `restoreRate` each second. */
export interface Cost {
  readonly remaining: number;
  readonly restoreRate: number;
}

export interface Answer<Data> {
  /** Null where the operation as a whole failed. */
  readonly data: Data | null;
  readonly errors: readonly ApiError[];
  /** Absent where the operation was refused. */
  readonly cost?: Cost | undefined;
}

/** A GraphQL error as it is sent. */
export interface SentError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string; readonly retryAfterSeconds?: number; readonly cursor?: string };
}

/** True where the same request may succeed later: no answer came, or the code says so. */
export const passes = ({ code }: ApiError): boolean => code === 'UNREACHABLE' || PASSING_CODES.has(code);

export const toApiError = ({ message, path = [], extensions = {} }: SentError): ApiError =>
  new ApiError(extensions.code ?? 'INTERNAL', message, {
    path,
    retryAfterSeconds: extensions.retryAfterSeconds ?? null,
    cursor: extensions.cursor ?? null,
  });

/** Sends operations with one API key. */
export interface Client {
  readonly key: string;
  /** @throws ApiError when no GraphQL answer came; errors of fields are part of the answer */
  ask<Data, Variables>(operation: Operation<Data, Variables>, variables: Variables, signal?: AbortSignal): Promise<Answer<Data>>;
}

export const ENDPOINT = '/graphql';

/** The address of the API for a WebSocket. */
export function socketUrl(): string {
  const url = new URL(ENDPOINT, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  return url.href;
}

const TIMEOUT_MS = 20_000;

export function createClient(key: string): Client {
  return {
    key,
    async ask(operation, variables, signal) {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(ENDPOINT, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', 'x-api-key': key },
        body: JSON.stringify({ query: operation.text, variables }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      }).catch((error: unknown) => {
        throw new ApiError('UNREACHABLE', String(error));
      });
      return readAnswer(response);
    },
  };
}

/** The JSON of an answer; null for another one, such as a proxy's page. */
const bodyOf = (response: Response): Promise<unknown> => response.json().catch(() => null);

/** Why the server refused a request: its first error, or UNREACHABLE where it sent none. */
export async function refusalOf(response: Response): Promise<ApiError> {
  const { errors: [first] = [] } = Object(await bodyOf(response)) as { readonly errors?: readonly SentError[] };
  return first ? toApiError(first) : new ApiError('UNREACHABLE', `HTTP status ${response.status}`);
}

interface SentAnswer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly SentError[];
  readonly extensions?: { readonly cost?: Cost };
}

/** @throws ApiError UNREACHABLE for an answer that is not of GraphQL, such as a proxy's page */
async function readAnswer<Data>(response: Response): Promise<Answer<Data>> {
  const body = await bodyOf(response);
  if (typeof body !== 'object' || body === null || !('data' in body || 'errors' in body))
    throw new ApiError('UNREACHABLE', `HTTP status ${response.status}`);
  const { data = null, errors = [], extensions } = body as SentAnswer<Data>;
  return { data, errors: errors.map(toApiError), cost: extensions?.cost };
}

/** The data of an answer, or its first error. @throws ApiError */
export function requireData<Data>({ data, errors: [first] }: Answer<Data>): Data {
  if (data !== null) return data;
  throw first ?? new ApiError('INTERNAL', 'The answer is empty.');
}
