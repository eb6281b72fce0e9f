import { setParameter, useParameters } from './parameters.ts';

/** Position in a list that the API returns by pages. */
export interface Cursors {
  /** Cursor after which the shown page begins; null for the first page. */
  readonly after: string | null;
  /** Opens the page after a cursor. */
  readonly next: (cursor: string) => void;
  /** Opens the page before; null on the first page. */
  readonly previous: (() => void) | null;
  /** Opens the first page in place of the present one. */
  readonly first: () => void;
}

/** Number of pages by which a person can go back. An address with more cursors could be too long for a server. */
const MAX_CURSORS = 50;

/** Parameter of the address. A page of the dashboard has at most one list with it. */
const PARAMETER = 'after';

/** The position in a list, which the address has: the cursor of each page that was opened. */
export function useCursors(): Cursors {
  const cursors = useParameters().getAll(PARAMETER);
  const step = (to: readonly string[]): void => setParameter(PARAMETER, to.slice(-MAX_CURSORS), 'pushState');
  return {
    after: cursors.at(-1) ?? null,
    next: (cursor) => step([...cursors, cursor]),
    previous: cursors.length === 0 ? null : () => step(cursors.slice(0, -1)),
    first: () => setParameter(PARAMETER, []),
  };
}
