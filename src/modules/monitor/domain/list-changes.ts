import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { CANDIDATE, type FieldChange, type ListField, type ObservationKey, observationKey } from './change.ts';

/** True when every field belongs to a list. */
export const isListChange = (changes: readonly FieldChange[]): boolean => changes.every(({ list }) => list !== undefined);

/** A watched list, and the field that its changes have. */
export interface WatchedList {
  readonly list: SourceName;
  readonly field: ListField;
}

/** The entries of a list that name a watched company, as fingerprints, or its candidates on the list, as `recordText`. */
export interface CompanyListEntries {
  readonly company: CompanyKey;
  readonly legalPerson: string;
  /** Names from the last answer of the registry; empty before its first successful check. */
  readonly names: readonly string[];
  /** Entries as last reported; null before the first comparison. */
  readonly entries: readonly string[] | null;
  /** Entries that an operator discarded; null without any. */
  readonly ignored: readonly string[] | null;
  /** Entries of a change that is held; null without one. */
  readonly held: readonly string[] | null;
}

/** Returns the key under which the observations of a list are stored. */
export const listKey = ({ list, field }: WatchedList): ObservationKey =>
  observationKey({ source: list, ...(field === CANDIDATE && { kind: field }) });

/** Compares two sorted lists of fingerprints. */
export const sameEntries = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((entry, i) => entry === b[i]);

/** The change between two sorted lists of fingerprints; empty when they are equal. */
export const diffListEntries = (
  { list, field }: WatchedList,
  before: readonly string[],
  after: readonly string[],
): readonly FieldChange[] => (sameEntries(before, after) ? [] : [{ field, from: String(before.length), to: String(after.length), list }]);

/** The change of candidates: empty unless one is new or its record changed. Those that an operator discarded are not new. */
export function diffCandidates(
  { list, field }: WatchedList,
  {
    before,
    ignored,
    after,
  }: { readonly before: readonly string[]; readonly ignored: readonly string[]; readonly after: readonly string[] },
): readonly FieldChange[] {
  const known = new Set([...before, ...ignored]);
  const added = after.filter((candidate) => !known.has(candidate));
  return added.length === 0 ? [] : [{ field, from: String(before.length), to: String(after.length), list, added }];
}
