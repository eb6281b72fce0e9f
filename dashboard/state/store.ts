import { useSyncExternalStore } from 'react';

/** A value that components read by `useStore`. It is replaced, never mutated. */
export interface Store<T> {
  get(): T;
  set(change: (before: T) => T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(change) {
      const next = change(value);
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Selects a part of a store. `select` must return the same object for the same state. */
export const useStore = <T, R>(store: Store<T>, select: (value: T) => R): R =>
  useSyncExternalStore(store.subscribe, () => select(store.get()));
