import { AsyncLocalStorage } from 'node:async_hooks';

/** No caller waits for this call any more. Not a failure of its source. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** The caller of all work that no API key asked for: checks of monitors, jobs. */
const BACKGROUND = 'background';

/** What calls know of those who wait for them. It travels by async context, because the sources lie between. */
export interface CallContext {
  /** Id of the API key whose slots the calls take; undefined for work in the background. */
  readonly caller?: string | undefined;
  /** Stands for the request or event that the calls are for: its lookups of lists share a statement. Undefined where they share none. */
  readonly request?: object | undefined;
  /** Aborts when no caller waits any more: HTTP calls are cancelled. */
  readonly signal?: AbortSignal;
}

const contexts = new AsyncLocalStorage<CallContext>();

/** Runs `work` with this context. */
export const runInContext = <T>(context: CallContext, work: () => T): T => contexts.run(context, work);

/** Who the surrounding calls are for: the id of an API key, or `background`. */
export const currentCaller = (): string => contexts.getStore()?.caller ?? BACKGROUND;

/** Stands for the request that the surrounding calls are for. */
export const currentRequest = (): object | undefined => contexts.getStore()?.request;

/** The signal of the surrounding `runInContext`; undefined where the work cannot be cancelled. */
export const cancellationSignal = (): AbortSignal | undefined => contexts.getStore()?.signal;

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
