import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { Agent, type Dispatcher, request } from 'undici';
import { graphqlError, QuipuError } from '../../clients/typescript/src/error.ts';
import { type ClientOptions, open, read, send } from '../../clients/typescript/src/http.ts';
import { type Answer, type Operation, runOperation } from '../../clients/typescript/src/operation.ts';
import { type Arguments, callEndpoint, type Endpoint, type Reply, type RestOptions } from '../../clients/typescript/src/rest.ts';
import { readIfPresent } from '../app/data-folder.ts';
import { type Config, ConfigError } from '../config.ts';
import { AppError } from '../domain/errors.ts';
import { withoutTrailing } from '../domain/text.ts';
import { SECOND_MS } from '../domain/time.ts';
import { readText, USER_AGENT } from '../sources/http/message.ts';
import { EXIT, type Io } from './run.ts';

/** Options of commands that call a server. */
export interface ServerOptions {
  readonly url?: string;
  readonly key?: string;
}

/** Time limit of a request. A server answers within its deadline, which is 14 s at most. */
const ANSWER_MS = 20 * SECOND_MS;
/** Maximum size of an answer that is read into memory. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const CONNECT_MS = 5 * SECOND_MS;
/** Time without data after which a body or an event stream is lost. A server sends a comment on its streams every 12 s. */
const SILENCE_MS = 30 * SECOND_MS;
/** Pauses before further attempts of a call that may be repeated, about a minute in total. */
const PAUSES_MS = [1, 2, 4, 8, 15, 30].map((seconds) => seconds * SECOND_MS);
const MAX_PAUSE_MS = 60 * SECOND_MS;

export const urlOption = () => new Option('--url <url>', 'address of the server; the local one by default').env('QUIPU_URL');
export const keyOption = () =>
  new Option(
    '--key <key>',
    'API key; by default the demo key of the local sandbox. Other users can see arguments: prefer the variable',
  ).env('QUIPU_API_KEY');

/** The server that a command calls by the typed client. Every call is aborted by `signal` and ends by a timeout. @throws QuipuError */
export interface Server {
  readonly url: string;
  /** Options for the functions of the typed client. */
  readonly client: ClientOptions;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Runs a query or a mutation. */
  query<Data>(operation: Operation): Promise<Answer<Data>>;
  /** Calls an endpoint of `/v1`. */
  rest<E extends Endpoint>(endpoint: E, ...args: Arguments<RestOptions<E>>): Promise<Reply<E>>;
  /** Sends JSON by POST and returns the JSON of the answer. */
  post(path: string, body: unknown): Promise<unknown>;
  /** Returns the body of an answer to GET, which fails when it is silent for 30 s. */
  stream(path: string): Promise<Readable>;
  /**
   * Repeats `work`, which must be safe to repeat, for about a minute while it fails with a retryable error. It does not wait for a server
   * that has never answered, because the address is probably wrong.
   */
  repeated<T>(work: () => Promise<T>): Promise<T>;
  /** Returns the error in one line, with the address of the server if it did not answer. */
  sentenceOf(error: QuipuError): string;
}

export interface ClientParts {
  readonly io: Io;
  /** Returns the settings that name the local server. Called without `--url`. @throws ConfigError */
  readonly config: () => Pick<Config, 'port' | 'host' | 'dataDir' | 'sources'>;
}

/**
 * Runs a command that calls a server: prints failures in one line, with exit code 1. The first Ctrl-C or SIGTERM aborts the requests, and
 * the command ends with exit code 130; the second one kills the process.
 */
export async function runOnServer(
  { io, config }: ClientParts,
  options: ServerOptions,
  work: (server: Server) => Promise<void>,
): Promise<void> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop);
  const agent = new Agent({ connect: { timeout: CONNECT_MS }, headersTimeout: ANSWER_MS, bodyTimeout: SILENCE_MS });
  let server: Server | undefined;
  try {
    server = serverAt(await addressOf(options, config), agent, abort.signal, io);
    await work(server);
  } catch (error) {
    if (!abort.signal.aborted) {
      if (!(error instanceof QuipuError || error instanceof AppError || error instanceof ConfigError)) throw error;
      io.err(`${(error instanceof QuipuError && server?.sentenceOf(error)) || error.message}\n`);
      process.exitCode = EXIT.failed;
    }
  } finally {
    if (abort.signal.aborted) process.exitCode = EXIT.interrupted;
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop);
    await agent.destroy();
  }
}

interface Address {
  readonly url: string;
  readonly key: string;
}

/** @throws ConfigError for an address or a key that is invalid or missing */
async function addressOf({ url, key }: ServerOptions, config: ClientParts['config']): Promise<Address> {
  const address = serverUrl(url, config);
  const given = key || (url ? null : await demoKey(config()));
  if (given) return { url: address, key: given };
  throw new ConfigError('Give an API key: set QUIPU_API_KEY, or use --key. To create one: quipu keys create --name me --modules all');
}

/** Returns the given URL, otherwise that of the local server, without a trailing slash. @throws ConfigError */
export function serverUrl(given: string | undefined, config: ClientParts['config']): string {
  if (given) {
    const url = URL.parse(given);
    if (!url || !/^https?:$/.test(url.protocol))
      throw new ConfigError('--url (QUIPU_URL): expected an address such as https://quipu.example.com.');
    return withoutTrailing(`${url.origin}${url.pathname}`, '/');
  }
  const { port, host } = config();
  if (port === 0) throw new ConfigError('PORT is 0, so the port of the server is not known: give --url or set QUIPU_URL.');
  const isLocal = ['0.0.0.0', '::', '127.0.0.1', '::1', 'localhost'].includes(host);
  return `http://${isLocal ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Reads the demo key from the data folder of a sandbox; null without one. */
const demoKey = async ({ dataDir, sources }: Pick<Config, 'dataDir' | 'sources'>): Promise<string | null> =>
  sources === 'sandbox' ? readIfPresent(`${dataDir}/demo.key`) : null;

function serverAt({ url, key }: Address, agent: Agent, signal: AbortSignal, io: Io): Server {
  let hasAnswered = false;
  /** The `fetch` of the client. The `fetch` of Node takes no agent, follows redirects and refuses some ports. */
  async function fetchByAgent(address: string, { method, headers, body, signal }: RequestInit): Promise<Response> {
    const answer = await request(address, {
      method: method as Dispatcher.HttpMethod,
      headers: { ...Object.fromEntries(new Headers(headers)), 'user-agent': USER_AGENT },
      body: body as string | undefined,
      signal,
      dispatcher: agent,
    });
    hasAnswered = true;
    const { statusCode: status } = answer;
    return new Response(
      status === 204 || status === 304 ? null : (Readable.toWeb(answer.body) as ConstructorParameters<typeof Response>[0]),
      {
        status,
        headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
      },
    );
  }
  const client: ClientOptions = {
    url,
    key,
    timeoutMs: ANSWER_MS + SILENCE_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    fetch: fetchByAgent as NonNullable<ClientOptions['fetch']>,
  };
  const sentenceOf = (error: QuipuError): string => sentence(url, error);
  return {
    url,
    client,
    signal,
    sentenceOf,
    query: (operation) => runOperation(client, operation, { signal }),
    rest: (endpoint, ...[options]) => callEndpoint(client, endpoint, { ...options, signal } as never),
    async post(path, body) {
      const sent = { method: 'POST', headers: { accept: 'application/json' }, body: JSON.stringify(body), signal };
      return read(client, await send(client, path, sent), signal);
    },
    async stream(path) {
      const answer = await open(client, path, { signal });
      if (!answer.ok || !answer.body) await read(client, answer, signal);
      return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
    },
    async repeated(work) {
      for (const pauseMs of PAUSES_MS) {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof QuipuError && error.isRetryable && hasAnswered)) throw error;
          const waitMs = Math.min(Math.max(pauseMs, (error.retryAfter ?? 0) * SECOND_MS), MAX_PAUSE_MS);
          io.err(`${sentenceOf(error)} Trying again in ${waitMs / SECOND_MS} s.\n`);
          await sleep(waitMs, undefined, { signal });
        }
      }
      return work();
    },
  };
}

/** Returns the data of an answer, even if some of its fields failed. @throws QuipuError if there are none */
export function dataOf<Data>({ data, errors }: Answer<Data>): Data {
  if (data) return data;
  throw graphqlError(errors);
}

/** Returns an error in one line: the error of the service, or the failure to get an answer from an address. */
function sentence(url: string, { code, status, message, cause, details }: QuipuError): string {
  if (code === 'NETWORK' && status === undefined) {
    const reason = cause === undefined ? 'timeout' : failureCode(cause);
    const advice = reason === 'timeout' ? '' : ' Is it started, and is --url (QUIPU_URL) its address?';
    return `The server ${url} does not answer (${reason}).${advice}`;
  }
  if (code === 'CURSOR_TOO_OLD' && details.cursor) return `${message} Continue with: --after ${details.cursor}`;
  if (code !== 'INVALID_ANSWER' || status === undefined) return message;
  if (status < 300) return `${url} is no Quipu server: it answered ${status} without JSON.`;
  const where = details.location === undefined ? '' : `: it redirects to ${details.location}; give that as --url`;
  return `${url} answered ${status}${where}.`;
}

/** Returns the reason for a missing answer in one word: `timeout`, or a code of the system or of TLS such as `ECONNREFUSED`. */
export function failureCode(error: unknown): string {
  const { code = '', name = '', errors = [], cause } = error as NodeJS.ErrnoException & { errors?: readonly unknown[]; cause?: unknown };
  if (/TIMEOUT|TIMEDOUT/.test(code) || name === 'TimeoutError') return 'timeout';
  const [inner = cause] = errors;
  return code || (inner ? failureCode(inner) : 'connection');
}

/** Parses JSON; null for any other text. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The answer of an address. */
export interface ProbeAnswer {
  readonly status: number;
  /** Time until the headers came, in ms. */
  readonly ms: number;
  /** Clock of the server minus that of this machine, in ms; null if the answer has no date. */
  readonly clockAheadMs: number | null;
  /** The body; empty if it is larger than 16 KiB. */
  readonly text: string;
}

/** Sends one GET to an address, and follows no redirect. @throws Error if no headers come within `timeoutMs` */
export async function probe(url: string, timeoutMs: number, signal?: AbortSignal): Promise<ProbeAnswer> {
  const agent = new Agent({ connect: { timeout: timeoutMs } });
  const limit = AbortSignal.timeout(timeoutMs);
  const startedAt = Date.now();
  try {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      headers: { 'user-agent': USER_AGENT, accept: 'application/json' },
    });
    const ms = Date.now() - startedAt;
    const date = Date.parse(String(headers.date));
    const text = await readText(body, headers, 16 * 1024).catch(() => '');
    return { status: statusCode, ms, clockAheadMs: Number.isNaN(date) ? null : date - (startedAt + ms / 2), text };
  } finally {
    await agent.destroy();
  }
}
