import { BrokenCircuitError, BulkheadRejectedError, bulkhead, CircuitState, circuitBreaker, handleWhen, type IBreaker } from 'cockatiel';
import { type Clock, SECOND_MS } from '../../domain/time.ts';
import { Cancelled } from './cancellation.ts';

/** Circuit of a source's HTTP calls: `open` fails at once, `half_open` is trying one call. */
export type Circuit = 'closed' | 'open' | 'half_open';

/** An open circuit lets a call try after this long. */
const REST_MS = 30 * SECOND_MS;
const IN_A_ROW = 10;
const SAMPLE_MS = 30 * SECOND_MS;
const SAMPLE_CALLS = 20;
const FAILED_SHARE = 0.5;

/** Opens after 10 failures in a row, or when half of at least 20 calls of the last 30 s failed. */
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

  #note(failed: boolean): void {
    const at = this.#now();
    this.#recent.push({ at, failed });
    while (this.#recent[0] && this.#recent[0].at <= at - SAMPLE_MS) this.#recent.shift();
  }
}

/** At most a tenth of the calls may be extra ones; a few are in hand at the start. */
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

/** How many calls of one source may run and wait, and when it is given a rest. */
export interface HttpPolicy {
  /** Runs `call` in a free place. Rejects at once when the circuit is open or 64 already wait. */
  run<T>(call: () => Promise<T>): Promise<T>;
  /** One try of a call, as the circuit sees it. */
  attempt<T>(call: () => Promise<T>): Promise<T>;
  readonly budget: RetryBudget;
  circuit(): Circuit;
}

export function createHttpPolicy(concurrency: number, now: Clock): HttpPolicy {
  const slots = bulkhead(concurrency, 64);
  const breaker = circuitBreaker(
    handleWhen((error) => !(error instanceof Cancelled)),
    { halfOpenAfter: REST_MS, breaker: new OutageBreaker(now) },
  );
  let openedAt = 0;
  breaker.onBreak(() => {
    openedAt = now();
  });
  return {
    run: (call) => slots.execute(call),
    attempt: (call) => breaker.execute(call),
    budget: new RetryBudget(),
    circuit: () => (breaker.state === CircuitState.Open && now() >= openedAt + REST_MS ? 'half_open' : CIRCUITS[breaker.state]),
  };
}

/** Class of a failure that is ours to explain: the source was spared a call. */
export function refusalClass(error: unknown): string | null {
  if (error instanceof BrokenCircuitError) return 'circuit_open';
  if (error instanceof BulkheadRejectedError) return 'too_many_waiting';
  return null;
}
