import { useStore } from '../state/store.ts';
import { type Parameters, queryOf } from './query.ts';
import { type AddressChange, query, setQuery } from './route.ts';

/**
 * Returns the parameters of the address. The filters and the page of a list are read from them, so that the list is the same after a reload,
 * after a return from another page, and for the reader of a link.
 */
export const useParameters = (): URLSearchParams => new URLSearchParams(useStore(query, (text) => text));

/** Replaces all parameters of the address. */
export const replaceParameters = (parameters: Parameters, change: AddressChange = 'replaceState'): void =>
  setQuery(queryOf(parameters), change);

/** Replaces one parameter of the address, and keeps the others. */
export function setParameter(name: string, value: string | readonly string[], change: AddressChange = 'replaceState'): void {
  const given = new URLSearchParams(query.get());
  const others = Object.fromEntries([...given.keys()].map((key) => [key, given.getAll(key)]));
  replaceParameters({ ...others, [name]: value }, change);
}
