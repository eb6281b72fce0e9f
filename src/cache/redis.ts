import { Redis, type RedisOptions, ReplyError } from 'ioredis';
import type { Logger } from 'pino';
import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';

export interface RedisLinkOptions {
  readonly url: string;
  readonly log: Logger;
  /** Field `component` of the log lines. */
  readonly component: string;
  /** Texts for the log: the behaviour of this process while Redis is unavailable, and after it is back. */
  readonly texts: { readonly away: string; readonly back: string };
  /** Time in ms without data, while a command waits, after which Redis counts as unavailable. */
  readonly answerMs: number;
  readonly scripts: NonNullable<RedisOptions['scripts']>;
}

/** Error of a command without a result: Redis is not connected, does not respond in time, or refused it. */
class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable';
}

/** Time in ms without responses after which a connection is closed and opened again, because its other end may not exist any more. */
const SOCKET_TIMEOUT_MS = 5 * SECOND_MS;

/**
 * A connection to Redis with bounded delays. While it is closed, or Redis does not respond, every command fails at once. Only the commands
 * in progress when Redis stopped responding wait, for `answerMs`.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #redis: Redis;
  #lastAnswerAt = 0;
  /** True from a command without a timely response until Redis responds again. */
  #isUnresponsive = false;
  #isAwayLogged = false;
  /** Time of the last log line about a refusal (`performance.now` time). */
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
    this.#redis.on('error', () => undefined); // a 'close' event follows every error
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

  /** Starts to wait for a response. `expired` rejects when Redis has sent nothing for `answerMs`. */
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
    // The timeout is checked after the next poll of the sockets: if this process itself was late, the response has arrived meanwhile.
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

  /** Logs at most once a minute, and only the message, because the error also contains the arguments of the command, which may be data. */
  #logRefusal({ message }: { readonly message: string }): void {
    const { log, component } = this.#options;
    if (performance.now() - this.#refusalLoggedAt < MINUTE_MS) return;
    this.#refusalLoggedAt = performance.now();
    log.warn({ component, reason: message }, 'Redis refuses commands');
  }

  /**
   * Marks Redis as unresponsive until it responds to a ping. Commands are answered in order, so the ping is answered when Redis is back.
   */
  #markUnresponsive(): void {
    if (this.#isUnresponsive) return;
    this.#logAway();
    this.#isUnresponsive = true;
    this.#redis.ping().then(
      () => this.#markAvailable(),
      () => undefined, // the connection was closed, and 'ready' follows
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

/** Returns the time of a Redis, in epoch ms. @throws Error when it cannot be reached within `timeoutMs`, or refuses */
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
    throw cause ?? error; // the client says "closed", but its event states the reason
  } finally {
    redis.disconnect();
  }
}
