import { AsyncLocalStorage } from 'node:async_hooks';

/** Thrown when no caller waits for a call any more. It is not a failure of its source. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Caller of all work that no API key requested: checks of monitors, jobs. */
const BACKGROUND = 'background';

/** Data about the callers that wait for a call. It is passed by async context, because the sources lie between them. */
export interface CallContext {
  /** Id of the API key whose slots the calls take; undefined for work in the background. */
  readonly caller?: string | undefined;
  /**
   * Object of the request or event that the calls are for. Lookups of lists for the same object share a statement; undefined if they share
   * none.
   */
  readonly request?: object | undefined;
  /** Aborts when no caller waits any more, which cancels the HTTP calls. */
  readonly signal?: AbortSignal;
}

const contexts = new AsyncLocalStorage<CallContext>();

/** Runs `work` with this context. */
export const runInContext = <T>(context: CallContext, work: () => T): T => contexts.run(context, work);

/** Returns the caller of the surrounding calls: the id of an API key, or `background`. */
export const currentCaller = (): string => contexts.getStore()?.caller ?? BACKGROUND;

/** Returns the object of the request that the surrounding calls are for. */
export const currentRequest = (): object | undefined => contexts.getStore()?.request;

/** Returns the signal of the surrounding `runInContext`; undefined for work that cannot be cancelled. */
export const cancellationSignal = (): AbortSignal | undefined => contexts.getStore()?.signal;

export interface DeadlineOptions {
  readonly ms: number;
  /** Creates the failure that `passed` rejects with after the deadline. */
  readonly onTimeout: () => Error;
  /** Aborted after the deadline, or when the caller has cancelled. */
  readonly abort: AbortController;
  /** Aborts when no caller waits for the call any more. */
  readonly cancellation: AbortSignal | undefined;
}

/**
 * Starts a timer independent of the HTTP client, which waits for ever after some broken responses and ignores its abort signal. `passed`
 * rejects with `onTimeout()` or `Cancelled`.
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
