import { expect, it, onTestFinished } from 'vitest';
import { watchCapacity } from '../../src/server/limits.ts';

it('LD-05 the capacity falls within the turn of the event loop that lasts too long, and is whole again once turns are short', async () => {
  const capacity = watchCapacity({ maxDelayMs: 200, heapShare: 0.95 });
  onTestFinished(() => capacity.stop());
  expect(capacity.share()).toBe(1);
  const end = performance.now() + 300;
  while (performance.now() < end);
  expect(capacity.share()).toBeLessThan(1);
  await expect.poll(() => capacity.share(), { timeout: 15_000 }).toBe(1);
});
