import { setParameter, useParameters } from './parameters.ts';

/** Position in a list that the API returns by pages. */
export interface Cursors {
  /** Cursor after which the shown page begins; null for the first page. */
  readonly after: string | null;
  /** Opens the page after a cursor. */
  readonly next: (cursor: string) => void;
  /** Opens the page before; null on the first page. */
  readonly previous: (() => void) | null;
  /** Opens the first page. */
  readonly first: () => void;
}

/** Number of pages by which a person can go back. An address with more cursors could be too long for a server. */
const MAX_CURSORS = 50;

/**
 * The position in a list, which the address has: the cursor of each page that was opened.
 * @param name parameter of the address; lists on one page of the dashboard need different ones
 */
export function useCursors(name = 'after'): Cursors {
  const cursors = useParameters().getAll(name);
  const show = (to: readonly string[]): void => setParameter(name, to.slice(-MAX_CURSORS));
  return {
    after: cursors.at(-1) ?? null,
    next: (cursor) => show([...cursors, cursor]),
    previous: cursors.length === 0 ? null : () => show(cursors.slice(0, -1)),
    first: () => show([]),
  };
}
