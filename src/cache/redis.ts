import { Redis, type RedisOptions, ReplyError } from 'ioredis';
import type { Logger } from 'pino';
import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';

export interface RedisLinkOptions {
  readonly url: string;
  readonly log: Logger;
  /** Of the log lines. */
  readonly component: string;
  /** What this process does while Redis is away, and what holds again when it is back, for the log. */
  readonly texts: { readonly away: string; readonly back: string };
  /** A Redis that sends nothing for this long while a command waits counts as away. */
  readonly answerMs: number;
  readonly scripts: NonNullable<RedisOptions['scripts']>;
}

/** Redis cannot be asked now. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';
}

/** A connection without answers for this long is closed and opened again: the other machine may be gone. */
const SILENCE_MS = 5 * SECOND_MS;

/**
 * A connection to Redis that delays no caller for long. While it is closed, or Redis does not answer, every command fails at once: only
 * the commands in progress when Redis stopped answering have waited, for `answerMs`.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #redis: Redis;
  #lastAnswerAt = 0;
  /** True from an answer that was late until Redis answers again. */
  #isSilent = false;
  #isAwayLogged = false;
  /** When a refusal was logged last. */
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#redis = new Redis(options.url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: SECOND_MS,
      socketTimeout: SILENCE_MS,
      retryStrategy: (attempt) => Math.min(attempt * 50, SECOND_MS),
      scripts: options.scripts,
    });
    this.#redis.on('ready', () => this.#back());
    this.#redis.on('close', () => this.#away());
    this.#redis.on('error', () => undefined); // every error is followed by 'close'
  }

  /** Runs one command. @throws RedisAway, also when Redis refuses the command */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.#redis.status !== 'ready' || this.#isSilent) throw new RedisAway();
    const answer = command(this.#redis).finally(() => {
      this.#lastAnswerAt = performance.now();
    });
    const patience = this.#patience();
    try {
      return await Promise.race([answer, patience.over]);
    } catch (error) {
      if (error instanceof ReplyError) this.#refused(error as Error);
      throw new RedisAway('Redis cannot be asked', { cause: error });
    } finally {
      patience.end();
    }
  }

  close(): void {
    this.#redis.removeAllListeners('close');
    this.#redis.disconnect();
  }

  /** Starts to wait for an answer. `over` rejects when Redis has sent nothing for `answerMs`. */
  #patience(): { readonly over: Promise<never>; end(): void } {
    const { answerMs } = this.#options;
    const startedAt = performance.now();
    const { promise: over, reject } = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    let hasEnded = false;
    const check = () => {
      if (hasEnded) return;
      const leftMs = Math.max(startedAt, this.#lastAnswerAt) + answerMs - performance.now();
      if (leftMs > 0) return wait(leftMs);
      this.#silent();
      reject(new RedisAway('no answer'));
    };
    // Checked after the next poll of the sockets: if this process itself was late, the answer has arrived meanwhile.
    const wait = (ms: number): void => {
      timer = setTimeout(() => setImmediate(check), ms);
    };
    wait(answerMs);
    return {
      over,
      end() {
        hasEnded = true;
        clearTimeout(timer);
      },
    };
  }

  /** The log has the message only: the error also has the arguments of the command. */
  #refused({ message }: { readonly message: string }): void {
    const { log, component } = this.#options;
    if (performance.now() - this.#refusedAt < MINUTE_MS) return;
    this.#refusedAt = performance.now();
    log.warn({ component, reason: message }, 'Redis refuses commands');
  }

  /** Commands are answered in order, so this one is answered when Redis is back. */
  #silent(): void {
    if (this.#isSilent) return;
    this.#away();
    this.#isSilent = true;
    this.#redis.ping().then(
      () => this.#back(),
      () => undefined, // the connection was closed: 'ready' follows
    );
  }

  #away(): void {
    const { log, component, texts } = this.#options;
    if (!this.#isAwayLogged) log.warn({ component }, `Redis is away: ${texts.away}`);
    this.#isAwayLogged = true;
  }

  #back(): void {
    const { log, component, texts } = this.#options;
    this.#isSilent = false;
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
