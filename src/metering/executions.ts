import { AppError } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';
import { requestMessages } from '../messages/requests.ts';
import { FairSlots, type Full, NoSlot, type RunOptions } from '../scheduling/fair-slots.ts';

export interface ExecutionLimits {
  /** Maximum number of concurrent executions of a key. The same number may wait. */
  readonly perKey: number;
  /** Maximum number of concurrent executions of all keys. The same number may wait. */
  readonly inAll: number;
}

/** Runs executions within the limits per key and in total. Further ones wait in a short queue. */
export interface Executions {
  /**
   * Runs `work` immediately or after waiting.
   * @throws AppError RATE_LIMITED when the key has too many, SERVICE_UNAVAILABLE when all keys together have; the reason of the signal
   */
  run<T>(keyId: string, work: () => Promise<T>, options?: RunOptions): Promise<T>;
  /** Returns the error with which `run` would refuse work of this key now, before the body is read; else null. */
  refusal(keyId: string): AppError | null;
  /**
   * Returns the error for all requests while this process is overloaded and all its slots are taken, else null. Executions of a key beyond
   * its share do not count as taken slots.
   */
  overload(): AppError | null;
}

/** Maximum wait of an execution. A later answer would be too late. */
const MAX_WAIT_MS = SECOND_MS;
/** Maximum wait once the queue has not been empty for BACKLOG_MS, because load then exceeds capacity (CoDel). */
const MAX_BACKLOG_WAIT_MS = 50;
const BACKLOG_MS = 500;

/** @param share share of the limits that applies now, 0 to 1. Below 1 the process is overloaded, and nothing waits */
export function createExecutions({ perKey, inAll }: ExecutionLimits, share: () => number): Executions {
  const slotsInAll = () => Math.max(1, Math.round(inAll * share()));
  let waitingSince = 0;
  const slots = new FairSlots({
    slots: slotsInAll,
    slotsPerOwner: () => Math.max(1, Math.round(perKey * share())),
    waiting: () => (share() < 1 ? 0 : inAll),
    waitingPerOwner: perKey,
    waitLimit() {
      const now = performance.now();
      if (slots.waiting === 0) waitingSince = now;
      return AbortSignal.timeout(now - waitingSince > BACKLOG_MS ? MAX_BACKLOG_WAIT_MS : MAX_WAIT_MS);
    },
  });
  return {
    run: (keyId, work, options) =>
      slots.run(keyId, work, options).catch((error: unknown) => {
        throw error instanceof NoSlot ? tooManyExecutions(error.full) : error;
      }),
    refusal(keyId) {
      const full = slots.refusal(keyId);
      return full && tooManyExecutions(full);
    },
    overload: () => (share() < 1 && slots.isFull ? OVERLOADED : null),
  };
}

const tooManyExecutions = (full: Full): AppError =>
  full === 'owner' ? new AppError('RATE_LIMITED', requestMessages.tooManyInProgress(), { retryAfterSeconds: 1 }) : OVERLOADED;

/** Shared error object, because thousands of requests may be refused per second. */
const OVERLOADED = new AppError('SERVICE_UNAVAILABLE', requestMessages.overloaded(), {
  retryAfterSeconds: 2,
});
