/** Functions that stop the parts of a process. */
export class Closing {
  readonly #stops: (() => Promise<unknown>)[] = [];

  /** Adds the function that stops the part that was started last. */
  add(stop: () => Promise<unknown>): void {
    this.#stops.push(stop);
  }

  /** Stops everything in the reverse order of the start. @throws AggregateError when a part does not stop cleanly; the others do */
  async close(): Promise<void> {
    const faults: unknown[] = [];
    for (const stop of this.#stops.splice(0).reverse()) await stop().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw new AggregateError(faults, 'not everything stopped cleanly');
  }
}
