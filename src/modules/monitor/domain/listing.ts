import type { SourceName } from '../../../domain/source-names.ts';
import type { FieldChange, ListField } from './snapshot.ts';

/** A list that is watched, and the check that reads it. */
export interface WatchedList {
  readonly list: SourceName;
  readonly field: ListField;
}

export const sameEntries = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((entry, i) => entry === b[i]);

/** How the entries of a list that name a company differ from those before; nothing where they are the same. Both are sorted. */
export const diffListing = ({ list, field }: WatchedList, before: readonly string[], after: readonly string[]): readonly FieldChange[] =>
  sameEntries(before, after) ? [] : [{ field, from: String(before.length), to: String(after.length), list }];
