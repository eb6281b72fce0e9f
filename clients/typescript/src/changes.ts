import { print } from 'graphql';
import { createClient, type FormattedExecutionResult } from 'graphql-ws';
import { type GraphqlError, graphqlError, QuipuError } from './error.ts';
import { ChangeFeedDocument, type ChangeFeedSubscription, type ChangeFeedSubscriptionVariables } from './generated/graphql.ts';
import { PASSING_CODES } from './generated/passing.ts';
import { baseOf, type ClientOptions, read, send } from './http.ts';

/** A change of a watched company. */
export type Change = ChangeFeedSubscription['companyChanged'];

export interface ChangeOptions {
  /** Cursor of the last processed change; undefined or null for changes from now on. */
  readonly after?: string | null | undefined;
  /**
   * Stores the cursor where it outlives the process. It is called with the start, and after each change when the next one is requested;
   * after a crash in between, that change is sent again. An error that it throws ends the subscription.
   */
  readonly saveCursor?: (cursor: string) => void | Promise<void>;
  /** Restricts to changes of these monitors. */
  readonly monitorIds?: string[];
  /** Restricts to changes of the companies with these tax ids. */
  readonly identifiers?: string[];
  /** Ends the subscription, which then throws the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Called with the reason of each lost connection, before the next attempt. */
  readonly onRetry?: (error: QuipuError) => void;
  /** Delay of the first new attempt, in ms; default 1,000. It doubles up to 30 s while connections fail sooner than that, with jitter. */
  readonly retryMs?: number;
  /** Time in ms without any message after which a connection counts as lost; default 30,000. */
  readonly silenceMs?: number;
}

const MAX_RETRY_MS = 30_000;
/** Codes of temporary failures: a lost connection, and the temporary codes of the service. */
const TEMPORARY: readonly string[] = ['NETWORK', ...PASSING_CODES];
/** Close code of a socket → code of the error, unless the close reason is a code itself. Other codes are lost connections. */
const CLOSE_CODES: Readonly<Record<number, string>> = {
  1009: 'BAD_REQUEST',
  1013: 'SERVICE_UNAVAILABLE',
  4400: 'BAD_REQUEST',
  4403: 'ORIGIN_NOT_ALLOWED',
  4406: 'BAD_REQUEST',
  4429: 'RATE_LIMITED',
};

const TEXT = print(ChangeFeedDocument);

/**
 * Yields every change after a cursor once, and connects again at the last cursor.
 * @throws QuipuError for a permanent reason, such as a refused key or CURSOR_TOO_OLD, and if the start cannot be read
 */
export async function* subscribeToChanges(client: ClientOptions, options: ChangeOptions): AsyncGenerator<Change, void, undefined> {
  const { monitorIds, identifiers, signal, saveCursor, onRetry, retryMs = 1_000 } = options;
  if (!client.webSocket && typeof WebSocket === 'undefined')
    throw new TypeError('This platform has no WebSocket: createClient({ …, webSocket }) takes that of the package ws.');
  let after = options.after ?? null;
  if (after === null) {
    after = await startCursor(client, options);
    await saveCursor?.(after);
  }
  let delayMs = 0;
  for (;;) {
    signal?.throwIfAborted();
    const openedAt = performance.now();
    const connection = connect(client, { after, ...(monitorIds && { monitorIds }), ...(identifiers && { identifiers }) }, options);
    let lost: QuipuError;
    try {
      for (;;) {
        const change = await connection.next();
        if (change instanceof QuipuError) {
          lost = change;
          break;
        }
        delayMs = 0;
        yield change;
        after = change.cursor;
        await saveCursor?.(after);
      }
    } finally {
      connection.close();
    }
    signal?.throwIfAborted();
    if (!TEMPORARY.includes(lost.code)) throw lost;
    onRetry?.(lost);
    // an idle connection that a proxy closes occasionally does not mean that the service fails
    const isLasting = performance.now() - openedAt > delayMs;
    delayMs = isLasting ? retryMs : Math.min(delayMs * 2, MAX_RETRY_MS);
    await sleep(Math.max(delayMs * (0.5 + Math.random() / 2), (lost.retryAfter ?? 0) * 1_000), signal);
  }
}

/** Opens a socket with one subscription. `next` returns the next change, or the reason for which there is none. */
function connect(client: ClientOptions, variables: ChangeFeedSubscriptionVariables, { signal, silenceMs = 30_000 }: ChangeOptions) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expectMessage = () => {
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
      message: expectMessage,
      // The socket is terminated after a normal closure, too, because the library would subscribe again by itself, at the first cursor.
      closed: (event) => (event as { readonly code?: number }).code === 1000 && socket.terminate(),
    },
  });
  const events = socket.iterate<ChangeFeedSubscription>({ query: TEXT, variables });
  const abort = () => socket.terminate();
  signal?.addEventListener('abort', abort);
  return {
    async next(): Promise<Change | QuipuError> {
      try {
        const { done, value } = await events.next();
        return done ? new QuipuError('NETWORK', 'The service ended the subscription.') : changeOf(value);
      } catch (cause) {
        return reasonOf(cause);
      }
    },
    close(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      void events.return?.();
    },
  };
}

/** Returns the change. A failed field is null and does not end the subscription. */
const changeOf = ({ data, errors = [] }: FormattedExecutionResult<ChangeFeedSubscription, unknown>): Change | QuipuError =>
  data?.companyChanged ?? graphqlError(errors);

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

/** Returns the current position, which the server sends as the first `id` of an event stream. @throws QuipuError */
async function startCursor(client: ClientOptions, { signal }: ChangeOptions): Promise<string> {
  const connection = new AbortController();
  const either = signal ? AbortSignal.any([signal, connection.signal]) : connection.signal;
  const headers = { accept: 'text/event-stream' };
  try {
    const response = await send(client, '/graphql', { method: 'POST', headers, body: JSON.stringify({ query: TEXT }), signal: either });
    if (!response.ok || !response.body) await read(response, signal);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    for (let text = ''; ; ) {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      const [, id] = /^id: ?(.+)\n/m.exec(text) ?? [];
      if (id) return id;
      const [, result] = /^data: ?(\{.+)\n/m.exec(text) ?? [];
      if (result) throw graphqlError(JSON.parse(result).errors);
      if (done) throw new QuipuError('NETWORK', 'The connection ended before the subscription began.');
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause instanceof QuipuError
      ? cause
      : new QuipuError('NETWORK', 'The connection was lost before the subscription began.', { cause });
  } finally {
    connection.abort();
  }
}

const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
