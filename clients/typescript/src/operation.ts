import type { GraphqlError } from './error.ts';
import { type CallOptions, type ClientOptions, read, send } from './http.ts';

/** A GraphQL operation with its variables, ready to be sent. */
export interface Operation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** The answer to a query or a mutation. A field that failed is null in `data` and named in `errors`. */
export interface Answer<Data> {
  /** Null where the operation as a whole failed. */
  readonly data: Data | null;
  readonly errors: readonly GraphqlError[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Runs a query or a mutation. @throws QuipuError for a refused operation, and if no answer came */
export async function runOperation<Data>(options: ClientOptions, operation: Operation, call: CallOptions = {}): Promise<Answer<Data>> {
  const sent = { method: 'POST', headers: { accept: 'application/json' }, body: JSON.stringify(operation), ...call };
  const answer = (await read(options, await send(options, '/graphql', sent), call.signal)) as Partial<Answer<Data>>;
  return { data: answer.data ?? null, errors: answer.errors ?? [], extensions: answer.extensions ?? {} };
}
