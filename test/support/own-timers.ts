import { onTestFinished, vi } from 'vitest';

/**
 * Fakes time for one test, and tells which timers `work` sets before it first waits. Other test files share the process, and what they left
 * behind may set timers meanwhile: counting all would count theirs.
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
