/** Repeated work of which one run goes on at a time. All calls during a run share the next one. */
export class SharedRun {
  readonly #work: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Does the work once more, after the run that goes on. Settles like this next run. */
  start(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = null;
      return this.#work();
    });
    this.#last = this.#next.catch(() => undefined);
    return this.#next;
  }

  /** Resolves when all runs that were started until now have ended, also those that failed. */
  ended(): Promise<void> {
    return this.#last;
  }
}
