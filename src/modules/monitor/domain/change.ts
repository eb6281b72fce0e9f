import type { CompanyKey } from '../../../domain/company.ts';
import type { RegistrationStatus } from '../../../domain/registration.ts';
import type { SourceName } from '../../../domain/source-names.ts';
import type { CompanySize } from '../../enrich/domain.ts';

/** What is watched of a company, as its tax registry has it. A company that the registry does not have is `not_found`, the rest null. */
export interface Snapshot {
  readonly status: RegistrationStatus;
  readonly size: CompanySize | null;
  /** Main economic activity as `/v1/enrich` words it, else its code. */
  readonly activity: string | null;
}

/** What the webhook of `/v1` tells, in this order. */
export const REGISTRATION_FIELDS = ['status', 'size', 'activity'] as const;
/** What lists say of a company, by the check that reads them. */
export const LIST_FIELDS = ['sanctions', 'debarment', 'labor'] as const;
export type ListField = (typeof LIST_FIELDS)[number];
export type ChangedField = (typeof REGISTRATION_FIELDS)[number] | ListField;

/** One field that is not what it was. For a list, `from` and `to` count the entries that name the company. */
export interface FieldChange {
  readonly field: ChangedField;
  readonly from: string | null;
  readonly to: string | null;
  readonly list?: SourceName;
}

/** What differs, in the order of the fields; nothing for equal snapshots. */
export const diffSnapshots = (before: Snapshot, after: Snapshot): readonly FieldChange[] =>
  REGISTRATION_FIELDS.filter((field) => before[field] !== after[field]).map((field) => ({
    field,
    from: before[field],
    to: after[field],
  }));

/** True for a value that says nothing: what was known before it is lost rather than changed. */
const isBlank = (value: string | null): boolean => value === null || value === '' || value === 'unknown' || value === 'not_found';

/** True when a field that was known became empty. */
export const losesFields = (changes: readonly FieldChange[]): boolean => changes.some(({ from, to }) => !isBlank(from) && isBlank(to));

/** True for what only the lists say. */
export const isListNews = (changes: readonly FieldChange[]): boolean => changes.every(({ list }) => list !== undefined);

/** What a source said of a company: its registration, or fingerprints of the entries of a list that name it. */
export type Observation = Snapshot | readonly string[];

/** What a source says of a company now, and how it differs from what was last reported. */
export interface Finding {
  readonly company: CompanyKey;
  readonly source: SourceName;
  readonly fields: readonly FieldChange[];
  readonly observed: Observation;
}

/** Why a change is held. `share`: too many companies changed alike; `blank`: known fields became empty. */
export type HoldReason = 'share' | 'blank';

/** A change that waits for an operator. */
export interface HeldChange extends Finding {
  readonly reason: HoldReason;
  /** Epoch ms, when it was first seen. */
  readonly heldAt: number;
}

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
