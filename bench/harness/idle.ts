import { setTimeout as delay } from 'node:timers/promises';
import { treeCpuMs } from './cpu-time.ts';

const WINDOW_MS = 1_000;
/** Share of one CPU below which servers count as idle. They look at the database and at their jobs now and then. */
const IDLE_SHARE = 0.1;
/** Maximum wait in ms. The measurement then begins, although a server is busy. */
const PATIENCE_MS = 90_000;

/**
 * Waits until the processes, with those that they have started, are idle. Otherwise the work of a server after its start, such as filling an
 * index, would count as the cost of the first answers. @returns true if they are idle, false after 90 s
 */
export async function untilIdle(pids: readonly number[], patienceMs = PATIENCE_MS): Promise<boolean> {
  const read = () => pids.reduce((sum, pid) => sum + treeCpuMs(pid), 0);
  const deadline = performance.now() + patienceMs;
  do {
    const [before, from] = [read(), performance.now()];
    await delay(WINDOW_MS);
    if ((read() - before) / (performance.now() - from) < IDLE_SHARE) return true;
  } while (performance.now() < deadline);
  return false;
}
