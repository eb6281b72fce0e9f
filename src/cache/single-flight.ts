/** Shares one running call among concurrent callers of the same key. Keeps nothing once the call has settled. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();

  /** Starts `call`, or joins the running call of this key. Rejects with the failure of the shared call. */
  run(key: string, call: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running) return running;
    const started = call().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}

/** Reference-counted abort: counts the callers that wait for a shared fetch and aborts `signal` when the last one leaves. */
export class WaiterCount {
  readonly #abort = new AbortController();
  #waiting = 0;

  /** Aborts when no caller waits any more; never aborts once a caller without a signal was added. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** @param signal aborts when this caller stops waiting; undefined for a caller that always waits */
  add(signal: AbortSignal | undefined): void {
    this.#waiting += 1;
    if (signal?.aborted) this.#remove();
    else signal?.addEventListener('abort', () => this.#remove(), { once: true });
  }

  #remove(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#abort.abort();
  }
}
