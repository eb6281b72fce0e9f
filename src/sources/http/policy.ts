import { BrokenCircuitError, CircuitState, circuitBreaker, handleWhen, type IBreaker } from 'cockatiel';
import { recent } from '../../cache/recent.ts';
import type { CircuitRules, SharedCircuit } from '../../cache/shared-circuit.ts';
import { type Clock, SECOND_MS } from '../../domain/time.ts';
import { FairSlots, NoSlot } from '../../scheduling/fair-slots.ts';
import type { OnCall } from '../call-hours/recorder.ts';
import { Cancelled, currentCaller } from './call-context.ts';

/** State of a source's circuit breaker: `open` fails calls at once, `half_open` lets one test call through. */
export type Circuit = 'closed' | 'open' | 'half_open';

export const CIRCUIT_RULES: CircuitRules = {
  inARow: 10,
  sampleMs: 30 * SECOND_MS,
  sampleCalls: 20,
  failedShare: 0.5,
  halfOpenAfterMs: 30 * SECOND_MS,
};
const {
  inARow: IN_A_ROW,
  sampleMs: SAMPLE_MS,
  sampleCalls: SAMPLE_CALLS,
  failedShare: FAILED_SHARE,
  halfOpenAfterMs: HALF_OPEN_AFTER_MS,
} = CIRCUIT_RULES;

/** Circuit breaker that opens after 10 failures in a row, or when half of at least 20 calls of the last 30 s failed. */
class OutageBreaker implements IBreaker {
  state: unknown = null;
  readonly #now: Clock;
  #inARow = 0;
  readonly #recent: { readonly at: number; readonly failed: boolean }[] = [];

  constructor(now: Clock) {
    this.#now = now;
  }

  success(state: CircuitState): void {
    this.#inARow = 0;
    if (state === CircuitState.HalfOpen) this.#recent.length = 0;
    this.#note(false);
  }

  failure(): boolean {
    this.#inARow += 1;
    this.#note(true);
    const failures = this.#recent.filter(({ failed }) => failed).length;
    return this.#inARow >= IN_A_ROW || (this.#recent.length >= SAMPLE_CALLS && failures >= this.#recent.length * FAILED_SHARE);
  }

  /** True when no call of the sample failed. */
  get isClean(): boolean {
    return this.#recent.every(({ failed }) => !failed);
  }

  #note(failed: boolean): void {
    const at = this.#now();
    this.#recent.push({ at, failed });
    while (this.#recent[0] && this.#recent[0].at <= at - SAMPLE_MS) this.#recent.shift();
  }
}

/** Statistics of the last calls of a source in this process. Refusals of an open circuit do not count. */
export interface RecentCalls {
  /** Number of calls, at most 100. */
  readonly calls: number;
  readonly failed: number;
  /** Median duration of the answered calls, in milliseconds; null if no call was answered. */
  readonly latencyMs: number | null;
}

const KEPT_CALLS = 100;

/** Stores the outcome and the duration of the last calls. */
class CallLog {
  readonly #now: Clock;
  readonly #onCall: OnCall | undefined;
  readonly #calls: { readonly ms: number; readonly failed: boolean }[] = [];

  constructor(now: Clock, onCall?: OnCall) {
    this.#now = now;
    this.#onCall = onCall;
  }

  /** Runs a call and records its outcome, unless the call was cancelled. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    const startedAt = this.#now();
    try {
      const result = await call();
      this.#note(startedAt, false);
      return result;
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#note(startedAt, true);
      throw error;
    }
  }

  /** Returns the statistics; null before the first call. */
  read(): RecentCalls | null {
    if (this.#calls.length === 0) return null;
    const answered = this.#calls.flatMap(({ ms, failed }) => (failed ? [] : ms)).sort((a, b) => a - b);
    const latencyMs = answered[Math.floor(answered.length / 2)] ?? null;
    return { calls: this.#calls.length, failed: this.#calls.length - answered.length, latencyMs };
  }

  #note(startedAt: number, failed: boolean): void {
    const ms = this.#now() - startedAt;
    this.#calls.push({ ms, failed });
    this.#onCall?.(ms, failed);
    if (this.#calls.length > KEPT_CALLS) this.#calls.shift();
  }
}

/** Token bucket for retries: at most a tenth of the calls, plus 3 at the start. */
class RetryBudget {
  #tokens = 3;
  earn(): void {
    this.#tokens = Math.min(10, this.#tokens + 0.1);
  }
  spend(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

const CIRCUITS: Readonly<Record<CircuitState, Circuit>> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.HalfOpen]: 'half_open',
  [CircuitState.Isolated]: 'open',
};

/** Circuit breaker and retry budget of one source. */
export interface HttpPolicy {
  /** Runs one attempt of a call, which the circuit breaker counts. It rejects at once when the circuit is open. @throws SourcePaused */
  attempt<T>(call: () => Promise<T>): Promise<T>;
  readonly budget: RetryBudget;
  circuit(): Circuit;
  /** Returns the statistics of the last calls; null before the first call. */
  recentCalls(): RecentCalls | null;
}

/**
 * Runs `call` in a slot, immediately or after waiting; `signal` ends the wait. @throws NoSlot when it may not wait; the reason of the
 * signal
 */
export type CallSlots = <T>(call: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

const MAX_WAITING = 64;

/** Creates slots for `concurrency` calls, `perCaller` of them per caller; 64 more may wait. Callers share them fairly (`FairSlots`). */
export function createCallSlots(concurrency: number, perCaller = concurrency): CallSlots {
  const slots = new FairSlots({ slots: () => concurrency, slotsPerOwner: () => perCaller, waiting: () => MAX_WAITING });
  return (call, signal) => slots.run(currentCaller(), call, { signal });
}

/** Thrown while the source is paused, because it sent `Retry-After` to another process. */
export class SourcePaused extends Error {
  override readonly name = 'SourcePaused';
  readonly ms: number;
  constructor(ms: number) {
    super('the source asked another process to send nothing for a while');
    this.ms = ms;
  }
}

interface PolicyOptions {
  /** Circuit breaker over all processes; without it, and while Redis is unavailable, this process uses its own. */
  readonly shared?: SharedCircuit | undefined;
  /** Called after each call that was not cancelled. */
  readonly onCall?: OnCall | undefined;
}

export function createHttpPolicy(now: Clock, { shared, onCall }: PolicyOptions = {}): HttpPolicy {
  const breaker = circuitBreaker(
    handleWhen((error) => !(error instanceof Cancelled)),
    { halfOpenAfter: HALF_OPEN_AFTER_MS, breaker: new OutageBreaker(now) },
  );
  const calls = new CallLog(now, onCall);
  let openedAt = 0;
  breaker.onBreak(() => {
    openedAt = now();
  });
  async function attempt<T>(circuit: SharedCircuit, call: () => Promise<T>): Promise<T> {
    const permit = await circuit.admit();
    if (!permit) {
      if (circuit.state() === 'open') throw new BrokenCircuitError();
      return breaker.execute(call);
    }
    const { kind, pausedMs } = permit;
    if (pausedMs > 0) throw new SourcePaused(pausedMs);
    if (kind === 'open') throw new BrokenCircuitError();
    const isTest = kind === 'test';
    try {
      const result = await call();
      void circuit.record({ isFailure: false, isTest }); // the promise is not awaited, because Redis executes commands in order
      return result;
    } catch (error) {
      if (!(error instanceof Cancelled)) void circuit.record({ isFailure: true, isTest });
      throw error;
    }
  }

  function state(): Circuit {
    const known = shared?.state() ?? 'closed';
    if (known !== 'closed') return known;
    return breaker.state === CircuitState.Open && now() >= openedAt + HALF_OPEN_AFTER_MS ? 'half_open' : CIRCUITS[breaker.state];
  }

  return {
    attempt: (call) => {
      const timed = () => calls.run(call);
      return shared ? attempt(shared, timed) : breaker.execute(timed);
    },
    budget: new RetryBudget(),
    circuit: state,
    recentCalls: () => calls.read(),
  };
}

const MAX_CIRCUITS = 5_000;

/**
 * Creates circuit breakers by name, for a source that calls many hosts. Returns a function that runs one attempt of a call, and rejects at
 * once while the circuit of that name is open. Only breakers with a recent failure are kept; beyond MAX_CIRCUITS the least recently used
 * one is deleted.
 * @param isFailure returns true for an error that counts as a failure
 */
export function createCircuits(
  now: Clock,
  isFailure: (error: unknown) => boolean,
): <T>(name: string, call: () => Promise<T>) => Promise<T> {
  const create = () => {
    const breaker = new OutageBreaker(now);
    return { breaker, policy: circuitBreaker(handleWhen(isFailure), { halfOpenAfter: HALF_OPEN_AFTER_MS, breaker }) };
  };
  const circuits = recent<string, ReturnType<typeof create>>(MAX_CIRCUITS);
  return async (name, call) => {
    const circuit = circuits.get(name) ?? create();
    circuits.set(name, circuit);
    try {
      return await circuit.policy.execute(call);
    } finally {
      if (circuit.breaker.isClean && circuits.get(name) === circuit) circuits.delete(name);
    }
  };
}

/** Kind of a failure that happened before any request was sent. */
export type RefusalClass = 'circuit_open' | 'too_many_waiting' | 'held';

/** Returns the kind of a failure that happened before any request was sent; null for every other error. */
export function refusalClass(error: unknown): RefusalClass | null {
  if (error instanceof BrokenCircuitError) return 'circuit_open';
  if (error instanceof NoSlot) return 'too_many_waiting';
  if (error instanceof SourcePaused) return 'held';
  return null;
}
