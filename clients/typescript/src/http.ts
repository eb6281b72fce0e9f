import { QuipuError, refusal } from './error.ts';

export interface ClientOptions {
  /** Address of the service, with the path of a proxy if there is one: `https://quipu.example.com`, or `/quipu` in a browser. */
  readonly url: string;
  /** API key. It must be omitted in a web page, where everybody could read it; a proxy then adds it. */
  readonly key?: string;
  /** Language of the texts that people read, as a value of Accept-Language: `es`, `pt-BR`. English by default. */
  readonly language?: string;
  /** Timeout of a request, in ms; default 30,000. The service ends requests after 12 s. */
  readonly timeoutMs?: number;
  /** Maximum size of an answer that is read into memory, in bytes; unlimited by default. Events of a subscription do not count. */
  readonly maxAnswerBytes?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Constructor of WebSocket for a Node without one (20), such as that of the package `ws`. */
  readonly webSocket?: unknown;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then throws the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Idempotency key of a POST. Repeated calls with the same key are executed and counted once, for 24 hours. */
  readonly idempotencyKey?: string;
}

/** Returns the address without a slash at its end. */
export const baseOf = ({ url }: ClientOptions): string => url.replace(/\/+$/, '');

/** A request. Its body is JSON. */
export interface Sent extends CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends a request and returns the answer, even with an error status, within the time limit of the client.
 * @throws QuipuError NETWORK without an answer
 */
export async function send(options: ClientOptions, path: string, { signal, ...sent }: Sent): Promise<Response> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 30_000);
  try {
    return await open(options, path, { ...sent, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
  } catch (cause) {
    throw cause === timeout.reason ? noAnswer(options, cause) : cause;
  }
}

/** Sends a request like `send`, but without a time limit for the whole answer. @throws QuipuError NETWORK without an answer */
export async function open(options: ClientOptions, path: string, { signal, idempotencyKey, ...sent }: Sent): Promise<Response> {
  const headers = new Headers(sent.headers);
  if (options.key) headers.set('x-api-key', options.key);
  if (options.language) headers.set('accept-language', options.language);
  if (sent.body !== undefined) headers.set('content-type', 'application/json');
  if (idempotencyKey) headers.set('idempotency-key', idempotencyKey);
  try {
    return await (options.fetch ?? fetch)(`${baseOf(options)}${path}`, { ...sent, headers, ...(signal && { signal }) });
  } catch (cause) {
    signal?.throwIfAborted();
    throw noAnswer(options, cause);
  }
}

const noAnswer = (options: ClientOptions, cause: unknown): QuipuError =>
  new QuipuError('NETWORK', `${baseOf(options) || 'The service'} does not answer.`, { cause });

/**
 * Reads an answer as JSON, or as text if it is text.
 * @throws QuipuError for an error status, for any other content, and ANSWER_TOO_LARGE for an answer of success
 */
export async function read(options: ClientOptions, response: Response, signal?: AbortSignal): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  const isJson = /[/+](json|graphql-response\+json)\b/.test(type);
  let text: string;
  try {
    text = await textOf(options, response);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof QuipuError) throw response.ok ? cause : refusal(response, undefined);
    throw new QuipuError('NETWORK', 'The connection ended within an answer.', { status: response.status, cause });
  }
  if (!isJson && response.ok && /^(text\/csv|application\/jsonl)\b/.test(type)) return text;
  let body: unknown;
  try {
    if (isJson) body = JSON.parse(text);
  } catch {
    // The answer is refused below, with its status.
  }
  if (!response.ok || body === undefined) throw refusal(response, body);
  return body;
}

/** Reads the text of an answer. @throws QuipuError ANSWER_TOO_LARGE */
async function textOf({ maxAnswerBytes, ...options }: ClientOptions, response: Response): Promise<string> {
  if (maxAnswerBytes === undefined || !response.body) return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxAnswerBytes) {
      await reader.cancel();
      const message = `${baseOf(options) || 'The service'} sent an answer of more than ${maxAnswerBytes} bytes.`;
      throw new QuipuError('ANSWER_TOO_LARGE', message, { status: response.status });
    }
    text += decoder.decode(value, { stream: true });
  }
}
