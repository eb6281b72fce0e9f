import { ENDPOINT, socketUrl } from '../api/client.ts';

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
 * @throws Error with a sentence if there is no answer
 */
export async function run(sent: Sent, onAnswer: (answer: unknown) => void, signal: AbortSignal): Promise<void> {
  if (sent.isSubscription) return subscribe(sent, onAnswer, signal);
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', 'x-api-key': sent.key },
    body: JSON.stringify({ query: sent.query, variables: sent.variables }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  onAnswer(await response.json());
}

async function subscribe({ key, query, variables }: Sent, onAnswer: (answer: unknown) => void, signal: AbortSignal): Promise<void> {
  const { createClient } = await import('graphql-ws/client');
  const client = createClient({ url: socketUrl(), connectionParams: { 'X-API-Key': key }, retryAttempts: 0 });
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      client.subscribe({ query, variables }, { next: onAnswer, error: (reason) => reject(problemOf(reason)), complete: resolve });
    });
  } finally {
    void client.dispose();
  }
}

/** Converts a closed socket, or the errors of a refused operation, to an error. */
function problemOf(reason: unknown): Error {
  if (Array.isArray(reason)) return new Error(reason.map(({ message }) => message).join(' '));
  const { code, reason: text } = reason as { readonly code?: number; readonly reason?: string };
  return new Error(code === undefined ? 'The socket could not be opened.' : `The server closed the socket: ${code} ${text ?? ''}`);
}
