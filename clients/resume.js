/**
 * A GraphQL subscription over server-sent events that reconnects without losing or repeating an event, for browsers and Node ≥ 20.
 * Without dependencies: copy this file and resume.d.ts. The server sends a cursor as the `id` of each event; after a lost connection this
 * client sends the last one as `Last-Event-ID`, and the server continues there.
 */

/** Codes of errors that pass: the client connects again. */
const TEMPORARY_CODES = ['LAGGED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL'];

/** The server ended the subscription, or refused it, for a reason that does not pass. `errors` are those of its answer. */
export class SubscriptionError extends Error {
  constructor(errors, status) {
    super(errors[0]?.message ?? `The server answered with status ${status}.`);
    this.name = 'SubscriptionError';
    this.errors = errors;
    this.status = status;
  }
}

/** Retried after `retryAfterMs`, or after the usual delay. */
class TemporaryError extends Error {
  constructor(message, retryAfterMs) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Yields `{ data, errors, id }` for each event. Store `id` after you processed the event, and pass it as `lastEventId` after a restart of
 * your program. Ends when the server completes the subscription; `break` or `signal` closes the connection.
 * @throws SubscriptionError, e.g. for a key without the module, or CURSOR_TOO_OLD; the reason of `signal` when it aborts
 */
export async function* subscribe({ lastEventId, signal, onRetry, retryMs = 1_000, maxRetryMs = 30_000, ...request }) {
  let id = lastEventId;
  for (let failures = 0; ; failures += 1) {
    let cause = new TemporaryError('The connection ended.');
    try {
      for await (const event of connect(request, id, signal)) {
        failures = 0;
        id = event.id ?? id;
        if (event.name === 'complete') return;
        if (event.name !== 'next') continue;
        const result = JSON.parse(event.data);
        if (event.id === undefined && result.errors) throw errorOf(result.errors, 200);
        yield { ...result, id };
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SubscriptionError) throw error;
      cause = error;
    }
    onRetry?.(cause);
    const backoffMs = Math.min(retryMs * 2 ** failures, maxRetryMs) * (0.5 + Math.random() / 2);
    await sleep(Math.max(backoffMs, cause.retryAfterMs ?? 0), signal);
  }
}

/** Yields the events of one connection as `{ name, id, data }`. A connection that is silent for `silenceMs` counts as lost. */
async function* connect({ url, headers, query, variables, silenceMs = 30_000, fetch = globalThis.fetch }, lastEventId, signal) {
  const connection = new AbortController();
  let timer;
  const expectData = () => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(new TemporaryError('The connection was silent.')), silenceMs);
  };
  try {
    expectData();
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        accept: 'text/event-stream',
        'content-type': 'application/json',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      body: JSON.stringify({ query, variables }),
      signal: signal ? AbortSignal.any([signal, connection.signal]) : connection.signal,
    });
    if (!response.ok) throw await refusalOf(response);
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      expectData();
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop();
      yield* blocks.map(parseEvent);
    }
  } finally {
    clearTimeout(timer);
    connection.abort();
  }
}

/** Reads a block of lines `field: value`. A line that begins with a colon is a comment. */
function parseEvent(block) {
  const event = { name: '', id: undefined, data: '' };
  for (const line of block.split('\n')) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === 'event') event.name = value;
    else if (field === 'id') event.id = value;
    else if (field === 'data') event.data += value;
  }
  return event;
}

async function refusalOf(response) {
  const { errors = [] } = await response.json().catch(() => ({}));
  const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1_000;
  if (response.status === 429 || response.status >= 500)
    return new TemporaryError(`The server answered with status ${response.status}.`, retryAfterMs);
  return new SubscriptionError(errors, response.status);
}

function errorOf(errors, status) {
  const isTemporary = errors.every(({ extensions }) => TEMPORARY_CODES.includes(extensions?.code));
  return isTemporary ? new TemporaryError(errors[0].message) : new SubscriptionError(errors, status);
}

const sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
