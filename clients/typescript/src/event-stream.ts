import { QuipuError } from './error.ts';
import { type ClientOptions, open, read } from './http.ts';
import type { Operation } from './operation.ts';
import {
  type ConnectOptions,
  type ExecutionResult,
  eventOf,
  type RetryOptions,
  reconnecting,
  SILENCE_MS,
  type SubscriptionEvent,
} from './subscription.ts';

/** Characters of one event. */
const MAX_EVENT = 16 * 1024 * 1024;

export interface EventStreamOptions extends ConnectOptions {
  /** `id` of the last event that was processed. Left out: only new events. */
  readonly lastEventId?: string | undefined;
}

export type SubscribeOptions = RetryOptions & Pick<EventStreamOptions, 'lastEventId' | 'silenceMs'>;

/**
 * Yields the events of a subscription over server-sent events, and connects again after the last one.
 * @throws QuipuError that is not retryable
 */
export async function* subscribe<Data>(
  client: ClientOptions,
  operation: Operation,
  { lastEventId, ...options }: SubscribeOptions,
): AsyncGenerator<SubscriptionEvent<Data> & { readonly data: Data }, void, undefined> {
  let last = lastEventId;
  const connect = () => overEventStream<Data>(client, operation, { ...options, lastEventId: last });
  for await (const { data, errors, id } of reconnecting(connect, options)) {
    last = id ?? last;
    if (data) yield { data, errors, id: last };
  }
}

/**
 * Opens an event stream with one subscription, and ends when the service has completed the subscription.
 * @throws QuipuError for a refusal, for an error that ended the subscription, and NETWORK for a lost connection
 */
export async function* overEventStream<Data>(
  client: ClientOptions,
  operation: Operation,
  { signal, silenceMs = SILENCE_MS, lastEventId, onOpen, onMessage }: EventStreamOptions,
): AsyncGenerator<SubscriptionEvent<Data>, void, undefined> {
  const connection = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let status: number | undefined;
  const lost = (message: string, cause?: unknown): QuipuError => new QuipuError('NETWORK', message, { status, cause });
  const expectMessage = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(lost('The connection was silent.')), silenceMs);
  };
  const onChunk = (): void => {
    expectMessage();
    onMessage?.();
  };
  try {
    expectMessage();
    const response = await open(client, '/graphql', {
      method: 'POST',
      headers: { accept: 'text/event-stream', ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
      body: JSON.stringify(operation),
      signal: signal ? AbortSignal.any([signal, connection.signal]) : connection.signal,
    });
    status = response.status;
    const body = await streamOf(client, response);
    onOpen?.('event-stream');
    for await (const { name, id, data } of serverSentEvents(body, onChunk)) {
      if (name === 'complete') return;
      if (name === 'next') yield eventOf<Data>(parsed(data), id);
      else if (id !== undefined) yield { data: null, errors: [], id };
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause instanceof QuipuError ? cause : lost('The connection was lost.', cause);
  } finally {
    clearTimeout(timer);
    connection.abort();
  }
  throw lost('The service ended the connection.');
}

/** Returns the body of an event stream. @throws QuipuError for a refusal, and for an answer of another kind */
async function streamOf(client: ClientOptions, response: Response): Promise<ReadableStream<Uint8Array>> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && response.body && /^text\/event-stream\b/.test(type)) return response.body;
  await read(client, response);
  throw new QuipuError('INVALID_ANSWER', 'The answer is no event stream.', { status: response.status });
}

interface ServerSentEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Reads the events of a stream. A comment is an event without a name. `onChunk` is called for every chunk.
 * @throws QuipuError for an event that is too large
 */
async function* serverSentEvents(body: ReadableStream<Uint8Array>, onChunk: () => void): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onChunk();
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    if (text.length > MAX_EVENT) throw new QuipuError('INVALID_ANSWER', 'The service sent an event that is too large.');
    yield* blocks.map(readEvent);
  }
}

function readEvent(block: string): ServerSentEvent {
  const fields = new Map([...block.matchAll(/^(\w+): ?(.*)$/gm)].map(([, field = '', value = '']) => [field, value]));
  return { name: fields.get('event') ?? '', id: fields.get('id'), data: fields.get('data') ?? '' };
}

/** @throws QuipuError INVALID_ANSWER for an event that is not a result */
function parsed(data: string): ExecutionResult {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new QuipuError('INVALID_ANSWER', 'The service sent an event that is no JSON.', { cause });
  }
}
