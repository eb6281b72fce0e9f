import { Redis, type RedisOptions, ReplyError } from 'ioredis';
import type { Logger } from 'pino';
import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';

export interface RedisLinkOptions {
  readonly url: string;
  readonly log: Logger;
  /** Field `component` of the log lines. */
  readonly component: string;
  /** What this process does while Redis is away, and what holds again when it is back, for the log. */
  readonly texts: { readonly away: string; readonly back: string };
  /** A Redis that sends nothing for this long while a command waits counts as away. */
  readonly answerMs: number;
  readonly scripts: NonNullable<RedisOptions['scripts']>;
}

/** A command has no result: Redis is not connected, does not answer in time, or refused it. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable';
}

/** A connection without answers for this long is closed and opened again: its other end may not exist any more. */
const SOCKET_TIMEOUT_MS = 5 * SECOND_MS;

/**
 * A connection to Redis that delays no caller for long. While it is closed, or Redis does not answer, every command fails at once: only
 * the commands in progress when Redis stopped answering have waited, for `answerMs`.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #redis: Redis;
  #lastAnswerAt = 0;
  /** True from a command that was not answered in time until Redis answers again. */
  #isUnresponsive = false;
  #isAwayLogged = false;
  /** When a refusal was logged last (`performance.now` time). */
  #refusalLoggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#redis = new Redis(options.url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: SECOND_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      retryStrategy: (attempt) => Math.min(attempt * 50, SECOND_MS),
      scripts: options.scripts,
    });
    this.#redis.on('ready', () => this.#markAvailable());
    this.#redis.on('close', () => this.#logAway());
    this.#redis.on('error', () => undefined); // every error is followed by 'close'
  }

  /** Runs one command. @throws RedisUnavailable, also when Redis refuses the command */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.#redis.status !== 'ready' || this.#isUnresponsive) throw new RedisUnavailable();
    const answer = command(this.#redis).finally(() => {
      this.#lastAnswerAt = performance.now();
    });
    const timeout = this.#startTimeout();
    try {
      return await Promise.race([answer, timeout.expired]);
    } catch (error) {
      if (error instanceof ReplyError) this.#logRefusal(error as Error);
      throw new RedisUnavailable('Redis is unavailable', { cause: error });
    } finally {
      timeout.clear();
    }
  }

  close(): void {
    this.#redis.removeAllListeners('close');
    this.#redis.disconnect();
  }

  /** Starts to wait for an answer. `expired` rejects when Redis has sent nothing for `answerMs`. */
  #startTimeout(): { readonly expired: Promise<never>; clear(): void } {
    const { answerMs } = this.#options;
    const startedAt = performance.now();
    const { promise: expired, reject } = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    let isCleared = false;
    const check = () => {
      if (isCleared) return;
      const leftMs = Math.max(startedAt, this.#lastAnswerAt) + answerMs - performance.now();
      if (leftMs > 0) return wait(leftMs);
      this.#markUnresponsive();
      reject(new RedisUnavailable('no answer'));
    };
    // Checked after the next poll of the sockets: if this process itself was late, the answer has arrived meanwhile.
    const wait = (ms: number): void => {
      timer = setTimeout(() => setImmediate(check), ms);
    };
    wait(answerMs);
    return {
      expired,
      clear() {
        isCleared = true;
        clearTimeout(timer);
      },
    };
  }

  /** Logs at most once a minute, and the message only: the error also has the arguments of the command, which may be data. */
  #logRefusal({ message }: { readonly message: string }): void {
    const { log, component } = this.#options;
    if (performance.now() - this.#refusalLoggedAt < MINUTE_MS) return;
    this.#refusalLoggedAt = performance.now();
    log.warn({ component, reason: message }, 'Redis refuses commands');
  }

  /** Marks Redis as unresponsive until it answers a ping: commands are answered in order, so the ping is answered when Redis is back. */
  #markUnresponsive(): void {
    if (this.#isUnresponsive) return;
    this.#logAway();
    this.#isUnresponsive = true;
    this.#redis.ping().then(
      () => this.#markAvailable(),
      () => undefined, // the connection was closed: 'ready' follows
    );
  }

  #logAway(): void {
    const { log, component, texts } = this.#options;
    if (!this.#isAwayLogged) log.warn({ component }, `Redis is away: ${texts.away}`);
    this.#isAwayLogged = true;
  }

  #markAvailable(): void {
    const { log, component, texts } = this.#options;
    this.#isUnresponsive = false;
    if (this.#isAwayLogged) log.info({ component }, `Redis is back: ${texts.back}`);
    this.#isAwayLogged = false;
  }
}

/** Asks a Redis for its time, in epoch ms. @throws Error when it cannot be reached within `timeoutMs`, or refuses */
export async function redisTime(url: string, timeoutMs: number): Promise<number> {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    retryStrategy: () => null,
  });
  let cause: Error | null = null;
  redis.on('error', (error) => {
    cause = error;
  });
  try {
    await redis.connect();
    const [seconds, microseconds] = await redis.time();
    return Number(seconds) * SECOND_MS + Number(microseconds) / 1_000;
  } catch (error) {
    throw cause ?? error; // the client says "closed" where its event says why
  } finally {
    redis.disconnect();
  }
}
