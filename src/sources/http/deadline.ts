import { CalledOff } from './called-off.ts';

export interface DeadlineParts {
  /** Ends the call itself. */
  readonly abort: AbortController;
  /** Aborted when nobody waits for the call any more. */
  readonly waited: AbortSignal | undefined;
}

/** A timer of our own, and the end of the wait: some broken answers leave an HTTP client waiting for ever, deaf to its abort signal. */
export function deadlineOf(ms: number, late: () => Error, { abort, waited }: DeadlineParts): { passed: Promise<never>; clear: () => void } {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  const end = (why: Error) => {
    reject(why);
    abort.abort();
  };
  const timer = setTimeout(() => end(late()), ms);
  const callOff = () => end(new CalledOff());
  waited?.addEventListener('abort', callOff);
  return {
    passed,
    clear() {
      clearTimeout(timer);
      waited?.removeEventListener('abort', callOff);
    },
  };
}
