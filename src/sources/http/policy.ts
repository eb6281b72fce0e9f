import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  type IBreaker,
  SamplingBreaker,
} from 'cockatiel';
import { SECOND_MS } from '../../domain/time.ts';

/** Circuit of a source's HTTP calls: `open` fails at once, `half_open` is trying one call. */
export type Circuit = 'closed' | 'open' | 'half_open';

/** Opens after 10 failures in a row, or when half of at least 20 calls in 30 s failed. */
class OutageBreaker implements IBreaker {
  readonly #inARow = new ConsecutiveBreaker(10);
  readonly #share = new SamplingBreaker({
    threshold: 0.499 /* it opens above, we promise from half on */,
    duration: 30 * SECOND_MS,
    minimumRps: 20 / 30,
  });

  get state(): unknown {
    return null;
  }
  set state(_: unknown) {}

  success(state: CircuitState): void {
    this.#inARow.success();
    this.#share.success(state);
  }

  failure(state: CircuitState): boolean {
    const inARow = this.#inARow.failure();
    return this.#share.failure(state) || inARow;
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

export function createHttpPolicy(concurrency: number): HttpPolicy {
  const places = bulkhead(concurrency, 64);
  const breaker = circuitBreaker(handleAll, { halfOpenAfter: 30 * SECOND_MS, breaker: new OutageBreaker() });
  return {
    run: (call) => places.execute(call),
    attempt: (call) => breaker.execute(call),
    budget: new RetryBudget(),
    circuit: () => CIRCUITS[breaker.state],
  };
}

/** Class of a failure that is ours to explain: the source was spared a call. */
export function refusalClass(error: unknown): string | null {
  if (error instanceof BrokenCircuitError) return 'circuit_open';
  if (error instanceof BulkheadRejectedError) return 'too_many_waiting';
  return null;
}
