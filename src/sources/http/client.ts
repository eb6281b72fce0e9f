import type { Logger } from 'pino';
import type { Agent } from 'undici';
import type { SharedCircuit } from '../../cache/shared-circuit.ts';
import type { SourceName } from '../../domain/catalogue.ts';
import { type AppError, sourceUnavailable } from '../../domain/errors.ts';
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import type { OnCall } from '../call-hours/recorder.ts';
import { Cancelled, cancellationSignal, startDeadline } from './call-context.ts';
import { createAgent, type ExchangeOptions, exchange } from './exchange.ts';
import { type HttpAnswer, HttpFailure, isRefusal } from './failure.ts';
import { createHostLimits, type HostLimits } from './host-limits.ts';
import { type Circuit, createHttpPolicy, type HttpPolicy, type RecentCalls, refusalClass, SourcePaused } from './policy.ts';
import type { NoPermit, Throttle } from './throttle.ts';

export interface GetOptions<T> extends ExchangeOptions {
  readonly deadlineMs: number;
  /** Interprets every response below 500 except 408 and 429. An error it throws counts as a failure of the source. */
  readonly read: (answer: HttpAnswer) => T;
  /** Throttle of all requests, including retries. */
  readonly throttle?: Throttle | undefined;
}

export interface HttpHealth {
  readonly circuit: Circuit;
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  readonly lastError: string | null;
  readonly recentCalls: RecentCalls | null;
}

/** HTTP client of one source: concurrency limit, deadline, retry budget, circuit breaker. */
export interface HttpClient {
  /**
   * Sends one GET and interprets the response. Settles within `deadlineMs` whatever the connection does. Retries a quick failure
   * (5xx, reset) once, after a random pause. A call that no caller waits for is cancelled, which is not a failure of the source.
   * @throws AppError SOURCE_UNAVAILABLE with `retryAfterSeconds`
   */
  get<T>(url: URL, options: GetOptions<T>): Promise<T>;
  health(): HttpHealth;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  readonly source: SourceName;
  /** Maximum number of concurrent calls; 64 more may wait for a slot. */
  readonly concurrency: number;
  /** Circuit breaker over all processes; without it, this process has a circuit breaker of its own. */
  readonly circuit?: SharedCircuit | undefined;
  /** Limits that the clients of other sources on the same host share; without them, this client has its own. */
  readonly host?: HostLimits | undefined;
  /** Called after each call that was not cancelled. */
  readonly onCall?: OnCall | undefined;
  readonly now: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const MAX_PAUSE_MS = HOUR_MS;
/** Minimum time left for a retry. */
const MIN_RETRY_MS = SECOND_MS;
/** Minimum time left for a request. A request aborted sooner would count as the source's failure. */
const MIN_ANSWER_MS = SECOND_MS / 2;
/** Pause of all calls after the daily quota is used up. */
const QUOTA_PAUSE_MS = 5 * MINUTE_MS;

export const createHttpClient = (options: HttpClientOptions): HttpClient => new SourceClient(options);

class SourceClient implements HttpClient {
  readonly #options: HttpClientOptions;
  readonly #agent: Agent;
  readonly #policy: HttpPolicy;
  readonly #host: HostLimits;
  #lastSuccessAt: number | null = null;
  #lastFailure: { readonly at: number; readonly kind: string } | null = null;

  constructor(options: HttpClientOptions) {
    const { concurrency, circuit, now, onCall, host = createHostLimits(concurrency) } = options;
    this.#options = options;
    this.#agent = createAgent(concurrency);
    this.#host = host;
    this.#policy = createHttpPolicy(now, { shared: circuit, onCall });
  }

  async get<T>(url: URL, options: GetOptions<T>): Promise<T> {
    const { source, now } = this.#options;
    const { deadlineMs } = options;
    const cancellation = cancellationSignal();
    if (cancellation?.aborted) throw sourceUnavailable(source, new Cancelled());
    const abort = new AbortController();
    const onTimeout = () => new HttpFailure('timeout', `no answer within ${deadlineMs} ms`);
    const deadline = startDeadline({ ms: deadlineMs, onTimeout, abort, cancellation });
    try {
      // The race is inside the slot, too, so that a call that ignores its abort signal counts as failed and frees its slot.
      const bounded = () => Promise.race([this.#once(url, abort.signal, options), deadline.passed]);
      const call = { deadlineAt: now() + deadlineMs, signal: abort.signal, once: bounded, throttle: options.throttle };
      const work = this.#host.slots(() => this.#tries(call), abort.signal);
      const result = await Promise.race([work, deadline.passed]);
      this.#lastSuccessAt = now();
      return result;
    } catch (error) {
      throw error instanceof Cancelled ? sourceUnavailable(source, error) : this.#failed(error);
    } finally {
      deadline.clear();
      abort.abort();
    }
  }

  health(): HttpHealth {
    return {
      circuit: this.#policy.circuit(),
      lastSuccessAt: this.#lastSuccessAt,
      lastErrorAt: this.#lastFailure?.at ?? null,
      lastError: this.#lastFailure?.kind ?? null,
      recentCalls: this.#policy.recentCalls(),
    };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  /** Runs an attempt, and another one after a quick failure. */
  async #tries<T>(call: Call<T>): Promise<T> {
    const { deadlineAt, signal } = call;
    const { now, random } = this.#options;
    const { budget } = this.#policy;
    this.#requireAllowed(signal);
    budget.earn();
    try {
      return await this.#attempt(call);
    } catch (error) {
      const again = isQuickFailure(error) && this.#host.pausedUntil <= now() && deadlineAt - now() > MIN_RETRY_MS && budget.spend();
      if (!again) throw error;
      await pause(random() * 300, signal);
      return this.#attempt(call);
    }
  }

  /** Runs one attempt when the throttle permits it. */
  async #attempt<T>({ deadlineAt, signal, once, throttle }: Call<T>): Promise<T> {
    this.#requireAllowed(signal);
    if (!throttle) return this.#policy.attempt(once);
    // a refusal uses no permit of the throttle
    if (this.#policy.circuit() === 'open') throw new HttpFailure('circuit_open', 'the source failed too often');
    const permit = await throttle.acquire(performance.now() + deadlineAt - this.#options.now() - MIN_ANSWER_MS, signal);
    if (typeof permit === 'string') {
      if (permit === 'quota_used') this.#pause(QUOTA_PAUSE_MS);
      throw new HttpFailure(permit, NO_PERMIT[permit]);
    }
    try {
      this.#requireAllowed(signal);
      return await this.#policy.attempt(once);
    } finally {
      permit.end();
    }
  }

  /** Sends the request once and interprets the response. */
  async #once<T>(url: URL, signal: AbortSignal, options: GetOptions<T>): Promise<T> {
    try {
      const { retryAfterMs, ...answer } = await exchange(this.#agent, url, signal, options);
      if (!isRefusal(answer.status)) return options.read(answer);
      this.#pauseAll(retryAfterMs);
      throw options.explain?.(answer) ?? refusal(answer.status);
    } catch (error) {
      if (error instanceof HttpFailure) this.#pauseAll(error.retryAfterMs);
      throw error;
    }
  }

  /** Checks again when a slot is free, because meanwhile the deadline may have passed, or another call may have received `Retry-After`. */
  #requireAllowed(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#host.pausedUntil > this.#options.now())
      throw new HttpFailure('held', 'no call for a while: Retry-After, or the calls of the day are used up');
  }

  #pause(ms: number | null): void {
    if (ms !== null) this.#host.pausedUntil = Math.max(this.#host.pausedUntil, this.#options.now() + Math.min(ms, MAX_PAUSE_MS));
  }

  /** Pauses the source for all processes. */
  #pauseAll(ms: number | null): void {
    this.#pause(ms);
    if (ms !== null && ms > 0) this.#options.circuit?.pause(Math.min(ms, MAX_PAUSE_MS));
  }

  /** Records a failed call, and returns the error for its caller. */
  #failed(error: unknown): AppError {
    const { source, now, log } = this.#options;
    if (error instanceof SourcePaused) this.#pause(error.ms);
    const kind = refusalClass(error) ?? (error instanceof HttpFailure ? error.kind : 'unreadable');
    this.#lastFailure = { at: now(), kind };
    log.warn({ source, kind, err: error }, 'source call failed');
    return sourceUnavailable(
      source,
      error as Error,
      Math.max(1, Math.ceil((this.#host.pausedUntil - now()) / SECOND_MS), kind === 'circuit_open' ? 30 : 5),
    );
  }
}

/** One call of a source, with its attempts. */
interface Call<T> {
  /** Epoch ms. */
  readonly deadlineAt: number;
  readonly signal: AbortSignal;
  /** Sends the request once. It rejects at the deadline. */
  readonly once: () => Promise<T>;
  readonly throttle: Throttle | undefined;
}

const NO_PERMIT: Readonly<Record<NoPermit, string>> = {
  no_turn: 'too many calls before this one',
  quota_used: 'the calls of the day are used up',
};

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
  });
}

const isQuickFailure = (error: unknown): boolean => error instanceof HttpFailure && error.retryable;

const refusal = (status: number): HttpFailure => new HttpFailure(`status_${status}`, `answered ${status}`, { retryable: status !== 429 });
