import { graphqlError, QuipuError } from '../../clients/typescript/src/error.ts';
import type { ClientOptions } from '../../clients/typescript/src/http.ts';
import { runOperation } from '../../clients/typescript/src/operation.ts';
import type { Operation } from './operations.ts';

/** What an operation cost, and the points that the key has left; it regains `restoreRate` each second. */
export interface Cost {
  readonly remaining: number;
  readonly restoreRate: number;
}

export interface Answer<Data> {
  /** Null where the operation as a whole failed. */
  readonly data: Data | null;
  /** One for each field that failed. */
  readonly errors: readonly QuipuError[];
  /** Absent where the operation was refused. */
  readonly cost?: Cost | undefined;
}

/** Sends operations with one API key. */
export interface Client {
  readonly key: string;
  /** For the functions of the typed client. */
  readonly options: ClientOptions;
  /** @throws QuipuError for an operation that was refused, and where no answer came; errors of fields are part of the answer */
  ask<Data, Variables>(operation: Operation<Data, Variables>, variables: Variables, signal?: AbortSignal): Promise<Answer<Data>>;
}

const TIMEOUT_MS = 20_000;

/** The service that the page is from. */
export const serviceOf = (key: string, timeoutMs = TIMEOUT_MS): ClientOptions => ({ url: '', key, timeoutMs });

export function createClient(key: string): Client {
  const options = serviceOf(key);
  return {
    key,
    options,
    async ask<Data, Variables>({ text }: Operation<Data, Variables>, variables: Variables, signal?: AbortSignal): Promise<Answer<Data>> {
      const sent = { query: text, variables: variables as Readonly<Record<string, unknown>> };
      const { data, errors, extensions } = await runOperation<Data>(options, sent, signal && { signal });
      return { data, errors: errors.map((error) => graphqlError([error])), cost: extensions.cost as Cost | undefined };
    },
  };
}

/** The data of an answer, or its first error. @throws QuipuError */
export function requireData<Data>({ data, errors: [first] }: Answer<Data>): Data {
  if (data !== null) return data;
  throw first ?? new QuipuError('INTERNAL', 'The answer is empty.');
}

/** Converts a failure to the error that a page shows. */
export const problemOf = (error: unknown): QuipuError => (error instanceof QuipuError ? error : new QuipuError('INTERNAL', String(error)));
