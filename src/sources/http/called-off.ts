import { AsyncLocalStorage } from 'node:async_hooks';

const fetches = new AsyncLocalStorage<AbortSignal>();

/** Nobody waits for a call any more: no failure of its source. */
export class CalledOff extends Error {
  override readonly name = 'CalledOff';
}

/** Runs work whose calls end when the signal is aborted. It reaches them by the asynchronous context, since every source lies between. */
export const whileAwaited = <T>(signal: AbortSignal, work: () => T): T => fetches.run(signal, work);

/** The signal of whoever waits for the work that this is part of; undefined where nobody can leave. */
export const awaited = (): AbortSignal | undefined => fetches.getStore();
