import { expect } from 'vitest';

/**
 * Runs `work` and returns the longest tick of this thread's event loop meanwhile, in milliseconds of the thread's CPU time, so that other
 * processes and threads of a busy machine do not count.
 */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
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
 * Maximum duration of a tick in ms on any machine. Nobody who sends a text may block the event loop, which all callers share. The aim is
 * 50 ms on an idle machine; the limit leaves room for slow and busy ones.
 */
const MOST_MS = 250;

/** True if the tests have an idle machine for themselves, as those of `npm run test:full` do (QUIPU_TEST_IDLE=1). */
const isIdle = process.env.QUIPU_TEST_IDLE === '1';

/**
 * Prints the longest tick, and fails if two runs are above the limit: garbage may be collected in one of them.
 * @param idleMs limit in ms on an idle machine, for work whose slices are far shorter than the general limit
 */
export async function expectShortTurns(name: string, work: () => Promise<unknown>, idleMs = MOST_MS): Promise<void> {
  const mostMs = isIdle ? idleMs : MOST_MS;
  let ms = await longestTurn(work);
  if (ms >= mostMs) ms = Math.min(ms, await longestTurn(work));
  process.stdout.write(`longest turn: ${ms.toFixed(0)} ms, ${name}\n`);
  expect(ms).toBeLessThan(mostMs);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
