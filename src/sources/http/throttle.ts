import { setTimeout as sleep } from 'node:timers/promises';
import { type Count, limitName, type SharedLimits } from '../../cache/shared-limits.ts';
import { DAY_MS } from '../../domain/time.ts';

export interface ThrottleOptions {
  /** Identity of the caller at the upstream, such as the address and a token. Processes with equal texts share the throttle. */
  readonly of: readonly string[];
  /** Pause in ms from the end of a permit to the next one. */
  readonly pauseMs: number;
  /** Maximum number of permits in a day, and the current day; unlimited if absent. */
  readonly quota?: { readonly perDay: number; readonly today: () => string } | undefined;
  /** Limits over all processes; without them each process has a throttle of its own. */
  readonly limits: SharedLimits | undefined;
}

/** The right to send one request. */
export interface Permit {
  /** Returns the permit and starts the pause. */
  end(): void;
}

/** Reason for which there is no permit: it would come too late, or those of the day are used up. Operators see it as `lastError`. */
export type NoPermit = 'no_turn' | 'quota_used';

/** Sends requests one at a time with pauses between them, up to a daily quota, over all processes. */
export interface Throttle {
  /** Waits for a permit until `latest` (`performance.now` time). @throws the reason of `signal` when that ends the wait */
  acquire(latest: number, signal?: AbortSignal): Promise<Permit | NoPermit>;
}

/** Interval at which a process checks whether another process has returned its permit. */
const POLL_MS = 50;
/** Time for which Redis keeps the counter of a day. It is longer than any day. */
const COUNTED_MS = 2 * DAY_MS;

/**
 * Creates a throttle of one upstream. While Redis is unavailable, each of n processes pauses n times as long and uses at most the n-th
 * part of the day's remaining permits, so that together they send no more than one process would.
 */
export function createThrottle({ of, pauseMs, quota, limits }: ThrottleOptions): Throttle {
  const lease = limitName('throttle', ...of);
  let isTaken = false;
  let endedAt = Number.NEGATIVE_INFINITY;
  let day = '';
  /** Count of the day's permits over all processes. */
  let last: Count | null = null;
  /** Number of permits of this process that Redis has not counted. */
  let uncounted = 0;

  const processes = () => limits?.processes ?? 1;

  /** Takes the permit, or returns the ms until it may be free. */
  async function take(): Promise<Permit | number> {
    if (isTaken) return POLL_MS;
    isTaken = true;
    const shared = await limits?.lease(lease, 1);
    const waitMs = typeof shared === 'number' ? Math.min(shared, POLL_MS) : shared?.isShared ? 0 : pauseLeft();
    const end = (afterMs: number) => {
      isTaken = false;
      if (typeof shared === 'object') shared.end(afterMs);
    };
    if (waitMs > 0) {
      end(0);
      return waitMs;
    }
    return {
      end() {
        endedAt = performance.now();
        end(pauseMs);
      },
    };
  }

  /** Returns the ms until this process may send again while Redis is unavailable. */
  const pauseLeft = () => endedAt + pauseMs * processes() - performance.now();

  async function isWithinQuota(): Promise<boolean> {
    if (!quota) return true;
    const today = quota.today();
    if (day !== today) [day, last, uncounted] = [today, null, 0];
    // A new name would begin the count of the day again while two releases run together.
    const count = await limits?.count(limitName('turns', today, ...of), { max: quota.perDay, ms: COUNTED_MS, last, uncounted });
    if (count) {
      [last, uncounted] = [count, 0];
      return count.isAllowed;
    }
    const left = quota.perDay - (last?.count ?? 0);
    if (uncounted >= Math.floor(left / processes())) return false;
    uncounted += 1;
    return true;
  }

  return {
    async acquire(latest, signal) {
      for (;;) {
        const permit = await take();
        if (typeof permit === 'number') {
          if (performance.now() + permit > latest) return 'no_turn';
          await sleep(permit, undefined, { signal });
        } else if (await isWithinQuota()) {
          return permit;
        } else {
          permit.end();
          return 'quota_used';
        }
      }
    },
  };
}
