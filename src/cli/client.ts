import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { Agent, type Dispatcher, request } from 'undici';
import { readIfPresent } from '../app/data-folder.ts';
import { type Config, ConfigError } from '../config.ts';
import { AppError, PASSING_CODES } from '../domain/errors.ts';
import { withoutTrailing } from '../domain/text.ts';
import { SECOND_MS } from '../domain/time.ts';
import { readText, retryAfterMs, USER_AGENT } from '../sources/http/message.ts';
import { EXIT, type Io } from './run.ts';

/** Options of commands that call a server. */
export interface ServerOptions {
  readonly url?: string;
  readonly key?: string;
}

/** A server answers within its deadline, 14 s at most. */
const ANSWER_MS = 20 * SECOND_MS;
const CONNECT_MS = 5 * SECOND_MS;
/** A body or an event stream that is silent for this long is lost: a server sends a comment on its streams every 12 s. */
const SILENCE_MS = 30 * SECOND_MS;
/** The largest answer that is read into memory. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Pauses before further attempts of a call that may be repeated: about a minute in all. */
const PAUSES_MS = [1, 2, 4, 8, 15, 30].map((seconds) => seconds * SECOND_MS);
const MAX_PAUSE_MS = 60 * SECOND_MS;

export const urlOption = () => new Option('--url <url>', 'address of the server; the local one by default').env('QUIPU_URL');
export const keyOption = () =>
  new Option(
    '--key <key>',
    'API key; by default the demo key of the local sandbox. Other users can see arguments: prefer the variable',
  ).env('QUIPU_API_KEY');

const PASSING: ReadonlySet<string> = new Set(PASSING_CODES.map((code) => code.toLowerCase()));

/** A server that did not answer, or refused. `code` is that of the problem document, or of the failed connection. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: string;
  /** HTTP status; null where no answer came. */
  readonly status: number | null;
  readonly retryAfterMs: number;
  constructor(message: string, facts: { code?: string; status?: number; retryAfterMs?: number | null; cause?: unknown } = {}) {
    super(message, { cause: facts.cause });
    this.code = facts.code ?? '';
    this.status = facts.status ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? 0;
  }

  /** True where the same request may be answered later: no answer came, the code passes, or something in between answered without a code. */
  get passes(): boolean {
    if (this.status === null || PASSING.has(this.code)) return true;
    return this.code === '' && ([409, 429].includes(this.status) || this.status >= 500);
  }
}

interface Sent {
  readonly method?: Dispatcher.HttpMethod;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The server that a command calls. Every call is aborted by `signal` and ends by a timeout. @throws ServerError */
export interface Server {
  readonly url: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Sends JSON and returns the JSON of the answer. */
  call<T>(path: string, sent?: Sent): Promise<T>;
  /** Returns the body of the answer, which fails when it is silent for 30 s. */
  stream(path: string, sent?: Sent): Promise<Readable>;
  /**
   * Repeats `work`, which must be safe to repeat, for about a minute while it fails for a reason that passes. A server that has never
   * answered is not waited for: most likely its address is wrong.
   */
  repeated<T>(work: () => Promise<T>): Promise<T>;
}

export interface ClientParts {
  readonly io: Io;
  /** Names the local server. Called where no `--url` is given. @throws ConfigError */
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
  try {
    const address = await addressOf(options, config);
    await work(serverAt(address, agent, abort.signal, io));
  } catch (error) {
    if (!abort.signal.aborted) {
      if (!(error instanceof ServerError || error instanceof AppError || error instanceof ConfigError)) throw error;
      io.err(`${error.message}\n`);
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

/** @throws ConfigError for an address or a key that cannot be used, or is missing */
async function addressOf({ url, key }: ServerOptions, config: ClientParts['config']): Promise<Address> {
  const address = serverUrl(url, config);
  const given = key || (url ? null : await demoKey(config()));
  if (given) return { url: address, key: given };
  throw new ConfigError('Give an API key: set QUIPU_API_KEY, or use --key. To create one: quipu keys create --name me --modules all');
}

/** The given URL, else that of the local server, without a trailing slash. @throws ConfigError */
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

/** File of the demo key in the data folder of a sandbox. */
const demoKey = async ({ dataDir, sources }: Pick<Config, 'dataDir' | 'sources'>): Promise<string | null> =>
  sources === 'sandbox' ? readIfPresent(`${dataDir}/demo.key`) : null;

function serverAt({ url, key }: Address, agent: Agent, signal: AbortSignal, io: Io): Server {
  let hasAnswered = false;
  async function send(path: string, { method = 'GET', body, headers }: Sent): Promise<Dispatcher.ResponseData> {
    const answer = await request(`${url}${path}`, {
      method,
      dispatcher: agent,
      signal,
      headers: {
        'user-agent': USER_AGENT,
        'x-api-key': key,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw signal.aborted ? error : noAnswer(url, error);
    });
    hasAnswered = true;
    if (answer.statusCode >= 300) throw await refusalOf(url, answer);
    return answer;
  }
  return {
    url,
    signal,
    stream: async (path, sent = {}) => (await send(path, sent)).body,
    async call<T>(path: string, sent: Sent = {}): Promise<T> {
      const { body, headers, statusCode } = await send(path, sent);
      const text = await readText(body, headers, MAX_ANSWER_BYTES).catch((error: unknown) => {
        throw signal.aborted ? error : noAnswer(url, error);
      });
      const value = jsonOrNull(text);
      if (value === null)
        throw new ServerError(`${url} is no Quipu server: it answered ${statusCode} without JSON.`, { status: statusCode });
      return value as T;
    },
    async repeated(work) {
      for (const pauseMs of PAUSES_MS) {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof ServerError && error.passes && hasAnswered)) throw error;
          const waitMs = Math.min(Math.max(pauseMs, error.retryAfterMs), MAX_PAUSE_MS);
          io.err(`${error.message} Trying again in ${waitMs / SECOND_MS} s.\n`);
          await sleep(waitMs, undefined, { signal });
        }
      }
      return work();
    },
  };
}

/** The error for a request without an answer. */
function noAnswer(url: string, cause: unknown): ServerError {
  const code = failureCode(cause);
  const advice = code === 'timeout' ? '' : ' Is it started, and is --url (QUIPU_URL) its address?';
  return new ServerError(`The server ${url} does not answer (${code}).${advice}`, { code, cause });
}

/** Why a request got no answer, in one word: `timeout`, or a code of the system or of TLS such as `ECONNREFUSED`. */
export function failureCode(error: unknown): string {
  const { code = '', name = '', errors = [], cause } = error as NodeJS.ErrnoException & { errors?: readonly unknown[]; cause?: unknown };
  if (/TIMEOUT|TIMEDOUT/.test(code) || name === 'TimeoutError') return 'timeout';
  const [inner = cause] = errors;
  return code || (inner ? failureCode(inner) : 'connection');
}

/** The error for an answer that is none of success: the sentence of its problem document, or of the first error of GraphQL. */
async function refusalOf(url: string, { statusCode: status, headers, body }: Dispatcher.ResponseData): Promise<ServerError> {
  const text = await readText(body, headers, MAX_ANSWER_BYTES).catch(() => '');
  const { detail, code, errors } = Object(jsonOrNull(text)) as { detail?: string; code?: string; errors?: readonly GraphqlError[] };
  const [first] = errors ?? [];
  const said = detail ?? first?.message;
  const where = headers.location === undefined ? '' : `: it redirects to ${String(headers.location)}; give that as --url`;
  return new ServerError(said ?? `${url} answered ${status}${where}.`, {
    status,
    code: (code ?? first?.extensions?.code ?? '').toLowerCase(),
    retryAfterMs: retryAfterMs(headers),
  });
}

/** An error of a GraphQL answer. */
export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string; readonly cursor?: string; readonly retryAfterSeconds?: number };
}

/** Parses JSON; null for another text. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What an address answered. */
export interface ProbeAnswer {
  readonly status: number;
  /** Time until the headers came. */
  readonly ms: number;
  /** The clock of the server less that of this machine, in ms; null where the answer has no date. */
  readonly clockAheadMs: number | null;
  /** The body; empty where it is larger than 16 KiB. */
  readonly text: string;
}

/** Sends one GET to an address, and follows no redirect. @throws Error when no headers come within `timeoutMs` */
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
