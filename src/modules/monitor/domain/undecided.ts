import type { Snapshot } from './change.ts';
import { diffRecords, type RecordField } from './record.ts';

/*
 * A change that is held or discarded differs from the snapshot. A later observation may tell nothing about it: the registry states no
 * partners, or a share is unknown. Such an observation neither repeats the change nor reverts it.
 */

/** Returns the fields in which `pending` differs from the snapshot, and `observed` differs from neither of them. */
export function undecidedFields(snapshot: Snapshot, pending: Snapshot, observed: Snapshot): readonly RecordField[] {
  const decided = new Set([...diffRecords(snapshot, observed), ...diffRecords(pending, observed)].map(({ field }) => field));
  return diffRecords(snapshot, pending).flatMap(({ field }) => (decided.has(field) ? [] : [field]));
}

/** Returns `snapshot` with the values that `pending` has in some fields. */
export const withPending = (snapshot: Snapshot, pending: Snapshot, fields: readonly RecordField[]): Snapshot => ({
  ...snapshot,
  ...Object.fromEntries(fields.map((field) => [field, pending[field]])),
});
