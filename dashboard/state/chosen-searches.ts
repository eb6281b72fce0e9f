import type { Client } from '../api/client.ts';
import type { Country } from '../api/operations.ts';
import { createStore, type Store, useStore } from './store.ts';

/** A page of the results of a search by name. */
export interface SearchedPage {
  readonly country: Country;
  readonly name: string;
  /** Cursor after which the page begins; null for the first page. */
  readonly after: string | null;
}

/**
 * The pages that a person has chosen to search for, by session. They are not stored, because a reload must not send again what counts on the
 * plan.
 */
const chosen = new WeakMap<Client, Store<ReadonlySet<string>>>();

function chosenOf(client: Client): Store<ReadonlySet<string>> {
  const known = chosen.get(client) ?? createStore<ReadonlySet<string>>(new Set());
  chosen.set(client, known);
  return known;
}

const keyOf = ({ country, name, after }: SearchedPage): string => JSON.stringify([country, name, after]);

/** Records that a person has chosen to send a search. */
export const chooseSearch = (client: Client, page: SearchedPage): void =>
  chosenOf(client).set((before) => new Set(before).add(keyOf(page)));

/** True if a person has chosen to send a search since the document was loaded. */
export const isChosenSearch = (client: Client, page: SearchedPage): boolean => chosenOf(client).get().has(keyOf(page));

/** Returns `isChosenSearch`, and renders the component again when it changes. */
export const useIsChosenSearch = (client: Client, page: SearchedPage): boolean =>
  useStore(chosenOf(client), () => isChosenSearch(client, page));
