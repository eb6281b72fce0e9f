import { onTestFinished, vi } from 'vitest';

/**
 * Fakes time for one test, and returns the timers that `work` sets before it first waits. Other test files share the process, and their
 * leftovers may set timers meanwhile, which must not be counted.
 */
export function withOwnTimers<T>(work: () => T) {
  vi.useFakeTimers();
  const set = vi.spyOn(globalThis, 'setTimeout');
  const cleared = vi.spyOn(globalThis, 'clearTimeout');
  onTestFinished(() => {
    vi.restoreAllMocks(); // all, and before the real timers return: the runner restores the others after this file, and they would put back the fake ones
    vi.useRealTimers();
  });
  const result = work();
  return { result, timers: set.mock.results.map(({ value }) => value), cleared };
}
