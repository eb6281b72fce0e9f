import { AsyncLocalStorage } from 'node:async_hooks';

/** No caller waits for this call any more. Not a failure of its source. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

const signals = new AsyncLocalStorage<AbortSignal>();

/** Runs `work` so that the HTTP calls within it are cancelled when `signal` aborts. The signal travels by async context, because the sources lie between. */
export const runCancellable = <T>(signal: AbortSignal, work: () => T): T => signals.run(signal, work);

/** The signal of the surrounding `runCancellable`; undefined where the work cannot be cancelled. */
export const cancellationSignal = (): AbortSignal | undefined => signals.getStore();

export interface DeadlineOptions {
  readonly ms: number;
  /** Creates the failure that `passed` rejects with when the time is over. */
  readonly onTimeout: () => Error;
  /** Aborted when the deadline has passed or the caller has cancelled. */
  readonly abort: AbortController;
  /** Aborts when no caller waits for the call any more. */
  readonly cancellation: AbortSignal | undefined;
}

/**
 * Starts a timer independent of the HTTP client: after some broken responses the client waits for ever and ignores its abort signal.
 * `passed` rejects with `onTimeout()` or `Cancelled`.
 */
export function startDeadline({ ms, onTimeout, abort, cancellation }: DeadlineOptions): { passed: Promise<never>; clear: () => void } {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  const end = (reason: Error) => {
    reject(reason);
    abort.abort();
  };
  const timer = setTimeout(() => end(onTimeout()), ms);
  const onCancel = () => end(new Cancelled());
  cancellation?.addEventListener('abort', onCancel);
  return {
    passed,
    clear() {
      clearTimeout(timer);
      cancellation?.removeEventListener('abort', onCancel);
    },
  };
}
