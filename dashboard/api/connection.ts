import { createClient as createSocket } from 'graphql-ws/client';
import { ApiError, type Client, ENDPOINT, passes, refusalOf, type SentError, socketUrl, toApiError } from './client.ts';
import type { Operation } from './operations.ts';

export type Transport = 'websocket' | 'event-stream';

/** A subscription to be opened. */
export interface Subscription<Data, Variables> {
  readonly client: Client;
  readonly operation: Operation<Data, Variables>;
  readonly variables: Variables;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
}

export interface Events<Data> {
  readonly onOpen: (transport: Transport) => void;
  readonly onData: (data: Data) => void;
  /** Called for every sign that the connection works: when it opens, and for each event, pong or comment. */
  readonly onHeartbeat?: () => void;
}

/** Interval of pings over a WebSocket. */
const HEARTBEAT_MS = 10_000;
/** A connection that has sent nothing for this long is closed. */
const SILENCE_MS = 30_000;
/** Pause before the next attempt to connect. */
const RETRY_MS = { first: 500, most: 10_000 };
/** Close code `Forbidden` of graphql-transport-ws: the server refuses the key, and a new connection would be refused, too. */
const CLOSE_FORBIDDEN = 4403;

/**
 * Subscribes over a WebSocket, or by an event stream if no socket opens. Settles when the connection ends.
 * @throws ApiError for a subscription that the server refused or ended with an error, or when neither opens
 */
export async function subscribeOnce<Data, Variables>(subscription: Subscription<Data, Variables>, events: Events<Data>): Promise<void> {
  let isOpen = false;
  const onOpen = (transport: Transport): void => {
    isOpen = true;
    events.onOpen(transport);
  };
  await overSocket(subscription, { ...events, onOpen });
  if (!isOpen && !subscription.signal.aborted) await overEventStream(subscription, { ...events, onOpen });
}

interface Attempts {
  readonly signal: AbortSignal;
  /** Called before each pause. @param retryAt end of the pause, epoch ms */
  readonly onOffline: (retryAt: number) => void;
  /** Called when the server refuses for a reason that does not pass. There is no further attempt. */
  readonly onRefused: (error: ApiError) => void;
}

/** Runs `attempt` again whenever it settles, until `signal` aborts. The pause between doubles after attempts that ended early. */
export async function keepConnected(attempt: () => Promise<void>, { signal, onOffline, onRefused }: Attempts): Promise<void> {
  let retryMs = RETRY_MS.first;
  while (!signal.aborted) {
    const startedAt = Date.now();
    let waitMs = 0;
    try {
      await attempt();
    } catch (error) {
      if (error instanceof ApiError && !signal.aborted) {
        if (!passes(error)) return onRefused(error);
        waitMs = (error.retryAfterSeconds ?? 0) * 1_000;
      }
    }
    if (signal.aborted) return;
    if (Date.now() - startedAt > RETRY_MS.most) retryMs = RETRY_MS.first;
    waitMs = Math.max(waitMs, retryMs);
    onOffline(Date.now() + waitMs);
    await pause(waitMs, signal);
    retryMs = Math.min(retryMs * 2, RETRY_MS.most);
  }
}

/** Settles when the socket is closed. @throws ApiError for a refusal, and for an error that ended the subscription */
async function overSocket<Data, Variables>(
  { client, operation, variables, signal }: Subscription<Data, Variables>,
  { onOpen, onData, onHeartbeat }: Events<Data>,
): Promise<void> {
  let lastSeenAt = Date.now();
  const markSeen = (): void => {
    lastSeenAt = Date.now();
    onHeartbeat?.();
  };
  const socket = createSocket({
    url: socketUrl(),
    connectionParams: { 'X-API-Key': client.key },
    retryAttempts: 0,
    keepAlive: HEARTBEAT_MS,
    on: {
      connected: () => {
        onOpen('websocket');
        markSeen();
      },
      pong: markSeen,
    },
  });
  const watch = setInterval(() => {
    if (Date.now() - lastSeenAt > SILENCE_MS) socket.terminate();
  }, HEARTBEAT_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      socket.subscribe<Data>(
        { query: operation.text, variables: variables as Record<string, unknown> },
        {
          next: ({ data, errors: [first] = [] }) => {
            markSeen();
            if (data) onData(data);
            else if (first) reject(toApiError(first as SentError));
          },
          error: (reason) => {
            const [first] = Array.isArray(reason) ? (reason as readonly SentError[]) : [];
            if (first) reject(toApiError(first));
            else if (isRefusal(reason)) reject(toRefusal(reason));
            else resolve();
          },
          complete: resolve,
        },
      );
    });
  } finally {
    clearInterval(watch);
    void socket.dispose();
  }
}

const isRefusal = (reason: unknown): reason is { readonly code: number; readonly reason: string } =>
  typeof reason === 'object' && reason !== null && 'code' in reason && reason.code === CLOSE_FORBIDDEN;

const toRefusal = ({ reason }: { readonly reason: string }): ApiError => new ApiError(reason, 'The server closed the connection.');

/** For networks that block WebSockets. Settles when the stream ends. @throws ApiError for a refusal, and for an error that ended the subscription */
async function overEventStream<Data, Variables>(
  { client, operation, variables, signal }: Subscription<Data, Variables>,
  { onOpen, onData, onHeartbeat }: Events<Data>,
): Promise<void> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), SILENCE_MS);
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': client.key },
    body: JSON.stringify({ query: operation.text, variables }),
    signal: AbortSignal.any([signal, silent.signal]),
  });
  if (!response.ok || !response.body) throw await refusalOf(response);
  onOpen('event-stream');
  onHeartbeat?.();
  let rest = '';
  try {
    for await (const text of decoded(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENCE_MS);
      onHeartbeat?.();
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) readEvent(block, onData);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** One block of an event stream; comments, which keep the connection open, have no data. @throws ApiError for an event with an error */
function readEvent<Data>(block: string, onData: (data: Data) => void): void {
  const sent = /^data: (.*)$/m.exec(block)?.[1];
  if (!sent) return;
  const { data, errors = [] } = JSON.parse(sent) as { readonly data?: Data | null; readonly errors?: readonly SentError[] };
  const [error] = errors;
  if (data) onData(data);
  else if (error) throw toApiError(error);
}

async function* decoded(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    reader.releaseLock();
  }
}

/** Waits, or returns at once when the browser is online again or `signal` aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
    signal.addEventListener('abort', done, { once: true });
  });
