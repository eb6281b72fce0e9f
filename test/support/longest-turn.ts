import { expect } from 'vitest';

/**
 * Runs `work` and returns the longest tick of this thread's event loop meanwhile, in milliseconds of the thread's CPU time, so that other
 * processes and threads of a busy machine do not count.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = cpuMs();
  let isOver = false;
  const tick = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  isOver = true;
  await new Promise((resolve) => setImmediate(resolve));
  return longest;
}

/**
 * Maximum duration of a tick in ms. Nobody who sends a text may block the event loop, which all callers share. The aim is 50 ms on an idle
 * machine; the limit leaves room for slower machines.
 */
const MOST_MS = 250;

/**
 * Prints the longest tick, and fails above the limit. The minimum of two runs counts, because garbage may be collected in one of them.
 * @param mostMs limit in ms, for work whose slices are far shorter than the general one
 */
export async function expectShortTurns(name: string, work: () => Promise<unknown>, mostMs = MOST_MS): Promise<void> {
  const ms = Math.min(await longestTurn(work), await longestTurn(work));
  process.stdout.write(`longest turn: ${ms.toFixed(0)} ms, ${name}\n`);
  expect(ms).toBeLessThan(mostMs);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
