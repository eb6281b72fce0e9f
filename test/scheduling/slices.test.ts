import { expect, it } from 'vitest';
import { inSlices, nextSlice } from '../../src/scheduling/slices.ts';

/** Holds the thread for so long. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Counts the turns of the event loop until `stop` is called. */
function countTurns() {
  let turns = 0;
  let next = setImmediate(function again() {
    turns += 1;
    next = setImmediate(again);
  });
  return () => {
    clearImmediate(next);
    return turns;
  };
}

it('lets the event loop turn between slices of work, however many callers work', async () => {
  const stop = countTurns();
  await Promise.all(
    Array.from({ length: 30 }, async () => {
      for (let part = 0; part < 3; part += 1) {
        await nextSlice();
        work(3);
      }
    }),
  );
  expect(stop()).toBeGreaterThanOrEqual(20); // 270 ms of work, 8 ms and one part at most between two turns
});

it('gives each caller its turn in the order of asking, after the work of the one before has settled', async () => {
  const order: string[] = [];
  const caller = async (name: string) => {
    for (const part of [1, 2]) {
      await nextSlice();
      for (let i = 0; i < 5; i += 1) await null;
      order.push(`${name}${part}`);
    }
  };
  await Promise.all(['a', 'b', 'c'].map(caller));
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
});

it('runs a generator to its result, or to its error, and lets the event loop turn meanwhile', async () => {
  const stop = countTurns();
  const result = await inSlices(
    (function* () {
      for (let i = 0; i < 60; i += 1) {
        work(1);
        yield;
      }
      return 'done';
    })(),
  );
  expect(result).toBe('done');
  expect(stop()).toBeGreaterThanOrEqual(5);
  const failing = (function* () {
    yield;
    throw new Error('broken');
  })();
  await expect(inSlices(failing)).rejects.toThrow('broken');
});
