import { useState } from 'react';

/** Position in a list that the API returns by pages. */
export interface Cursors {
  /** Cursor after which the shown page begins; null for the first page. */
  readonly after: string | null;
  /** Opens the page after a cursor. */
  readonly next: (cursor: string) => void;
  /** Opens the page before; null on the first page. */
  readonly previous: (() => void) | null;
}

export function useCursors(): Cursors {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    after: cursors.at(-1) ?? null,
    next: (cursor) => setCursors([...cursors, cursor]),
    previous: cursors.length === 0 ? null : () => setCursors(cursors.slice(0, -1)),
  };
}
