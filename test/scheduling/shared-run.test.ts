import { expect, it } from 'vitest';
import { SharedRun } from '../../src/scheduling/shared-run.ts';

/** Work that ends when the test says so. */
function work() {
  const runs: PromiseWithResolvers<void>[] = [];
  const shared = new SharedRun(() => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  return { shared, runs };
}

it('shares the next run among all calls during a run', async () => {
  const { shared, runs } = work();
  const first = shared.start();
  await Promise.resolve();
  const others = [shared.start(), shared.start()];
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await first;
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.resolve();
  await Promise.all(others);
  expect(runs).toHaveLength(2);
});

it('runs again after a failure, which the calls of that run get', async () => {
  const { shared, runs } = work();
  const failing = shared.start();
  await Promise.resolve();
  const next = shared.start();
  runs[0]?.reject(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.resolve();
  await next;
  await shared.ended();
});
