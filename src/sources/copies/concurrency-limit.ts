/** Limits how many pieces of work run at once. The limit can only fall. */
export interface ConcurrencyLimit {
  /** Runs `work` when fewer than the limit run. @throws the reason of the abort while it waits, and whatever `work` throws */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Lowers the limit by one, to one at least. */
  lower(): void;
}

/** Creates a limit. @param limit number of pieces of work at once, 1 or more */
export function createConcurrencyLimit(limit: number): ConcurrencyLimit {
  let allowed = limit;
  let running = 0;
  const waiting: (() => void)[] = [];

  function release(): void {
    while (running < allowed && waiting.length > 0) {
      running += 1;
      waiting.shift()?.();
    }
  }

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < allowed) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => {
      const index = waiting.indexOf(resolve);
      if (index === -1) return; // it was let through at the same time
      waiting.splice(index, 1);
      reject(signal.reason);
    };
    waiting.push(resolve);
    signal.addEventListener('abort', stop, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', stop));
  }

  return {
    async run(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        running -= 1;
        release();
      }
    },
    lower() {
      allowed = Math.max(1, allowed - 1);
    },
  };
}
