import { graphqlError, QuipuError } from '../../clients/typescript/src/error.ts';
import type { ClientOptions } from '../../clients/typescript/src/http.ts';
import { runOperation } from '../../clients/typescript/src/operation.ts';
import type { Operation } from './operations.ts';

/** The cost of an operation, and the points that the key has left. The key regains `restoreRate` points each second. */
export interface Cost {
  readonly remaining: number;
  readonly restoreRate: number;
}

export interface Answer<Data> {
  /** Data of the fields; null if the operation as a whole failed. */
  readonly data: Data | null;
  /** Errors of the fields that failed, one for each. */
  readonly errors: readonly QuipuError[];
  /** Cost of the operation; absent if it was refused. */
  readonly cost?: Cost | undefined;
}

/** Sends operations with one API key. */
export interface Client {
  readonly key: string;
  /** Options for the functions of the typed client. */
  readonly options: ClientOptions;
  /** Sends an operation. Errors of fields are part of the answer. @throws QuipuError for a refused operation, and if no answer came */
  ask<Data, Variables>(operation: Operation<Data, Variables>, variables: Variables, signal?: AbortSignal): Promise<Answer<Data>>;
}

const TIMEOUT_MS = 20_000;

/** Returns the options of the service that the page is from. Its texts are in the language that the page has when it sends a request. */
export const serviceOf = (key: string, timeoutMs = TIMEOUT_MS): ClientOptions => ({
  url: '',
  key,
  timeoutMs,
  get language() {
    return document.documentElement.lang;
  },
});

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

/** Returns the data of an answer. @throws QuipuError if there is no data: the first error of the answer */
export function requireData<Data>({ data, errors: [first] }: Answer<Data>): Data {
  if (data !== null) return data;
  throw first ?? new QuipuError('EMPTY_ANSWER', 'The answer is empty.');
}

/** @throws QuipuError the first error of the answer, if there is one */
export function requireNoError({ errors: [first] }: Answer<unknown>): void {
  if (first) throw first;
}

/** Converts a failure to the error that a page shows. */
export const problemOf = (error: unknown): QuipuError =>
  error instanceof QuipuError ? error : new QuipuError('PAGE_ERROR', String(error));
