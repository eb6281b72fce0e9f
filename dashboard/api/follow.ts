import { createClient as createSocket } from 'graphql-ws/client';
import { ApiError, type Client, ENDPOINT, requireData, type SentError, socketUrl, toApiError } from './client.ts';
import { type ChangeRow, ChangesAfter, CompanyChanged } from './operations.ts';

export type Transport = 'websocket' | 'event-stream';

export type FollowState =
  | { readonly phase: 'connecting' }
  /** Reads what was missed; `count` changes so far. */
  | { readonly phase: 'catching-up'; readonly count: number }
  | { readonly phase: 'live'; readonly transport: Transport }
  /** Tries again at `retryAt` (epoch ms). */
  | { readonly phase: 'offline'; readonly retryAt: number };

export interface FollowOptions {
  readonly client: Client;
  /** Cursor of the last change that is known. */
  readonly after: string;
  readonly onChanges: (changes: readonly ChangeRow[]) => void;
  readonly onState: (state: FollowState) => void;
  /** Called when the server shows that the connection lives. */
  readonly onHeartbeat: () => void;
  /** Called when changes after the cursor are no longer kept: following goes on, with a gap. */
  readonly onGap: () => void;
  /** Called when the key is not valid any more, or may not follow. Following has ended. */
  readonly onRefused: (error: ApiError) => void;
}

const PAGE = 100;
const HEARTBEAT_MS = 10_000;
/** A connection that shows no life for so long is given up. */
const SILENCE_MS = 30_000;
const RETRY_MS = { first: 500, most: 10_000 };
const REFUSALS = new Set(['INVALID_API_KEY', 'MISSING_API_KEY', 'MODULE_NOT_ENABLED']);

/**
 * Follows the changes of a key without a gap: reads what was missed by query, then subscribes after the last cursor, and starts again
 * there when the connection ends. A WebSocket that does not open is replaced by an event stream; each later attempt tries the socket first.
 * @returns a function that ends it
 */
export function followChanges({ client, after, onChanges, onState, onHeartbeat, onGap, onRefused }: FollowOptions): () => void {
  const ended = new AbortController();
  let cursor = after;
  let retryMs = RETRY_MS.first;

  const take = (changes: readonly ChangeRow[]): void => {
    const last = changes.at(-1);
    if (!last) return;
    cursor = last.cursor;
    onChanges(changes);
  };

  async function catchUp(): Promise<void> {
    for (let count = 0; ; ) {
      const { data, errors } = await client.ask(ChangesAfter, { after: cursor, first: PAGE }, ended.signal);
      const tooOld = errors.find(({ code }) => code === 'CURSOR_TOO_OLD');
      if (tooOld?.cursor) {
        cursor = tooOld.cursor;
        onGap();
        continue;
      }
      const page = requireData({ data: data?.changes ?? null, errors });
      count += page.nodes.length;
      if (count > 0) onState({ phase: 'catching-up', count });
      take(page.nodes);
      if (!page.pageInfo.hasNextPage) return;
    }
  }

  /** Settles when the connection ends. @throws ApiError for a refusal; false for a socket that never opened */
  async function subscribe(transport: Transport): Promise<boolean> {
    let isOpen = false;
    const connection = { client, cursor, signal: ended.signal };
    const events = {
      onOpen: () => {
        isOpen = true;
        retryMs = RETRY_MS.first;
        onState({ phase: 'live', transport });
        onHeartbeat();
      },
      onChange: (change: ChangeRow) => take([change]),
      onHeartbeat,
    };
    await (transport === 'websocket' ? overSocket(connection, events) : overEventStream(connection, events));
    return isOpen;
  }

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        await catchUp();
        if (!(await subscribe('websocket'))) await subscribe('event-stream');
      } catch (error) {
        if (error instanceof ApiError && REFUSALS.has(error.code)) return onRefused(error);
      }
      if (ended.signal.aborted) return;
      onState({ phase: 'offline', retryAt: Date.now() + retryMs });
      await pause(retryMs, ended.signal);
      retryMs = Math.min(retryMs * 2, RETRY_MS.most);
    }
  }

  onState({ phase: 'connecting' });
  void run();
  return () => ended.abort();
}

interface Connection {
  readonly client: Client;
  readonly cursor: string;
  readonly signal: AbortSignal;
}

interface Events {
  readonly onOpen: () => void;
  readonly onChange: (change: ChangeRow) => void;
  readonly onHeartbeat: () => void;
}

const CLOSED_FOR_GOOD = 4403;

/** Subscribes over a WebSocket. Settles when it is closed. @throws ApiError for a refusal */
async function overSocket({ client, cursor, signal }: Connection, { onOpen, onChange, onHeartbeat }: Events): Promise<void> {
  let lastSeenAt = Date.now();
  const markSeen = (): void => {
    lastSeenAt = Date.now();
    onHeartbeat();
  };
  const socket = createSocket({
    url: socketUrl(),
    connectionParams: { 'X-API-Key': client.key },
    retryAttempts: 0,
    keepAlive: HEARTBEAT_MS,
    on: { connected: onOpen, pong: markSeen },
  });
  const watch = setInterval(() => {
    if (Date.now() - lastSeenAt > SILENCE_MS) socket.terminate();
  }, HEARTBEAT_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      socket.subscribe<CompanyChanged>(
        { query: CompanyChanged.text, variables: { after: cursor } },
        {
          next: ({ data }) => {
            markSeen();
            if (data) onChange(data.companyChanged);
          },
          error: (reason) => (isRefusal(reason) ? reject(toRefusal(reason)) : resolve()),
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
  typeof reason === 'object' && reason !== null && 'code' in reason && reason.code === CLOSED_FOR_GOOD;

const toRefusal = ({ reason }: { readonly reason: string }): ApiError => new ApiError(reason, 'The server closed the connection.');

/** Subscribes by an event stream, for networks that block WebSockets. Settles when it ends. @throws ApiError for a refusal */
async function overEventStream({ client, cursor, signal }: Connection, { onOpen, onChange, onHeartbeat }: Events): Promise<void> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), SILENCE_MS);
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': client.key },
    body: JSON.stringify({ query: CompanyChanged.text, variables: { after: cursor } }),
    signal: AbortSignal.any([signal, silent.signal]),
  });
  if (!response.ok || !response.body) throw new ApiError('UNREACHABLE', `HTTP status ${response.status}`);
  onOpen();
  let rest = '';
  try {
    for await (const text of decoded(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENCE_MS);
      onHeartbeat();
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) readEvent(block, onChange);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** One block of an event stream; comments, which keep the connection open, have no data. @throws ApiError for an event with an error */
function readEvent(block: string, onChange: (change: ChangeRow) => void): void {
  const data = /^data: (.*)$/m.exec(block)?.[1];
  if (!data) return;
  const { data: event, errors = [] } = JSON.parse(data) as {
    readonly data?: CompanyChanged | null;
    readonly errors?: readonly SentError[];
  };
  const [error] = errors;
  if (error) throw toApiError(error);
  if (event) onChange(event.companyChanged);
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
