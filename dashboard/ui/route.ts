import type { Country } from '../api/operations.ts';
import { createStore } from '../state/store.ts';

/** Path of the page below `/dashboard`, such as `/company/BR/99030001000146`; empty for the overview. */
export const route = createStore(readRoute());

function readRoute(): string {
  return location.pathname.replace(/^\/dashboard\/?/, '/').replace(/^\/$/, '');
}

addEventListener('popstate', () => route.set(readRoute));

export const pathOf = (page: string): string => `/dashboard${page}`;
export const companyPath = ({ country, identifier }: { readonly country: Country; readonly identifier: string }): string =>
  pathOf(`/company/${country}/${identifier}`);

export const screeningPath = (id: string): string => pathOf(`/screenings/${id}`);

/** Opens a page without loading the document again. */
export function open(path: string): void {
  history.pushState(null, '', path);
  route.set(readRoute);
  scrollTo(0, 0);
}
