import type { Country } from '../api/operations.ts';
import { createStore } from '../state/store.ts';
import { queryOf } from './query.ts';

/** Path of the page below `/dashboard`, such as `/company/BR/99030001000146`; empty for the overview. */
export const route = createStore(readRoute());

function readRoute(): string {
  return location.pathname.replace(/^\/dashboard\/?/, '/').replace(/^\/$/, '');
}

/** Query of the address, such as `?level=HIGH`; empty without one. */
export const query = createStore(location.search);

/** A change of the address: `replaceState` for a filter, `pushState` for a step between pages, which *Back* of the browser undoes. */
export type AddressChange = 'replaceState' | 'pushState';

/** Sets the query of the address, so that a link to the page shows the same. */
export function setQuery(text: string, change: AddressChange): void {
  query.set(() => text);
  try {
    history[change](null, '', location.pathname + text);
  } catch {
    // Safari refuses more than 100 changes in some seconds, such as those of a key that is held down. The next change writes the whole query.
  }
}

addEventListener('popstate', readAddress);

function readAddress(): void {
  query.set(() => location.search);
  route.set(readRoute);
}

export const pathOf = (page: string): string => `/dashboard${page}`;
export const companyPath = ({ country, identifier }: { readonly country: Country; readonly identifier: string }): string =>
  pathOf(`/company/${country}/${identifier}`);

/** Path of the results of a search by name. */
export const searchPath = ({ country, name }: { readonly country: Country; readonly name: string }): string =>
  pathOf(`/search${queryOf({ country, q: name })}`);

export const screeningPath = (id: string): string => pathOf(`/screenings/${id}`);

/** Opens a page without loading the document again. */
export function open(path: string): void {
  history.pushState(null, '', path);
  readAddress();
  scrollTo(0, 0);
}
