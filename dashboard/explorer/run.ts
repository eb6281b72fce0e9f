import { QuipuError } from '../../clients/typescript/src/error.ts';
import { type ClientOptions, send } from '../../clients/typescript/src/http.ts';
import type { Operation } from '../../clients/typescript/src/operation.ts';
import { serviceOf } from '../api/client.ts';

export { control } from '../api/sandbox.ts';

/** An operation with its variables, ready to be sent. */
export interface Sent {
  readonly key: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly isSubscription: boolean;
}

const TIMEOUT_MS = 30_000;

/**
 * Sends an operation, and passes each answer to `onAnswer`: one for a query or mutation, any number for a subscription, until it ends or
 * `signal` stops it.
 * @throws QuipuError if there is no answer
 */
export async function run(
  { key, query, variables, isSubscription }: Sent,
  onAnswer: (answer: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const client = serviceOf(key, TIMEOUT_MS);
  const operation = { query, variables };
  if (isSubscription) return subscribe(client, operation, onAnswer, signal);
  const headers = { accept: 'application/graphql-response+json' };
  const response = await send(client, '/graphql', { method: 'POST', headers, body: JSON.stringify(operation), signal });
  onAnswer(await jsonOf(response));
}

/** Reads the answer. @throws QuipuError for an answer that is not of the service */
const jsonOf = (response: Response): Promise<unknown> =>
  response.json().catch((cause: unknown) => {
    throw new QuipuError('INVALID_ANSWER', 'The answer is no JSON.', { status: response.status, cause });
  });

async function subscribe(
  client: ClientOptions,
  operation: Operation,
  onAnswer: (answer: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const { overSocket } = await import('../../clients/typescript/src/socket.ts');
  try {
    for await (const { data, errors } of overSocket(client, operation, { signal }))
      onAnswer({ data, ...(errors.length > 0 && { errors }) });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
