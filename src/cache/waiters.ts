/** Those who wait for a batch of fetches. When the last one has left, it is called off. */
export class Audience {
  readonly #over = new AbortController();
  #waiting = 0;

  /** Aborted when nobody waits any more; never while somebody cannot leave. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** @param signal aborted when this one leaves; undefined for one that stays */
  join(signal: AbortSignal | undefined): void {
    this.#waiting += 1;
    if (signal?.aborted) this.#leave();
    else signal?.addEventListener('abort', () => this.#leave(), { once: true });
  }

  #leave(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#over.abort();
  }
}
