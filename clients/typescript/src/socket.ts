import { createClient } from 'graphql-ws/client';
import { type GraphqlError, graphqlError, QuipuError } from './error.ts';
import { overEventStream } from './event-stream.ts';
import { baseOf, type ClientOptions } from './http.ts';
import type { Operation } from './operation.ts';
import { type ConnectOptions, eventOf, SILENCE_MS, type SubscriptionEvent } from './subscription.ts';

/** Close code of a socket → code of the error, unless the close reason is a code itself. Other codes are lost connections. */
const CLOSE_CODES: Readonly<Record<number, string>> = {
  1009: 'BAD_REQUEST',
  1013: 'SERVICE_UNAVAILABLE',
  4400: 'BAD_REQUEST',
  4403: 'ORIGIN_NOT_ALLOWED',
  4406: 'BAD_REQUEST',
  4429: 'RATE_LIMITED',
};

/**
 * Opens a WebSocket with one subscription, and ends when the service has completed the subscription.
 * @throws QuipuError for a refusal, for an error that ended the subscription, and NETWORK for a lost connection
 */
export async function* overSocket<Data>(
  client: ClientOptions,
  operation: Operation,
  { signal, silenceMs = SILENCE_MS, onOpen, onMessage }: ConnectOptions,
): AsyncGenerator<SubscriptionEvent<Data>, void, undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expectMessage = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => socket.terminate(), silenceMs);
  };
  const socket = createClient({
    url: socketAddress(client),
    ...(client.key && { connectionParams: { 'X-API-Key': client.key } }),
    ...(client.webSocket !== undefined && { webSocketImpl: client.webSocket }),
    retryAttempts: 0, // a retry would repeat the first cursor
    keepAlive: silenceMs / 3,
    on: {
      connecting: expectMessage,
      connected: () => onOpen?.('websocket'),
      message: () => {
        expectMessage();
        onMessage?.();
      },
      // The socket is terminated after a normal closure, too, because the library would subscribe again by itself, at the first cursor.
      closed: (event) => (event as { readonly code?: number }).code === 1000 && socket.terminate(),
    },
  });
  const abort = (): void => socket.terminate();
  signal?.addEventListener('abort', abort);
  try {
    for await (const result of socket.iterate(operation)) yield eventOf<Data>(result);
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause instanceof QuipuError ? cause : reasonOf(cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Opens a WebSocket, or an event stream if none opens, because some networks block sockets. */
export async function* overSocketOrStream<Data>(
  client: ClientOptions,
  operation: Operation,
  options: ConnectOptions,
): AsyncGenerator<SubscriptionEvent<Data>, void, undefined> {
  let isOpen = false;
  const onOpen: ConnectOptions['onOpen'] = (transport) => {
    isOpen = true;
    options.onOpen?.(transport);
  };
  try {
    return yield* overSocket<Data>(client, operation, { ...options, onOpen });
  } catch (error) {
    options.signal?.throwIfAborted();
    if (isOpen || !(error instanceof QuipuError && error.code === 'NETWORK')) throw error;
  }
  yield* overEventStream<Data>(client, operation, options);
}

/** @param cause errors of the subscription, the event of a closed socket, or an error of the connection */
function reasonOf(cause: unknown): QuipuError {
  if (Array.isArray(cause)) return graphqlError(cause as GraphqlError[]);
  const { code, reason = '' } = cause as { readonly code?: unknown; readonly reason?: string };
  const lost = typeof code === 'number' ? (CLOSE_CODES[code] ?? 'NETWORK') : 'NETWORK';
  return new QuipuError(/^[A-Z_]+$/.test(reason) ? reason : lost, `The connection was closed: ${reason || code || 'no answer'}.`, {
    cause,
  });
}

/** Returns the address of the socket. An address without a host is that of the page. */
function socketAddress(client: ClientOptions): string {
  const page = (globalThis as { readonly location?: { readonly href: string } }).location;
  const address = new URL(`${baseOf(client)}/graphql`, page?.href);
  address.protocol = address.protocol.replace('http', 'ws');
  return address.href;
}
