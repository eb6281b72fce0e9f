/** Time in ms for which in-memory work may block the event loop before sockets and timers are served. */
const SLICE_MS = 3;
/** Time in ms for which a generator may run before other work of the same slice continues. */
const PART_MS = 2;

/** Time in ms for which work with rests leaves the event loop to others between two slices. */
const REST_MS = 4;

/** Waiting work in the order of its requests. */
const waiting: (() => void)[] = [];
let isSliceDue = false;

/**
 * Settles when long in-memory work may continue. All such work of the process is scheduled cooperatively: one piece runs until it waits
 * for something, then the next one continues, and after SLICE_MS in total the event loop serves sockets and timers. However many requests
 * compute at once, they block the loop no longer than one.
 */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isSliceDue) return;
    isSliceDue = true;
    setImmediate(runSlice);
  });
}

/**
 * Settles like `nextSlice`, after a rest. It is for work of many slices whose caller can wait: a short request that waits for Postgres
 * several times would otherwise wait for a slice each time.
 */
export async function nextSliceAfterRest(): Promise<void> {
  await new Promise((resolve) => void setTimeout(resolve, REST_MS));
  await nextSlice();
}

function runSlice(): void {
  const end = performance.now() + SLICE_MS;
  const continueNext = (): void => {
    const next = waiting[0];
    if (!next) isSliceDue = false;
    else if (performance.now() >= end) setImmediate(runSlice);
    else {
      waiting.shift();
      next();
      queueMicrotask(() => process.nextTick(continueNext)); // a tick runs when every promise that could settle has settled
    }
  };
  continueNext();
}

/** Runs a generator to its end in slices, which end at its yields. */
export async function inSlices<T>(work: Generator<void, T, void>): Promise<T> {
  for (;;) {
    await nextSlice();
    for (const end = performance.now() + PART_MS; performance.now() < end; ) {
      const step = work.next();
      if (step.done) return step.value;
    }
  }
}

/** Number of values that complete in a few milliseconds. */
export const SLICE_VALUES = 3_000;

/**
 * Schedules the in-memory work of one request in slices of SLICE_VALUES. Each slice waits for `nextSlice`. The size of a slice
 * is a count and not a time, so that the same answer loads the same batches and has the same order of errors.
 */
export class RequestSlices {
  #values = 0;
  #last: Promise<void> | null = null;

  /** The last slice that work waits for; null if no work waits. */
  get last(): Promise<void> | null {
    return this.#last;
  }

  /** True if the current slice has all the work that it may have. The work after it waits for the next one. */
  get isFull(): boolean {
    return this.#values > SLICE_VALUES;
  }

  /**
   * Reserves a part of the current slice for work that costs as much as completing this number of values.
   * @returns the slice to wait for; null if the work may start at once
   */
  reserve(values: number): Promise<void> | null {
    if (this.#values + values > SLICE_VALUES) return this.append(values);
    this.#values += values;
    return this.#last;
  }

  /** Counts work of the current slice that cannot wait. */
  count(values: number): void {
    this.#values += values;
  }

  /** Appends a slice after the pending ones. */
  append(values: number): Promise<void> {
    this.#values = values;
    const slice = (this.#last ?? Promise.resolve()).then(nextSlice);
    this.#last = slice;
    void slice.then(() => {
      if (this.#last !== slice) return;
      this.#last = null;
      this.#values = 0;
    });
    return slice;
  }
}

/**
 * Returns a scheduler of batches. Like DataLoader, it dispatches when every promise that could settle has settled; in addition, it waits
 * for the last slice.
 */
export function afterSlices(slices: RequestSlices | undefined): (dispatch: () => void) => void {
  const schedule = (dispatch: () => void): void => {
    void Promise.resolve().then(() => process.nextTick(dispatchAfterSlices, dispatch));
  };
  const dispatchAfterSlices = (dispatch: () => void): void => {
    if (slices?.last) void slices.last.then(() => schedule(dispatch));
    else dispatch();
  };
  return schedule;
}
